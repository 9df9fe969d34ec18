/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decides which caches several hierarchies share, and allocates them; see multi.h. */
#include "sim/system/multi.h"

#include <stddef.h>

/* ---- The check ---- */

static uint64_t lines_of(const struct sim_cache_geometry *c)
{
	return c->size_bytes / c->line_bytes;
}

static uint32_t ways_of(const struct sim_cache_geometry *c)
{
	return c->ways > 0 ? c->ways : (uint32_t)lines_of(c);
}

static uint64_t sets_of(const struct sim_cache_geometry *c)
{
	return lines_of(c) / ways_of(c);
}

/* Tell whether its sets can be kept in rows. */
static bool has_rows(const struct sim_cache_geometry *c)
{
	return c->replacement == SIM_REPLACE_LRU && ways_of(c) <= SIM_ROW &&
	       (sets_of(c) & (sets_of(c) - 1)) == 0;
}

static bool fits_first(const struct sim_cache_geometry *c, uint32_t line_bytes)
{
	return sim_cache_is_plain(c) && has_rows(c) && c->line_bytes == line_bytes;
}

static bool fits(const struct sim_geometry *g, uint32_t line_bytes)
{
	if (g->is_unified || g->line_use || g->write_backs || g->code_tlb.entries > 0 ||
	    g->data_tlb.entries > 0 || !fits_first(&g->levels[0], line_bytes) ||
	    (g->code.size_bytes > 0 && !fits_first(&g->code, line_bytes)))
		return false;
	for (uint32_t level = 1; level < g->level_count; level++)
		if (!sim_cache_is_plain(&g->levels[level]) ||
		    g->levels[level].line_bytes < line_bytes)
			return false;
	return true;
}

bool sim_multi_fits(const struct sim_geometry *const g[], uint32_t count)
{
	if (count > SIM_MULTI)
		return false;
	for (uint32_t k = 0; k < count; k++)
		if (!fits(g[k], g[0]->levels[0].line_bytes))
			return false;
	return true;
}

/* ---- First levels ---- */

/* The number of a first level; equal shapes share one. -1: there is none. */
static int add_first(struct sim_firsts *f, const struct sim_cache_geometry *c)
{
	uint32_t i = 0;

	if (c->size_bytes == 0)
		return -1;
	while (i < f->count && (f->shape[i].sets != sets_of(c) || f->shape[i].ways != ways_of(c)))
		i++;
	if (i == f->count) {
		f->shape[i].sets = sets_of(c);
		f->shape[i].ways = ways_of(c);
		f->count++;
	}
	return (int)i;
}

static int make_front(struct sim_multi *s, struct sim_firsts *f)
{
	struct sim_cache_geometry g = {.line_bytes = 1u << s->shift, .is_packed = true};
	uint64_t sets = f->shape[0].sets;

	g.ways = f->shape[0].ways;
	for (uint32_t i = 1; i < f->count; i++) {
		sets = f->shape[i].sets < sets ? f->shape[i].sets : sets;
		g.ways = f->shape[i].ways < g.ways ? f->shape[i].ways : g.ways;
	}
	g.size_bytes = sets * g.ways * g.line_bytes;
	if (sim_cache_init(&f->front, &g, s->memory) != 0 ||
	    sim_cache_watch(&f->front, SIM_STORES_AS_LOADS) != 0)
		return -1;
	f->noop = (struct sim_noop){{f->front.noop_loads, f->front.noop_loads, f->front.noop_loads,
				     f->front.noop_loads},
				    f->front.set_mask,
				    f->front.shift};
	return 0;
}

/* Make the rows of first levels with as many sets as number i, which is the first of these. */
static int make_tails(struct sim_multi *s, struct sim_firsts *f, uint32_t i)
{
	struct sim_tails *t = &f->tails[f->tail_count++];
	const uint64_t sets = f->shape[i].sets;
	uint32_t most = 0;

	t->set_mask = sets - 1;
	for (uint32_t k = i; k < f->count; k++) {
		if (f->shape[k].sets != sets)
			continue;
		most = f->shape[k].ways > most ? f->shape[k].ways : most;
		for (uint32_t place = f->shape[k].ways; place < SIM_MULTI_PLACES; place++)
			t->missed[place] |= (uint8_t)(1u << k);
	}
	/* With as many sets as the front, its lines always take the first places. */
	if (sets == f->front.sets)
		most -= f->front.ways;
	t->room = most > 8 ? 16 : 8;
	t->rows = sim_take(s->memory, sets * t->room * sizeof(*t->rows));
	t->in_front = sim_take(s->memory, sets);
	return t->rows != NULL && t->in_front != NULL ? 0 : -1;
}

/*
 * Tell whether it is the first one with this number of sets, and these first levels need rows
 * besides the front.
 */
