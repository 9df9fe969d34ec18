/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watched lines of a thread; see watches.h. */
#include "engine/sample/watches.h"

#include "engine/core/util.h"
#include "engine/sample/nested.h"
#include "engine/sample/stack_distance.h"

void watches_init(struct watch_set *ws, uint32_t line_shift)
{
	ws->one_in = 1;
	ws->one_in_log2 = 5;
	ws->window = UINT32_MAX;
	ws->reach = ((WATCH_REACH - 1) >> line_shift) + 1;
	if (ws->nested)
		nested_clear(ws->nested);
}

void watches_clear(struct watch_set *ws, uint32_t line_shift)
{
	memset(ws->bits, 0, sizeof ws->bits);
	memset(ws->fresh, 0, sizeof ws->fresh);
	memset(ws->before, 0, sizeof ws->before);
	memset(ws->begun, 0, sizeof ws->begun);
	memset(&ws->own, 0, sizeof ws->own);
	memset(&ws->within, 0, sizeof ws->within);
	memset(ws->pages, 0, sizeof ws->pages);
	memset(ws->chain, 0, sizeof ws->chain);
	ws->follows = 0;
	ws->free = 0;
	ws->used = 0;
	if (ws->stack)
		ws->stack->open = 0;
	watches_init(ws, line_shift);
}

/* Adds a mark to the slots [slot, slot + n) of a word. Returns the bits of those that had none. */
static uint64_t add_marks(uint16_t *marks, uint32_t slot, uint32_t n)
{
	uint64_t first = 0;

	for (uint32_t i = 0; i < n; i++)
		first |= (uint64_t)(marks[slot + i]++ == 0) << i;
	return first << (slot & 63);
}

/* Removes a mark from each. Returns the bits of those that have none now. */
static uint64_t take_marks(uint16_t *marks, uint32_t slot, uint32_t n)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < n; i++)
		last |= (uint64_t)(--marks[slot + i] == 0) << i;
	return last << (slot & 63);
}

/* The number of lines from `line` up to `last` whose slots are in the same word of bits. */
static uint32_t lines_of_word(uint64_t line, uint64_t last)
{
	uint64_t left = last + 1 - line, room = 64 - (watch_slot(line) & 63);

	return (uint32_t)(left < room ? left : room);
}

static void mark_lines(struct watch_set *ws, struct watch_marks *m, uint64_t first, uint64_t last)
{
	uint32_t n;

	for (uint64_t line = first; line != last + 1; line += n) {
		uint32_t slot = watch_slot(line);

		n = lines_of_word(line, last);
		ws->pages[watch_page(line)]++;
		m->bits[slot / 64] |= add_marks(m->count, slot, n);
		watches_set_bits(ws, slot / 64);
	}
}

static void unmark_lines(struct watch_set *ws, struct watch_marks *m, uint64_t first, uint64_t last)
{
	uint32_t n;

	for (uint64_t line = first; line != last + 1; line += n) {
		uint32_t slot = watch_slot(line);

		n = lines_of_word(line, last);
		ws->pages[watch_page(line)]--;
		m->bits[slot / 64] &= ~take_marks(m->count, slot, n);
		watches_set_bits(ws, slot / 64);
	}
}

void watches_mark(struct watch_set *ws, uint64_t first, uint64_t last)
{
	mark_lines(ws, &ws->within, first - ws->reach, first - 1);
	mark_lines(ws, &ws->own, first, last);
}

void watches_unmark(struct watch_set *ws, uint64_t first, uint64_t last)
{
	ws->changes++;
	unmark_lines(ws, &ws->within, first - ws->reach, first - 1);
	unmark_lines(ws, &ws->own, first, last);
}

struct watch *watch_add(struct watch_set *ws, uint64_t line)
{
	uint32_t c = watch_slot(line) % WATCH_CHAINS;
	struct watch *w;

	if (ws->free) {
		w = &ws->watch[ws->free - 1];
		ws->free = w->next;
	} else if (ws->used < MAX_WATCHES) {
		w = &ws->watch[ws->used++];
	} else {
		return 0;
	}
	w->line = line;
	w->followed = false;
	w->kept = true;
	w->partner = 0;
	w->next = ws->chain[c];
	ws->chain[c] = (uint16_t)(w - ws->watch + 1);
	ws->additions++;
	watches_mark(ws, line, line);
	return w;
}

struct watch *watch_take(struct watch_set *ws, uint64_t line)
{
	uint16_t *link = &ws->chain[watch_slot(line) % WATCH_CHAINS];

	for (; *link; link = &ws->watch[*link - 1].next) {
		struct watch *w = &ws->watch[*link - 1];

		if (w->line != line)
			continue;
		*link = w->next;
		w->next = ws->free;
		ws->free = (uint16_t)(w - ws->watch + 1);
		watches_unmark(ws, line, line);
		ws->follows -= w->followed;
		return w;
	}
	return 0;
}

void watches_pair(struct watch_set *ws, struct watch *a, struct watch *b)
{
	a->partner = (uint16_t)(b - ws->watch + 1);
	b->partner = (uint16_t)(a - ws->watch + 1);
}

bool watch_leaves_partner(struct watch_set *ws, const struct watch *w)
{
	if (!w->partner)
		return false;
	ws->watch[w->partner - 1].partner = 0;
	return true;
}
