/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes of misses, counted by data structure; see filter_notes.h. */
#include "engine/simulate/filter/filter_notes.h"

#include "engine/data/alloc.h"
#include "engine/simulate/cells.h"
#include "engine/simulate/filter/filter.h"
#include "engine/simulate/filter/filter_access.h"
#include "engine/simulate/filter/filter_references.h"
#include "engine/simulate/filter/filter_scheduler.h"
#include "engine/simulate/segments.h"
#include "engine/simulate/whose/bins.h"
#include "engine/simulate/whose/held.h"
#include "sim/cache/entry.h"

struct note {
	uint64_t line;
	uint32_t site;
	uint8_t of_site[4];
	uint64_t record, address;
	const uint32_t *victim, *last, *victim_before, *last_before;
};

_Static_assert(sizeof(struct note) == NOTE_DATA_BYTES, "layout");
_Static_assert(offsetof(struct note, site) == NOTE_SITE, "layout");
_Static_assert(offsetof(struct note, address) == NOTE_ADDRESS, "layout");
_Static_assert(offsetof(struct note, victim) == NOTE_VICTIM, "layout");
_Static_assert(offsetof(struct note, last) == NOTE_LAST, "layout");
_Static_assert(offsetof(struct note, victim_before) == NOTE_VICTIM_BEFORE, "layout");
_Static_assert(offsetof(struct note, last_before) == NOTE_LAST_BEFORE, "layout");

/* filter_below.S */
extern struct note filter_notes[], filter_notes_end[];
extern struct note *filter_next_note, *filter_notes_limit;
extern void filter_look_below_data(void), filter_look_below_alone(void);

/* The first note of the call that allocates, if one goes on. Notes before it are not held. */
struct note *filter_allocating;

static uint64_t noted; /* since filter_notes_stand_for has counted them */

#define BELOW (BIN_FIRST_DATA + 1) /* the second level, which is the last */
#define AHEAD 12		   /* notes whose lines are prefetched */

static bool is_of_code(const struct note *n)
{
	return n->of_site[SITE_FLAGS - SITE_REG] & FILTER_SITE_CODE;
}

uint64_t filter_line_of(const struct filter_level *l, const uint32_t *cell)
{
	if (l == &filter_state.data)
		return filter_line_of_data(cell);
	return l == &filter_state.code ? filter_line_of_code(cell)
				       : (uint64_t)(cell - filter_state.last_cells);
}

static uint64_t victim_of(const struct filter_level *l, const uint32_t *cell)
{
	return (uintptr_t)cell == FILTER_NOBODY + sizeof(uint64_t) ? SIM_NO_LINE
								   : filter_line_of(l, cell);
}

/* A flag of a note whose bin was found: it stands in the place of the address. */
#define HAS_BIN 0x80u

static uint8_t *flags_of(struct note *n)
{
	return &n->of_site[SITE_FLAGS - SITE_REG];
}

static uint64_t pc_of(const struct note *n)
{
	const uint64_t pc = bins_known_pc(n->site);
	const struct filter_owner *o;

	if (pc)
		return pc;
	o = filter_site_owner(n->site);
	return segment_graph(segments_of_trailer(o->segment))->pc + filter_site_insn(o)->offset;
}

static uint32_t new_bin(const struct note *n)
{
	const uint64_t pc = pc_of(n);

	return is_of_code(n) ? bins_of_code(n->site, pc) : bins_of_data(n->site, pc, n->address);
}

/* Did the line that the level counts take a free place? victim: of the second line. */
static bool is_free(const uint32_t *before, const uint32_t *victim)
{
	const uint32_t *first = before ? before : victim;

	return (uintptr_t)first == FILTER_NOBODY + sizeof(uint64_t);
}

static bool misses_below(const struct note *n)
{
	return n->last_before || n->last;
}

/* Counts it as what it is in a stretch. */
static void count_in_stretch(const struct note *n)
{
	const bool is_free_first = is_free(n->victim_before, n->victim),
		   is_free_below = is_free(n->last_before, n->last);
	const struct filter_owner *o = filter_site_owner(n->site);
	const uint32_t first = is_of_code(n) ? BIN_FIRST_CODE : BIN_FIRST_DATA;
	struct segment_insn *in;

	if (!is_free_first && !is_free_below) {
		stretch_caches[first].missed++;
		stretch_caches[BELOW].missed += misses_below(n);
		return;
	}
	in = filter_site_insn(o);
	filter_count_unknown(1u << first | (misses_below(n) ? 1u << BELOW : 0),
			     (uint32_t)is_free_first << first | (uint32_t)is_free_below << BELOW, 0,
			     o->column, in->cell ? cells_at(in->cell) : cells_spare());
	if (!in->cell)
		in->cell = cells_new_from_spare();
}

static uint32_t known_bin(const struct note *n, struct bins_versions now)
{
	return bins_known(n->site, n->address, is_of_code(n) ? now.code : now.data);
}

static uint32_t find_bin(const struct note *n, struct bins_versions now)
{
	uint32_t bin = known_bin(n, now);

	if (!bin)
		bin = new_bin(n);
	if (!is_of_code(n))
		bins_missed_at(bin, n->site, n->address);
	return bin;
}

/* Count what a note's access has brought to a level; before: the first of two lines, or NULL. */
static void replace(uint32_t bin, enum bin_cache cache, const struct filter_level *l, uint64_t line,
		    const uint32_t *before, const uint32_t *victim, enum bin_miss how,
		    uint64_t address)
{
	if (before)
		bins_replaced(bin, cache, line - 1, victim_of(l, before), how, address);
	if (victim)
		bins_replaced(bin, cache, line, victim_of(l, victim),
			      before ? BIN_MISS_COUNTED : how, address);
}

