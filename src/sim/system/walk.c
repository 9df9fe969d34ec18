/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The path of an access through any core and the levels below it; the rules are in hierarchy.h.
 *
 * Levels are visited in groups: a level, and the exclusive levels directly below it, which are
 * searched line by line if the level misses. If a group does not have all lines, the next group is
 * visited.
 */
#include "sim/system/walk.h"

#include <stddef.h>

#include "sim/system/below.h"

#define PAGE_SHIFT 12 /* prefetchers stay within a page */

struct walk {
	struct sim_core *core;
	const struct sim_geometry *geometry;
	const uint8_t *event_index; /* by enum sim_event_id */
	uint64_t *events;
	bool any_event;			/* some event was counted */
	uint64_t first, last;		/* bytes */
	unsigned column;		/* counted as 0 fetch, 1 load, 2 store */
	bool is_code;			/* begins in the L1 instruction cache */
	bool has_store;			/* bytes to store reach the level */
	bool may_allocate;		/* where stores do not: a modify is a load, too */
	unsigned prefetched;		/* slot that a prefetcher fills; SIM_SLOTS: a real access */
	uint32_t asked;			/* slots that were accessed, as bits */
	uint64_t wants_next[SIM_SLOTS]; /* the line that triggers a next-line prefetcher */
};

static void count(struct walk *w, unsigned id)
{
	unsigned event = w->event_index[id];

	if (event == SIM_NO_EVENT)
		return;
	w->events[event]++;
	w->any_event = true;
}

static unsigned slot_of(const struct walk *w, unsigned level)
{
	return level == 0 && w->is_code ? SIM_CODE_SLOT : level;
}

static bool is_exclusive(const struct walk *w, unsigned level)
{
	return level < w->geometry->level_count &&
	       w->geometry->levels[level].inclusion == SIM_EXCLUSIVE;
}

/* The level below a slot. */
static unsigned below(unsigned slot)
{
	return slot == SIM_CODE_SLOT ? 1 : slot + 1;
}

/* ---- What callers watch ---- */

static void tell_left(const struct walk *w, unsigned slot, uint64_t line)
{
	const struct sim_watch *watch = w->core->watch;

	if (watch != NULL)
		watch->left(watch->context, slot, line);
}

/* An access misses the line in the levels from `level` to end - 1. */
static void tell_missed(const struct walk *w, unsigned level, unsigned end, uint64_t line)
{
	const struct sim_watch *watch = w->core->watch;

	if (watch == NULL || w->prefetched != SIM_SLOTS)
		return;
	for (; level < end; level++)
		watch->missed(watch->context, slot_of(w, level), line);
}

/* ---- Line use ---- */

/* Before a record of the line begins or ends. */
static void settle_uses(const struct sim_shared *s, uint64_t line)
{
	for (struct sim_core *c = s->cores; c != NULL; c = c->next)
		sim_recent_settle(c, line);
}

static void end_use(const struct sim_shared *s, struct sim_level *l, unsigned slot, uint64_t line)
{
	struct sim_line_record r;

	if (l->use.memory == NULL)
		return;
	settle_uses(s, line);
	r = sim_line_use_end(&l->use, line);
	sim_shared_charge(s, l, slot, &r);
}

/* A use of a line in the first level counts in the last level, too. */
static void touch_uses(struct walk *w, unsigned slot)
{
	struct sim_line_use *u = &w->core->levels[slot]->use;

	if (u->memory == NULL)
		return;
	for (uint64_t line = w->first >> u->shift; line <= w->last >> u->shift; line++)
		sim_line_use_touch(u, line, w->first, w->last);
}

/* ---- Evictions ---- */

/* A dirty line leaves a cache. The instruction cache may have got it from an exclusive level. */
static void count_dirty(struct walk *w, unsigned slot)
{
	if (slot != SIM_CODE_SLOT)
		count(w, SIM_WRITE_BACKS + slot);
}

static void give_up(struct walk *w, unsigned slot, uint64_t entry);

