/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses to several hierarchies; see multi.h. multi_make.c builds them. */
#include "sim/system/multi.h"

#include <stddef.h>

/* ---- First levels ---- */

/*
 * The sets of these first levels are the front's, or parts of them. `line` has entered the full
 * front, and `victim` left it. Returns how many lines of its set were used since `line` was.
 */
static inline unsigned tail_place(const struct sim_multi *s, struct sim_tails *t, uint64_t line,
				  uint64_t victim)
{
	uint64_t set = line & t->set_mask, left = victim & t->set_mask;
	uint64_t *row = t->rows + set * t->room;
	unsigned before = t->in_front[set], place;

	if (set == left) {
		place = sim_row_exchange(row, t->room, line + 1, victim + 1, s->is_wide);
	} else {
		place = sim_row_remove(row, t->room, line + 1, s->is_wide);
		sim_row_exchange(t->rows + left * t->room, t->room, SIM_ROW_FREE, victim + 1,
				 s->is_wide);
		t->in_front[set]++;
		t->in_front[left]--;
	}
	return before + place;
}

/*
 * The front had a free place: no line of its set has left it yet, so this line is new everywhere.
 */
static uint32_t first_use(struct sim_firsts *f, uint64_t line)
{
	for (uint32_t i = 0; i < f->tail_count; i++)
		f->tails[i].in_front[line & f->tails[i].set_mask]++;
	return f->all;
}

uint32_t sim_multi_missed(struct sim_multi *s, unsigned kind, uint64_t line, uint64_t victim)
{
	struct sim_firsts *f = &s->firsts[kind];
	uint32_t missed = f->always;

	if (__builtin_expect(victim == SIM_NO_LINE, 0))
		return first_use(f, line);
	for (uint32_t i = 0; i < f->tail_count; i++)
		missed |= f->tails[i].missed[tail_place(s, &f->tails[i], line, victim)];
	return missed;
}

/* ---- Below ---- */

/* The place of a line in its row, before this use; for other caches 0 for a hit. */
static unsigned use(const struct sim_multi *s, const struct sim_below *b, uint64_t line)
{
	line >>= b->shift;
	if (b->short_rows != NULL)
		return sim_row_touch_32(b->short_rows + (line & b->set_mask) * SIM_ROW,
					(uint32_t)(line >> b->set_bits) + 1, s->is_wide);
	if (b->rows != NULL)
		return sim_row_exchange(b->rows + (line & b->set_mask) * SIM_ROW, SIM_ROW, line + 1,
					line + 1, s->is_wide);
	line &= SIM_ENTRY_LINES;
	if (sim_cache_use(b->cache, line, 0) != SIM_NO_LINE)
		return 0;
	sim_cache_insert(b->cache, line, 0);
	return SIM_ROW;
}

struct below_walk {
	struct sim_multi *s;
	uint64_t first, last;
	unsigned column;
};

/* Simulate a miss for caches from number i on. Returns events. */
static uint64_t go_below(const struct below_walk *w, uint32_t i)
{
	uint64_t events = 0;

	while (i != 0) {
		const struct sim_below *b = &w->s->below[i];
		unsigned place = use(w->s, b, w->first);

		if (w->last >> b->shift != w->first >> b->shift) {
			unsigned second = use(w->s, b, w->last);

			place = place > second ? place : second;
		}
		for (uint32_t k = 0; k < b->member_count; k++) {
			const struct sim_member *m = &b->members[k];

			if (place < m->ways)
				continue;
			events |= m->events[w->column];
			if (m->child != 0)
				events |= go_below(w, m->child);
		}
		i = b->next;
	}
	return events;
}

static inline unsigned use_last(const struct sim_multi *s, const struct sim_last *l, uint64_t line)
{
	return sim_row_touch_32(l->rows + (line & l->set_mask) * SIM_ROW,
				(uint32_t)(line >> l->set_bits) + 1, s->is_wide);
}