static bool wants_tails(const struct sim_firsts *f, uint32_t i)
{
	bool more = f->shape[i].sets != f->front.sets;

	for (uint32_t k = 0; k < f->count; k++) {
		if (f->shape[k].sets != f->shape[i].sets)
			continue;
		if (k < i)
			return false;
		more |= f->shape[k].ways > f->front.ways;
	}
	return more;
}

/* Without fetches, this table makes all accesses to the lower half of the address space no-op. */
static const uint64_t all_noop[1] = {0};

static int make_firsts(struct sim_multi *s, struct sim_firsts *f)
{
	if (f->count == 0) {
		f->noop = (struct sim_noop){{all_noop, all_noop, all_noop, all_noop}, 0, 63};
		return 0;
	}
	if (make_front(s, f) != 0)
		return -1;
	f->all = (uint8_t)((1u << f->count) - 1);
	for (uint32_t i = 0; i < f->count; i++) {
		if (f->shape[i].sets == f->front.sets && f->shape[i].ways == f->front.ways)
			f->always |= (uint8_t)(1u << i);
		if (wants_tails(f, i) && make_tails(s, f, i) != 0)
			return -1;
	}
	return 0;
}

/* ---- Below ---- */

/* The number of the pair of a hierarchy's first levels. */
static uint32_t add_stream(struct sim_multi *s, const struct sim_geometry *g)
{
	int data = add_first(&s->firsts[SIM_OF_DATA], &g->levels[0]);
	int code = add_first(&s->firsts[SIM_OF_CODE], &g->code);
	uint32_t i = 0;

	while (i < s->stream_count &&
	       (s->streams[i].of[SIM_OF_DATA] != data || s->streams[i].of[SIM_OF_CODE] != code))
		i++;
	if (i == s->stream_count) {
		s->streams[i].of[SIM_OF_DATA] = data;
		s->streams[i].of[SIM_OF_CODE] = code;
		s->stream_count++;
	}
	return i;
}

static bool is_same(const struct sim_cache_geometry *a, const struct sim_cache_geometry *b)
{
	return a->line_bytes == b->line_bytes && sets_of(a) == sets_of(b) &&
	       ways_of(a) == ways_of(b) && a->replacement == b->replacement && a->seed == b->seed;
}

/* Tell whether two caches share rows, or a cache. */
static bool share(const struct sim_cache_geometry *a, const struct sim_cache_geometry *b)
{
	if (has_rows(a) && has_rows(b))
		return a->line_bytes == b->line_bytes && sets_of(a) == sets_of(b);
	return is_same(a, b);
}

static int make_below(struct sim_multi *s, struct sim_below *b, const struct sim_cache_geometry *c)
{
	const uint64_t sets = sets_of(c);
	const unsigned line_bits = (unsigned)__builtin_ctz(c->line_bytes);
	void *rows;

	*b = (struct sim_below){.set_mask = sets - 1, .shift = line_bits - s->shift, .geometry = c};
	if (!has_rows(c)) {
		b->cache = &s->others[b - s->below];
		return sim_cache_init(b->cache, c, s->memory);
	}
	b->set_bits = (unsigned)__builtin_ctzll(sets);
	/* Do 32 bits suffice for the rest of a line's number, plus 1? */
	if (SIM_ADDRESS_BITS < line_bits + b->set_bits + 32) {
		rows = sim_take(s->memory, sets * SIM_ROW * sizeof(*b->short_rows));
		b->short_rows = rows;
	} else {
		rows = sim_take(s->memory, sets * SIM_ROW * sizeof(*b->rows));
		b->rows = rows;
	}
	return rows != NULL ? 0 : -1;
}

/* The number of the cache in the list that begins at *at, added if new. 0 when memory ran out. */
static uint32_t add_below(struct sim_multi *s, uint32_t *at, const struct sim_cache_geometry *c)
{
	while (*at != 0 && !share(s->below[*at].geometry, c))
		at = &s->below[*at].next;
	if (*at != 0)
		return *at;
	if (make_below(s, &s->below[s->below_count], c) != 0)
		return 0;
	*at = s->below_count++;
	return *at;
}

static struct sim_member *add_member(struct sim_below *b, uint32_t ways)
{
	uint32_t i = 0;

	while (i < b->member_count && b->members[i].ways != ways)
		i++;
	if (i == b->member_count) {
		b->members[i].ways = ways;
		b->member_count++;
	}
	return &b->members[i];
}

/* A cache without rows returns place 0 for a hit, or the last possible place. */
static uint32_t ways_in_rows(const struct sim_cache_geometry *c)
{
	return has_rows(c) ? ways_of(c) : 1;
}