/* Remove the bytes from a level of any core. Returns whether any were dirty. */
static bool take_out(struct walk *w, struct sim_core *core, unsigned slot, uint64_t first,
		     uint64_t last)
{
	struct sim_level *l = core->levels[slot];
	unsigned shift = l->cache.shift;
	bool is_dirty = false;

	for (uint64_t line = first >> shift; line <= last >> shift; line++) {
		uint64_t entry = sim_cache_remove(&l->cache, line);

		if (entry == SIM_NO_LINE)
			continue;
		tell_left(w, slot, line);
		end_use(core->shared, l, slot, line);
		if (!sim_entry_has(entry, SIM_DIRTY))
			continue;
		count_dirty(w, slot);
		is_dirty = true;
	}
	return is_dirty;
}

/* From all levels of a core above the given one. */
static bool take_out_of(struct walk *w, struct sim_core *core, unsigned level, uint64_t first,
			uint64_t last)
{
	bool is_dirty = false;

	if (core->levels[SIM_CODE_SLOT]->cache.memory != NULL)
		is_dirty = take_out(w, core, SIM_CODE_SLOT, first, last);
	for (unsigned above = 0; above < level; above++)
		is_dirty |= take_out(w, core, above, first, last);
	return is_dirty;
}

/* A shared level lies below all cores. */
static bool take_out_above(struct walk *w, unsigned level, uint64_t first, uint64_t last)
{
	const struct sim_shared *s = w->core->shared;
	bool is_dirty = false;

	if (level < s->private_levels)
		return take_out_of(w, w->core, level, first, last);
	for (struct sim_core *core = s->cores; core != NULL; core = core->next)
		is_dirty |= take_out_of(w, core, level, first, last);
	return is_dirty;
}

/* Write bytes back to the first level that has them all. */
static void write_back(struct walk *w, unsigned level, uint64_t first, uint64_t last)
{
	for (; level < w->geometry->level_count; level++) {
		struct sim_cache *c = &w->core->levels[level]->cache;
		bool keeps = !w->geometry->levels[level].is_write_through;
		bool has_all = true;

		for (uint64_t line = first >> c->shift; line <= last >> c->shift; line++)
			if (sim_cache_mark(c, line, keeps ? SIM_DIRTY : 0) == SIM_NO_LINE)
				has_all = false;
		if (has_all && keeps)
			return;
		count(w, SIM_WRITE_BACKS + level);
	}
}

/* An exclusive level receives a line from above. */
static void receive(struct walk *w, unsigned level, uint64_t line, unsigned flags)
{
	struct sim_cache *c = &w->core->levels[level]->cache;
	uint64_t victim;

	/* It may already have the line: both the instruction and the data cache may have had it. */
	if (sim_cache_use(c, line, flags) != SIM_NO_LINE)
		return;
	victim = sim_cache_insert(c, line, flags);
	if (victim != SIM_NO_LINE)
		give_up(w, level, victim);
}

/* A line was evicted to make room for another one. */
static void give_up(struct walk *w, unsigned slot, uint64_t entry)
{
	struct sim_level *l = w->core->levels[slot];
	unsigned shift = l->cache.shift;
	uint64_t line = sim_entry_line(entry), first = line << shift;
	uint64_t last = first + ((uint64_t)1 << shift) - 1;
	bool is_dirty = sim_entry_has(entry, SIM_DIRTY);

	tell_left(w, slot, line);
	end_use(w->core->shared, l, slot, line);
	if (l->geometry.inclusion == SIM_INCLUSIVE)
		is_dirty |= take_out_above(w, slot, first, last);
	if (is_dirty)
		count_dirty(w, slot);
	if (is_exclusive(w, below(slot)))
		receive(w, below(slot), line, is_dirty ? SIM_DIRTY : 0);
	else if (is_dirty)
		write_back(w, below(slot), first, last);
}

/* ---- Fills ---- */

static bool makes_dirty(const struct walk *w, unsigned slot)
{
	return w->has_store && w->geometry->write_backs &&
	       !w->core->levels[slot]->geometry.is_write_through;
}

/*
 * Remove the line from the first level, after `level` and before `end`, that has it. Returns that
 * level, or end.
 */
