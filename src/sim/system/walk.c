/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The path of an access through any hierarchy; the rules are in hierarchy.h.
 *
 * Levels are visited in groups: a level, and the exclusive levels directly below it, which are
 * searched line by line if the level misses. If a group does not have all lines, the next group is
 * visited.
 */
#include "sim/system/walk.h"

#include <stddef.h>

#define PAGE_SHIFT 12 /* prefetchers stay within a page */

struct walk {
	struct sim_hierarchy *h;
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
	unsigned event = w->h->list.index[id];

	if (event == SIM_NO_EVENT)
		return;
	w->events[event]++;
	w->any_event = true;
}

static unsigned slot_of(const struct walk *w, unsigned level)
{
	return level == 0 && w->is_code ? SIM_CODE_SLOT : level;
}

static bool is_exclusive(const struct sim_hierarchy *h, unsigned level)
{
	return level < h->geometry.level_count &&
	       h->geometry.levels[level].inclusion == SIM_EXCLUSIVE;
}

/* The level below a slot. */
static unsigned below(unsigned slot)
{
	return slot == SIM_CODE_SLOT ? 1 : slot + 1;
}

/* ---- Line use ---- */

void sim_walk_charge(struct sim_hierarchy *h, unsigned slot, const struct sim_line_record *r)
{
	unsigned id = SIM_LINE_USE + (slot == 0 || slot == SIM_CODE_SLOT ? 0 : 2);

	if (h->charge == NULL)
		return;
	h->charge(h->charge_context, r->tag, h->list.index[id], sim_line_access_cost(r));
	h->charge(h->charge_context, r->tag, h->list.index[id + 1],
		  sim_line_bytes_lost(&h->uses[slot], r));
}

static void end_use(struct sim_hierarchy *h, unsigned slot, uint64_t line)
{
	struct sim_line_record r;

	if (h->uses[slot].memory == NULL)
		return;
	r = sim_line_use_end(&h->uses[slot], line);
	sim_walk_charge(h, slot, &r);
}