static uint64_t miss_bit(const struct sim_multi *s, const struct sim_events *list,
			 uint32_t first_event, uint32_t level, unsigned column)
{
	uint32_t event = list->index[SIM_MISSES + 3 * level + column];

	if (event == SIM_NO_EVENT)
		return 0;
	return (uint64_t)1 << (first_event + (event - SIM_MISSES) * s->stride);
}

static int add_levels(struct sim_multi *s, const struct sim_geometry *g, uint32_t *list,
		      uint32_t first_event)
{
	struct sim_events events;

	sim_events_of(g, &events);
	for (uint32_t level = 1; level < g->level_count; level++) {
		const struct sim_cache_geometry *c = &g->levels[level];
		uint32_t i = add_below(s, list, c);
		struct sim_member *m;

		if (i == 0)
			return -1;
		m = add_member(&s->below[i], ways_in_rows(c));
		for (unsigned column = 0; column < 3; column++)
			m->events[column] |= miss_bit(s, &events, first_event, level, column);
		list = &m->child;
	}
	return 0;
}

/* ---- All ---- */

/*
 * Add the events of a hierarchy, and the pair that sees them, to all sets of missing first levels
 * that include its own.
 */
static void add_outcomes(struct sim_multi *s, const struct sim_geometry *g, uint32_t stream,
			 uint32_t first_event)
{
	struct sim_events list;

	sim_events_of(g, &list);
	for (unsigned kind = 0; kind < SIM_KINDS; kind++) {
		struct sim_firsts *f = &s->firsts[kind];
		int own = s->streams[stream].of[kind];

		for (uint32_t missed = 0; own >= 0 && missed < 1u << SIM_MULTI; missed++) {
			if ((missed >> own & 1) == 0)
				continue;
			f->streams[missed] |= (uint8_t)(1u << stream);
			for (unsigned column = 0; column < 3; column++)
				f->events[column][missed] |=
					miss_bit(s, &list, first_event, 0, column);
		}
	}
}

static bool is_last(const struct sim_below *b)
{
	return b->short_rows != NULL && b->shift == 0 && b->member_count == 1 &&
	       b->members[0].child == 0;
}

static void list_last(struct sim_multi *s)
{
	struct sim_last *l = s->last;

	s->is_flat = true;
	for (uint32_t stream = 0; stream < s->stream_count; stream++) {
		s->streams[stream].last = l;
		for (uint32_t i = s->streams[stream].below; i != 0; i = s->below[i].next) {
			const struct sim_below *b = &s->below[i];

			s->is_flat &= is_last(b);
			if (!is_last(b))
				continue;
			*l = (struct sim_last){.rows = b->short_rows,
					       .set_mask = b->set_mask,
					       .set_bits = b->set_bits,
					       .ways = b->members[0].ways};
			for (unsigned column = 0; column < 3; column++)
				l->events[column] = b->members[0].events[column];
			l++;
		}
		l++;
	}
}

int sim_multi_init(struct sim_multi *s, const struct sim_geometry *const g[], uint32_t count,
		   const uint32_t first_event[], uint32_t stride, const struct sim_memory *memory)
{
	*s = (struct sim_multi){.memory = memory,
				.stride = stride,
				.shift = (unsigned)__builtin_ctz(g[0]->levels[0].line_bytes),
				.most_bytes = g[0]->levels[0].line_bytes,
				.below_count = 1};
	for (uint32_t k = 0; k < count; k++) {
		uint32_t stream = add_stream(s, g[k]);

		add_outcomes(s, g[k], stream, first_event[k]);
		if (add_levels(s, g[k], &s->streams[stream].below, first_event[k]) != 0)
			return -1;
	}
	for (unsigned kind = 0; kind < SIM_KINDS; kind++)
		if (make_firsts(s, &s->firsts[kind]) != 0)
			return -1;
	list_last(s);
	return 0;
}

static void release_firsts(struct sim_multi *s, struct sim_firsts *f)
{
	for (uint32_t i = 0; i < f->tail_count; i++) {
		struct sim_tails *t = &f->tails[i];

		sim_give(s->memory, t->rows, (t->set_mask + 1) * t->room * sizeof(*t->rows));
		sim_give(s->memory, t->in_front, t->set_mask + 1);
	}
	sim_cache_release(&f->front);
}

void sim_multi_release(struct sim_multi *s)
{
	for (unsigned kind = 0; kind < SIM_KINDS; kind++)
		release_firsts(s, &s->firsts[kind]);
	for (uint32_t i = 1; i < SIM_MULTI_BELOW; i++) {
		struct sim_below *b = &s->below[i];
		uint64_t entries = (b->set_mask + 1) * SIM_ROW;

		sim_give(s->memory, b->short_rows, entries * sizeof(*b->short_rows));
		sim_give(s->memory, b->rows, entries * sizeof(*b->rows));
		sim_cache_release(&s->others[i]);
	}
	*s = (struct sim_multi){0};
}