static unsigned search_exclusive(struct walk *w, unsigned level, unsigned end, uint64_t line,
				 unsigned *flags)
{
	for (level++; level < end; level++) {
		uint64_t entry = sim_cache_remove(&w->core->levels[level]->cache, line);

		if (entry == SIM_NO_LINE)
			continue;
		*flags |= sim_entry_has(entry, SIM_DIRTY) ? SIM_DIRTY : 0;
		return level;
	}
	return end;
}

/* Returns the level from `level` to end - 1 that has the line; or end. */
static unsigned visit_line(struct walk *w, unsigned level, unsigned end, uint64_t line)
{
	unsigned slot = slot_of(w, level), found;
	struct sim_level *l = w->core->levels[slot];
	unsigned flags = makes_dirty(w, slot) ? SIM_DIRTY : 0;
	uint64_t entry = sim_cache_use(&l->cache, line, flags), victim;

	if (entry != SIM_NO_LINE) {
		if (sim_entry_has(entry, SIM_PREFETCHED)) {
			count(w, SIM_PREFETCHES + 2 * slot + 1);
			w->wants_next[slot] = line;
		}
		return level;
	}
	w->wants_next[slot] = line;
	if (!w->may_allocate && l->geometry.no_write_allocate) {
		tell_missed(w, level, end, line);
		return end;
	}
	found = search_exclusive(w, level, end, line, &flags);
	tell_missed(w, level, found, line);
	if (w->prefetched == slot)
		flags |= SIM_PREFETCHED;
	victim = sim_cache_insert(&l->cache, line, flags);
	if (l->use.memory != NULL) {
		settle_uses(w->core->shared, line);
		sim_line_use_begin(&l->use, line, w->core->tag);
	}
	if (victim != SIM_NO_LINE)
		give_up(w, slot, victim);
	return found;
}

/* Visit a group. Returns the next level to visit; the number of levels if there is none. */
static unsigned visit(struct walk *w, unsigned level)
{
	unsigned slot = slot_of(w, level), end = level + 1, deepest = level;
	const struct sim_cache_geometry *g = &w->core->levels[slot]->geometry;
	unsigned shift = w->core->levels[slot]->cache.shift;
	bool allocates;

	while (is_exclusive(w, end))
		end++;
	for (uint64_t line = w->first >> shift; line <= w->last >> shift; line++) {
		unsigned found = visit_line(w, level, end, line);

		deepest = found > deepest ? found : deepest;
	}
	w->asked |= (uint32_t)1 << slot;
	for (unsigned missed = level; missed < deepest && w->prefetched == SIM_SLOTS; missed++)
		count(w, SIM_MISSES + 3 * missed + w->column);
	allocates = w->may_allocate || !g->no_write_allocate;
	w->has_store &= g->is_write_through || (deepest > level && !allocates);
	w->may_allocate |= deepest > level && allocates;
	return deepest == end || w->has_store ? end : w->geometry->level_count;
}

/* The core's own levels, then the shared ones. */
static void visit_all(struct walk *w, unsigned level)
{
	while (level < w->geometry->level_count)
		level = visit(w, level);
}

/* ---- TLBs ---- */

static bool visit_pages(struct walk *w, struct sim_cache *tlb)
{
	bool missed = false;

	for (uint64_t page = w->first >> tlb->shift; page <= w->last >> tlb->shift; page++) {
		if (sim_cache_use(tlb, page, 0) != SIM_NO_LINE)
			continue;
		sim_cache_insert(tlb, page, 0);
		missed = true;
	}
	return missed;
}

static void visit_tlbs(struct walk *w)
{
	struct sim_core *c = w->core;
	bool is_fetch = w->column == 0;
	struct sim_cache *tlb =
		is_fetch && !w->geometry->is_tlb_unified ? &c->code_tlb : &c->data_tlb;

	if (tlb->memory == NULL || !visit_pages(w, tlb))
		return;
	count(w, SIM_TLB_MISSES + w->column);
	if (c->second_tlb.memory != NULL && visit_pages(w, &c->second_tlb))
		count(w, SIM_TLB_MISSES + 3 + w->column);
}

/* ---- Prefetchers ---- */