/* The same if each stream has only short rows. */
static inline __attribute__((always_inline)) uint64_t go_to_last(const struct sim_multi *s,
								 uint32_t streams, unsigned column,
								 uint64_t first, uint64_t last)
{
	uint64_t events = 0;

	for (; streams != 0; streams &= streams - 1) {
		const struct sim_last *l = s->streams[__builtin_ctz(streams)].last;

		for (; l->rows != NULL; l++) {
			unsigned place = use_last(s, l, first), second;

			if (last != first) {
				second = use_last(s, l, last);
				place = place > second ? place : second;
			}
			events |= place >= l->ways ? l->events[column] : 0;
		}
	}
	return events;
}

static const unsigned columns[] = {
	[SIM_LOAD] = 1, [SIM_STORE] = 2, [SIM_MODIFY] = 1, [SIM_FETCH] = 0};

uint64_t sim_multi_below(struct sim_multi *s, enum sim_access kind, uint32_t missed, uint64_t first,
			 uint64_t last)
{
	const struct sim_firsts *f = &s->firsts[kind == SIM_FETCH ? SIM_OF_CODE : SIM_OF_DATA];
	const struct below_walk w = {s, first, last, columns[kind]};
	uint64_t events = f->events[w.column][missed];
	uint32_t streams = f->streams[missed];

	if (s->is_flat && first == last)
		return events | go_to_last(s, streams, w.column, first, first);
	if (s->is_flat)
		return events | go_to_last(s, streams, w.column, first, last);
	for (; streams != 0; streams &= streams - 1)
		events |= go_below(&w, s->streams[__builtin_ctz(streams)].below);
	return events;
}

void sim_multi_prefetch(const struct sim_multi *s, unsigned kind, uint32_t missed, uint64_t line)
{
	uint32_t streams = s->firsts[kind].streams[missed];

	for (; streams != 0; streams &= streams - 1) {
		const struct sim_last *l = s->streams[__builtin_ctz(streams)].last;

		for (; l->rows != NULL; l++)
			__builtin_prefetch(l->rows + (line & l->set_mask) * SIM_ROW, 1);
	}
}

/* ---- Accesses ---- */

/* Touch a line. Returns the first levels in which it missed. */
static uint32_t touch(struct sim_multi *s, unsigned kind, uint64_t line)
{
	struct sim_cache *front = &s->firsts[kind].front;
	uint64_t set = line & front->set_mask, *row = sim_packed_set(front, set), victim;
	int way = sim_packed_find(front, row, line);

	front->noop_loads[set] = line;
	if (way >= 0) {
		sim_packed_use(row, (unsigned)way);
		return 0;
	}
	victim = sim_packed_replace(front, row, sim_entry_of(line, 0));
	if (victim != SIM_NO_LINE)
		victim = sim_entry_line(victim);
	return sim_multi_missed(s, kind, line, victim);
}

static uint64_t give(struct sim_multi *s, uint64_t address, uint32_t bytes, enum sim_access access)
{
	unsigned kind = access == SIM_FETCH ? SIM_OF_CODE : SIM_OF_DATA;
	uint64_t first = address >> s->shift, last;
	uint32_t missed = touch(s, kind, first);

	last = (address + (bytes < s->most_bytes ? bytes : s->most_bytes) - 1) >> s->shift;
	if (last != first)
		missed |= touch(s, kind, last);
	return missed != 0 ? sim_multi_below(s, access, missed, first, last) : 0;
}

uint64_t sim_multi_data(struct sim_multi *s, uint64_t address, uint32_t bytes, enum sim_access kind)
{
	return give(s, address, bytes, kind);
}

uint64_t sim_multi_fetch(struct sim_multi *s, uint64_t pc, uint32_t bytes)
{
	if (s->firsts[SIM_OF_CODE].count == 0)
		return 0;
	return give(s, pc, bytes, SIM_FETCH);
}
