/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of far lines; see far_lines.h. far_touch.c has what happens at an access. */
#include "engine/sample/far_lines.h"

#include "engine/core/random.h"
#include "engine/core/util.h"

/* Time begins here: 0 is never. */
#define FIRST_NOW (1ull << FAR_CELL_LOG2)

void far_lines_clear(struct watch_set *ws)
{
	struct far_lines *f = ws->far_lines;

	memset(ws->far, 0, sizeof ws->far);
	memset(ws->before, 0, sizeof ws->before);
	if (!f || !f->begun)
		return;
	f->begun = false;
	f->used = 0;
	f->blocks = 0;
	memset(f->known, 0, sizeof f->known);
	memset(f->known_weight, 0, sizeof f->known_weight);
	memset(f->head, 0, sizeof f->head);
	memset(f->block_at, 0, sizeof f->block_at);
	far_cells_clear(&f->cells);
}

static void set_bits(struct watch_set *ws)
{
	far_units_bits(&ws->far_lines->units, ws->far, ws->before);
	for (uint32_t i = 0; i < WATCH_SLOTS / 64; i++)
		watches_set_bits(ws, i);
}

void far_lines_join(struct watch_set *ws, uint64_t first_at, uint64_t *rng)
{
	struct far_lines *f = ws->far_lines;

	if (!f->begun) {
		f->begun = true;
		f->now = FIRST_NOW;
		f->times_used = 1;
		far_units_choose(&f->units, rng);
		set_bits(ws);
		ws->additions++;
	}
	f->now_less_at = f->now - first_at;
}

static struct far_line64 *link_line(struct far_lines *f, struct far_line64 *l)
{
	uint16_t *head = &f->head[l->line * 0x9e3779b97f4a7c15ull >> 49];

	l->next = *head;
	*head = (uint16_t)(l - f->line + 1);
	return l;
}

/* The block of the line's unit at its address: an old one, or a new one without touches. */
static uint32_t find_block(struct far_lines *f, const struct far_line64 *l)
{
	uint32_t log2 = far_lines_log2(l), words = 1u << log2, at;
	uint64_t key = (l->line >> log2 << 3 | log2) + 1;
	uint64_t i = key * 0x9e3779b97f4a7c15ull >> 50;

	_Static_assert(FAR_HASHES == 1u << (64 - 50), "hashes");
	if (!log2)
		return 0;
	for (; f->block_at[i]; i = (i + 1) % FAR_HASHES)
		if (f->times[f->block_at[i]] == key)
			return f->block_at[i];
	at = f->times_used;
	f->block_at[i] = at;
	f->blocks++;
	f->times_used += words;
	f->times[at] = key;
	memset(&f->times[at + 1], 0, (words - 1) * 8);
	return at;
}

struct far_line64 *far_lines_add(struct far_lines *f, uint64_t line, uint16_t unit)
{
	struct far_line64 *l = &f->line[f->used++];

	*l = (struct far_line64){.line = line, .unit = unit};
	l->block = find_block(f, l);
	return link_line(f, l);
}

static uint64_t last_touch(const struct far_line64 *l)
{
	return l->half[0] > l->half[1] ? l->half[0] : l->half[1];
}

static void count(struct far_lines *f, enum far_kind kind, uint32_t i, uint64_t at)
{
	if (!at)
		return;
	far_lines_know(f, kind, i);
	far_cells_move(&f->cells, i, f->units.weight[kind][i], 0, at);
}

/* Counts a line that stays, and sets the times of the larger ones that hold it. */
static void count_line(struct far_lines *f, struct far_line64 *l)
{
	enum far_kind kind = far_lines_kind(l);
	uint64_t last = last_touch(l);

	for (uint32_t i = 0; i < FAR_SMALL; i++)
		count(f, kind, i, l->small[i]);
	count(f, kind, FAR_SIZE_32, l->half[0]);
	count(f, kind, FAR_SIZE_32, l->half[1]);
	count(f, kind, FAR_SIZE_64, last);
	for (uint32_t k = l->block ? far_lines_word(l) : 0; k; k /= 2)
		if (f->times[l->block + k] < last)
			f->times[l->block + k] = last;
}

static void count_blocks(struct far_lines *f)
{
	for (uint32_t at = 1; at < f->times_used;) {
		uint32_t log2 = (uint32_t)(f->times[at] - 1) & 7, words = 1u << log2;
		enum far_kind kind = log2 == 6 ? FAR_PAGE : log2 == 3 ? FAR_EIGHT : FAR_PAIR;

		/* the root is of the largest size */
		for (uint32_t k = 1; k < words; k++)
			count(f, kind, FAR_SIZE_64 + log2 - (31 - (uint32_t)__builtin_clz(k)),
			      f->times[at + k]);
		at += words;
	}
}

/* Forgets the lines of units and regions that were given up. */
static void leave_rest(struct watch_set *ws, uint64_t now)
{
	struct far_lines *f = ws->far_lines;
	uint32_t n = f->used;

	f->used = 0;
	f->blocks = 0;
	f->times_used = 1;
	memset(f->known, 0, sizeof f->known);
	memset(f->known_weight, 0, sizeof f->known_weight);
	memset(f->head, 0, sizeof f->head);
	memset(f->block_at, 0, sizeof f->block_at);
	far_cells_clear(&f->cells);
	far_cells_advance(&f->cells, now);
	for (uint32_t k = 0; k < n; k++) {
		struct far_line64 *l = &f->line[f->used];

		if (far_units_find(&f->units, f->line[k].line) == FAR_NO_UNIT)
			continue;
		*l = f->line[k];
		f->used++;
		l->block = find_block(f, l);
		count_line(f, link_line(f, l));
	}
	count_blocks(f);
	set_bits(ws);
	ws->changes++;
}

void far_lines_make_room(struct watch_set *ws, uint64_t now, uint64_t *rng)
{
	struct far_lines *f = ws->far_lines;

	while (f->used + 2 > FAR_LINES || f->blocks + 2 > FAR_BLOCKS ||
	       f->times_used + 2 * 64 > FAR_TIMES) {
		far_units_halve(&f->units, rng);
		leave_rest(ws, now);
	}
}

void far_lines_end_window(struct watch_set *ws, uint64_t at)
{
	struct far_lines *f = ws->far_lines;

	f->now = at + f->now_less_at;
	if (far_units_end_window(&f->units, at > ws->first_at ? at - ws->first_at : 0))
		leave_rest(ws, f->now);
}

void far_lines_sum_up(struct far_sums *sums, const struct watch_set *ws)
{
	const struct far_lines *f = ws ? ws->far_lines : 0;

	for (uint32_t i = 0; f && f->begun && i < CHANNEL_FAR_SIZES; i++) {
		sums->lines[i] += f->known[i];
		sums->weighted[i] += f->known_weight[i];
		sums->weight[i] = f->units.weight[FAR_PAGE][i];
	}
}