/* Fill the line at `address` into a cache, unless it is there, or in another page. */
static void prefetch(struct walk *w, unsigned slot, uint64_t address, uint64_t cause)
{
	struct sim_cache *c = &w->core->levels[slot]->cache;
	uint64_t line = address >> c->shift;
	struct walk p = {.core = w->core,
			 .geometry = w->geometry,
			 .event_index = w->event_index,
			 .events = w->events,
			 .first = line << c->shift,
			 .last = (line << c->shift) + ((uint64_t)1 << c->shift) - 1,
			 .column = w->column,
			 .is_code = slot == SIM_CODE_SLOT,
			 .may_allocate = true,
			 .prefetched = slot};

	if (address >> PAGE_SHIFT != cause >> PAGE_SHIFT || sim_cache_holds(c, line))
		return;
	count(&p, SIM_PREFETCHES + 2 * slot);
	visit_all(&p, slot == SIM_CODE_SLOT ? 0 : slot);
	w->any_event |= p.any_event;
}

static void run_prefetcher(struct walk *w, unsigned slot)
{
	struct sim_level *l = w->core->levels[slot];
	unsigned shift = l->cache.shift;
	uint64_t address = w->wants_next[slot] << shift;

	switch (l->geometry.prefetcher) {
	case SIM_PREFETCH_NEXT_LINE:
		if (w->wants_next[slot] != SIM_NO_LINE)
			prefetch(w, slot, address + ((uint64_t)1 << shift), address);
		break;
	case SIM_PREFETCH_STRIDE:
		if (w->column == 0) /* fetches have no strides */
			break;
		address = sim_strides_learn(&l->strides, w->core->stride_tag, w->first, shift);
		if (address >> shift != w->first >> shift)
			prefetch(w, slot, address, w->first);
		break;
	default:
		break;
	}
}

/* ---- */

#define ADDRESSES (((uint64_t)1 << SIM_ENTRY_ADDRESS_BITS) - 1) /* that entries tell apart */

static struct walk begin(struct sim_core *c, uint64_t first, uint64_t last, enum sim_access kind,
			 uint64_t events[])
{
	const struct sim_geometry *g = &c->shared->geometry;

	return (struct walk){.core = c,
			     .geometry = g,
			     .event_index = c->shared->list.index,
			     .events = events,
			     .first = first & ADDRESSES,
			     .last = last & ADDRESSES,
			     .column = kind == SIM_FETCH   ? 0
				       : kind == SIM_STORE ? 2
							   : 1,
			     .is_code = kind == SIM_FETCH && !g->is_unified,
			     .has_store = kind == SIM_STORE || kind == SIM_MODIFY,
			     .may_allocate = kind != SIM_STORE,
			     .prefetched = SIM_SLOTS};
}

static void visit_lines(struct walk *w)
{
	struct sim_core *c = w->core;

	for (unsigned slot = 0; slot < SIM_SLOTS; slot++)
		w->wants_next[slot] = SIM_NO_LINE;
	if (w->is_code && c->levels[SIM_CODE_SLOT]->cache.memory == NULL)
		return; /* only the TLB was accessed */
	visit_all(w, 0);
	touch_uses(w, slot_of(w, 0));
	if (w->geometry->level_count > 1)
		touch_uses(w, w->geometry->level_count - 1);
	for (uint32_t left = w->asked; left != 0; left &= left - 1)
		run_prefetcher(w, (unsigned)__builtin_ctz(left));
}

bool sim_walk(struct sim_core *c, uint64_t first, uint64_t last, enum sim_access kind,
	      uint64_t events[])
{
	struct walk w = begin(c, first, last, kind, events);

	if (c->has_tlb)
		visit_tlbs(&w);
	visit_lines(&w);
	return w.any_event;
}

bool sim_walk_pages(struct sim_core *c, uint64_t first, uint64_t last, enum sim_access kind,
		    uint64_t events[])
{
	struct walk w = begin(c, first, last, kind, events);

	visit_tlbs(&w);
	return w.any_event;
}

bool sim_walk_lines(struct sim_core *c, uint64_t first, uint64_t last, enum sim_access kind,
		    uint64_t events[])
{
	struct walk w = begin(c, first, last, kind, events);

	visit_lines(&w);
	return w.any_event;
}