static enum bin_miss how_of(const uint32_t *before, const uint32_t *victim)
{
	return stretches_are_on() && is_free(before, victim) ? BIN_MISS_UNKNOWN : BIN_MISS_KNOWN;
}

static void count_note(struct note *n, struct bins_versions now)
{
	const bool is_code = is_of_code(n);
	const enum bin_miss how = how_of(n->victim_before, n->victim);
	const uint64_t address = is_code || *flags_of(n) & HAS_BIN ? 0 : n->address;
	uint32_t bin;

	if (stretches_are_on())
		count_in_stretch(n);
	if (!bins_are_on())
		return;
	bin = *flags_of(n) & HAS_BIN ? (uint32_t)n->address : find_bin(n, now);
	replace(bin, is_code ? BIN_FIRST_CODE : BIN_FIRST_DATA,
		is_code ? &filter_state.code : &filter_state.data, n->line, n->victim_before,
		n->victim, how, address);
	replace(bin, BELOW, &filter_state.last, n->line, n->last_before, n->last,
		how == BIN_MISS_KNOWN ? how_of(n->last_before, n->last) : BIN_MISS_ABOVE, address);
}

void filter_notes_allow(bool may)
{
	filter_notes_limit = may ? filter_notes_end : filter_notes;
}

/* Find the bins of notes whose accesses lie in [start, end). */
static void look(struct note *from, const struct note *to, uint64_t start, uint64_t end,
		 struct bins_versions now)
{
	for (struct note *n = from; n < to; n++) {
		if (n->address - start >= end - start || is_of_code(n) || *flags_of(n) & HAS_BIN)
			continue;
		n->address = find_bin(n, now);
		*flags_of(n) |= HAS_BIN;
	}
}

void filter_look_at_misses(uint64_t start, uint64_t end, bool before_call)
{
	if (bins_are_on() && filter_state.is_fast && filter_turn_is_own())
		look(filter_notes,
		     before_call && filter_allocating ? filter_allocating : filter_next_note, start,
		     end, bins_versions());
}

uint64_t filter_notes_stand_for(void)
{
	uint64_t all;

	if (filter_notes_limit == filter_notes || filter_next_note < filter_notes_limit)
		return 1;
	all = noted + (uint64_t)(filter_next_note - filter_notes) + 1;
	noted = -(uint64_t)(filter_next_note - filter_notes); /* they are about to be added */
	return all;
}

/* ---- Calls that allocate ---- */

void filter_allocation_begins(void)
{
	if (!bins_are_on() || !filter_turn_is_own())
		return;
	held_end(0, 0); /* of a call that has never returned */
	filter_allocating = filter_next_note;
	if (filter_allocating == filter_notes)
		held_begin();
}

void filter_allocation_returns(uint64_t start, uint64_t bytes)
{
	/* no memo knows the block */
	static const struct bins_versions none;

	if (!bins_are_on() || !filter_turn_is_own())
		return;
	if (filter_allocating)
		look(filter_allocating, filter_next_note, start, start + bytes, none);
	filter_allocating = 0;
	held_end(start, bytes);
	filter_references_allocated();
}

void filter_allocation_goes_on(const struct thread *t)
{
	if (t->alloc_call.kind)
		filter_allocation_begins();
}

void filter_allocation_waits(void)
{
	filter_allocating = 0;
	held_end(0, 0);
}

bool filter_allocates(void)
{
	return filter_allocating != 0;
}

void filter_allocation_settle(void)
{
	if (held_on)
		held_begin();
}

/* ---- All ---- */

static void prefetch_lines(enum bin_cache cache, uint64_t line, uint64_t victim)
{
	bins_prefetch(cache, line);
	if (victim != SIM_NO_LINE)
		bins_prefetch(cache, victim);
}

/* Prefetch what counting the note reads. */
static void prefetch(struct note *n, struct bins_versions now)
{
	const bool is_code = is_of_code(n);
	const uint32_t bin = *flags_of(n) & HAS_BIN ? (uint32_t)n->address : known_bin(n, now);

	if (bin)
		bins_prefetch_bin(bin);
	else if (!is_code)
		alloc_prefetch(n->address);
	if (n->victim)
		prefetch_lines(
			is_code ? BIN_FIRST_CODE : BIN_FIRST_DATA, n->line,
			victim_of(is_code ? &filter_state.code : &filter_state.data, n->victim));
	if (n->last)
		prefetch_lines(BELOW, n->line, victim_of(&filter_state.last, n->last));
}

void filter_look_below(void)
{
	const struct note *end = filter_next_note;
	struct bins_versions now;

	if (end == filter_notes)
		return;
	if (!filter_watches()) {
		filter_look_below_alone();
		return;
	}
	noted += (uint64_t)(end - filter_notes);
	now = bins_versions();
	filter_look_below_data();
	for (struct note *n = filter_notes; n < end; n++) {
		if (bins_are_on() && n + 2 * AHEAD < end)
			bins_prefetch_memo(n[2 * AHEAD].site);
		if (bins_are_on() && n + AHEAD < end)
			prefetch(n + AHEAD, now);
		if (n == filter_allocating)
			held_on = true;
		count_note(n, now);
	}
	if (filter_allocating && filter_allocating != filter_notes) {
		held_on = true;
		filter_allocating = filter_notes;
	}
}