/* A use of a line in the first level counts in the last level, too. */
static void touch_uses(struct walk *w, unsigned slot)
{
	struct sim_line_use *u = &w->h->uses[slot];

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

/* Remove the bytes from a cache above an inclusive level. Returns whether any were dirty. */
static bool take_out(struct walk *w, unsigned slot, uint64_t first, uint64_t last)
{
	struct sim_cache *c = &w->h->caches[slot];
	bool is_dirty = false;

	for (uint64_t line = first >> c->shift; line <= last >> c->shift; line++) {
		uint64_t entry = sim_cache_remove(c, line);

		if (entry == SIM_NO_LINE)
			continue;
		end_use(w->h, slot, line);
		if (!sim_entry_has(entry, SIM_DIRTY))
			continue;
		count_dirty(w, slot);
		is_dirty = true;
	}
	return is_dirty;
}

static bool take_out_above(struct walk *w, unsigned level, uint64_t first, uint64_t last)
{
	bool is_dirty = false;

	if (w->h->caches[SIM_CODE_SLOT].memory != NULL)
		is_dirty = take_out(w, SIM_CODE_SLOT, first, last);
	for (unsigned above = 0; above < level; above++)
		is_dirty |= take_out(w, above, first, last);
	return is_dirty;
}

/* Write bytes back to the first level that has them all. */
static void write_back(struct walk *w, unsigned level, uint64_t first, uint64_t last)
{
	for (; level < w->h->geometry.level_count; level++) {
		struct sim_cache *c = &w->h->caches[level];
		bool keeps = !w->h->geometry.levels[level].is_write_through;
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
	struct sim_cache *c = &w->h->caches[level];
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
	struct sim_hierarchy *h = w->h;
	unsigned shift = h->caches[slot].shift;
	uint64_t line = sim_entry_line(entry), first = line << shift;
	uint64_t last = first + ((uint64_t)1 << shift) - 1;
	bool is_dirty = sim_entry_has(entry, SIM_DIRTY);

	end_use(h, slot, line);
	if (sim_slot_geometry(h, slot)->inclusion == SIM_INCLUSIVE)
		is_dirty |= take_out_above(w, slot, first, last);
	if (is_dirty)
		count_dirty(w, slot);
	if (is_exclusive(h, below(slot)))
		receive(w, below(slot), line, is_dirty ? SIM_DIRTY : 0);
	else if (is_dirty)
		write_back(w, below(slot), first, last);
}

/* ---- Fills ---- */

static bool makes_dirty(const struct walk *w, unsigned slot)
{
	return w->has_store && w->h->geometry.write_backs &&
	       !sim_slot_geometry(w->h, slot)->is_write_through;
}

/*
 * Remove the line from the first level, after `level` and before `end`, that has it. Returns that
 * level, or end.
 */
static unsigned search_exclusive(struct walk *w, unsigned level, unsigned end, uint64_t line,
				 unsigned *flags)
{
	for (level++; level < end; level++) {
		uint64_t entry = sim_cache_remove(&w->h->caches[level], line);

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
	struct sim_cache *c = &w->h->caches[slot];
	unsigned flags = makes_dirty(w, slot) ? SIM_DIRTY : 0;
	uint64_t entry = sim_cache_use(c, line, flags), victim;

	if (entry != SIM_NO_LINE) {
		if (sim_entry_has(entry, SIM_PREFETCHED)) {
			count(w, SIM_PREFETCHES + 2 * slot + 1);
			w->wants_next[slot] = line;
		}
		return level;
	}
	w->wants_next[slot] = line;
	if (!w->may_allocate && sim_slot_geometry(w->h, slot)->no_write_allocate)
		return end;
	found = search_exclusive(w, level, end, line, &flags);
	if (w->prefetched == slot)
		flags |= SIM_PREFETCHED;
	victim = sim_cache_insert(c, line, flags);
	if (w->h->uses[slot].memory != NULL)
		sim_line_use_begin(&w->h->uses[slot], line, w->h->tag);
	if (victim != SIM_NO_LINE)
		give_up(w, slot, victim);
	return found;
}

/* Visit a group. Returns the next level to visit; the number of levels if there is none. */
static unsigned visit(struct walk *w, unsigned level)
{
	const struct sim_hierarchy *h = w->h;
	unsigned slot = slot_of(w, level), end = level + 1, deepest = level;
	const struct sim_cache_geometry *g = sim_slot_geometry(h, slot);
	unsigned shift = h->caches[slot].shift;
	bool allocates;

	while (is_exclusive(h, end))
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
	return deepest == end || w->has_store ? end : h->geometry.level_count;
}

static void visit_all(struct walk *w, unsigned level)
{
	while (level < w->h->geometry.level_count)
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
	struct sim_hierarchy *h = w->h;
	bool is_fetch = w->column == 0;
	struct sim_cache *tlb =
		is_fetch && !h->geometry.is_tlb_unified ? &h->code_tlb : &h->data_tlb;

	if (tlb->memory == NULL || !visit_pages(w, tlb))
		return;
	count(w, SIM_TLB_MISSES + w->column);
	if (h->second_tlb.memory != NULL && visit_pages(w, &h->second_tlb))
		count(w, SIM_TLB_MISSES + 3 + w->column);
}

/* ---- Prefetchers ---- */

/* Fill the line at `address` into a cache, unless it is there, or in another page. */
static void prefetch(struct walk *w, unsigned slot, uint64_t address, uint64_t cause)
{
	struct sim_cache *c = &w->h->caches[slot];
	uint64_t line = address >> c->shift;
	struct walk p = {.h = w->h,
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
	const struct sim_cache *c = &w->h->caches[slot];
	uint64_t address = w->wants_next[slot] << c->shift;

	switch (sim_slot_geometry(w->h, slot)->prefetcher) {
	case SIM_PREFETCH_NEXT_LINE:
		if (w->wants_next[slot] != SIM_NO_LINE)
			prefetch(w, slot, address + ((uint64_t)1 << c->shift), address);
		break;
	case SIM_PREFETCH_STRIDE:
		if (w->column == 0) /* fetches have no strides */
			break;
		address = sim_strides_learn(&w->h->strides[slot], w->h->tag, w->first, c->shift);
		if (address >> c->shift != w->first >> c->shift)
			prefetch(w, slot, address, w->first);
		break;
	default:
		break;
	}
}

/* ---- */

#define ADDRESSES (((uint64_t)1 << SIM_ENTRY_ADDRESS_BITS) - 1) /* that entries tell apart */

bool sim_walk(struct sim_hierarchy *h, uint64_t first, uint64_t last, enum sim_access kind,
	      uint64_t events[])
{
	struct walk w = {.h = h,
			 .events = events,
			 .first = first & ADDRESSES,
			 .last = last & ADDRESSES,
			 .column = kind == SIM_FETCH   ? 0
				   : kind == SIM_STORE ? 2
						       : 1,
			 .is_code = kind == SIM_FETCH && !h->geometry.is_unified,
			 .has_store = kind == SIM_STORE || kind == SIM_MODIFY,
			 .may_allocate = kind != SIM_STORE,
			 .prefetched = SIM_SLOTS};

	for (unsigned slot = 0; slot < SIM_SLOTS; slot++)
		w.wants_next[slot] = SIM_NO_LINE;
	if (h->has_tlb)
		visit_tlbs(&w);
	if (w.is_code && h->caches[SIM_CODE_SLOT].memory == NULL)
		return w.any_event; /* only the TLB was accessed */
	visit_all(&w, 0);
	touch_uses(&w, slot_of(&w, 0));
	if (h->geometry.level_count > 1)
		touch_uses(&w, h->geometry.level_count - 1);
	for (uint32_t left = w.asked; left != 0; left &= left - 1)
		run_prefetcher(&w, (unsigned)__builtin_ctz(left));
	return w.any_event;
}
