/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes of misses, counted by data structure; see filter_notes.h. */
#include "engine/simulate/miss/filter_notes.h"
#include "engine/core/random.h"

#include "engine/data/alloc.h"
#include "engine/simulate/calls/arcs.h"
#include "engine/simulate/calls/events.h"
#include "engine/simulate/calls/nodes.h"
#include "engine/simulate/counts/cells.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/miss/filter_access.h"
#include "engine/simulate/miss/filter_references.h"
#include "engine/simulate/observe/contrasts.h"
#include "engine/simulate/observe/counts.h"
#include "engine/simulate/observe/dead.h"
#include "engine/simulate/observe/held.h"

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
extern struct note filter_notes[], filter_notes_end[], filter_data_notes_end[];
extern struct note *filter_next_note, *filter_notes_limit;
extern void filter_look_below_data(void), filter_look_below_alone(void);
extern void filter_look_below_data_arcs(void), filter_look_below_arcs(void);

/* The first note of the call that allocates, if one goes on. Notes before it are not held. */
struct note *filter_allocating;

static uint64_t noted; /* since filter_notes_stand_for has counted them */

#define BELOW (BIN_FIRST_DATA + 1) /* the second level, which is the last */
#define PART  32		   /* of the notes, which the steps of counting handle in turn */

static bool is_of_code(const struct note *n)
{
	return n->of_site[SITE_FLAGS - SITE_REG] & FILTER_SITE_CODE;
}

static uint64_t victim_of(const struct filter_level *l, const uint32_t *cell)
{
	return (uintptr_t)cell == FILTER_NOBODY + sizeof(uint64_t) ? SIM_NO_LINE
								   : filter_line_of(l, cell);
}

/* A flag of a note whose bin was found: it stands in the place of the address. */
#define HAS_BIN 0x80u

static const uint8_t *flags_of(const struct note *n)
{
	return &n->of_site[SITE_FLAGS - SITE_REG];
}

static uint64_t pc_of_site(uint32_t site)
{
	const struct filter_owner *o = filter_site_owner(site);

	return filter_pc_of(segments_of_trailer(o->segment), filter_site_insn(o));
}

static uint64_t pc_of(const struct note *n)
{
	const uint64_t pc = bins_known_pc(n->site);

	return pc ? pc : pc_of_site(n->site);
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

static uint32_t contrasts_of(const struct note *n)
{
	const uint32_t known = contrasts_known(n->site);

	return known ? known : contrasts_find(n->site, pc_of_site(n->site));
}

/* Counts it as what it is in a stretch. */
static void count_in_stretch(const struct note *n)
{
	const bool is_free_first = is_free(n->victim_before, n->victim),
		   is_free_below = is_free(n->last_before, n->last);
	const struct filter_owner *o = filter_site_owner(n->site);
	const uint32_t first = is_of_code(n) ? BIN_FIRST_CODE : BIN_FIRST_DATA;
	const uint32_t missed = 1u << first | (misses_below(n) ? 1u << BELOW : 0);
	const uint32_t unknown = (uint32_t)is_free_first << first | (uint32_t)is_free_below
									    << BELOW;
	struct segment_insn *in;

	contrasts_missed(contrasts_of(n), missed, unknown);
	if (!is_free_first && !is_free_below) {
		stretch_caches[first].missed++;
		stretch_caches[BELOW].missed += misses_below(n);
		return;
	}
	in = filter_site_insn(o);
	filter_count_unknown(missed, unknown, 0, o->column, cells_at(in->cell));
	cells_keep(&in->cell);
}

/* A note's bin, and where in the data structure its access has missed. */
struct found {
	uint32_t bin; /* 0: to be looked up */
	bool has_offset;
	uint64_t offset;
};

/* Sets each member by itself: a copy of them all would wait for the stores of the smaller ones. */
static inline void find_known(const struct note *n, struct bins_versions now, struct found *f)
{
	const bool is_code = is_of_code(n), has_bin = *flags_of(n) & HAS_BIN;

	f->bin = has_bin ? (uint32_t)n->address
			 : bins_known(n->site, n->address, is_code ? now.code : now.data);
	f->has_offset = !has_bin && !is_code;
	f->offset = n->address - bins_memos[n->site].start;
}

static void find_new(const struct note *n, struct found *f)
{
	if (*flags_of(n) & HAS_BIN)
		return;
	if (is_of_code(n)) {
		f->bin = bins_of_code(n->site, pc_of(n));
		return;
	}
	f->bin = bins_in_block(n->site, n->address, &f->offset);
	if (f->bin)
		return;
	f->bin = bins_of_data(n->site, pc_of(n), n->address);
	f->offset = n->address - bins_memos[n->site].start;
}

static inline void note_offset(const struct found *f)
{
	if (f->has_offset)
		counts_missed_at(counts_tables.bins + f->bin, f->offset);
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
	return plan.stretches && is_free(before, victim) ? BIN_MISS_UNKNOWN : BIN_MISS_KNOWN;
}

static void count_note(const struct note *n, const struct found *f)
{
	const bool is_code = is_of_code(n);
	const enum bin_miss how = how_of(n->victim_before, n->victim);
	const uint64_t address = f->has_offset ? n->address : 0;

	note_offset(f);
	replace(f->bin, is_code ? BIN_FIRST_CODE : BIN_FIRST_DATA,
		is_code ? &filter_state.code : &filter_state.data, n->line, n->victim_before,
		n->victim, how, address);
	replace(f->bin, BELOW, &filter_state.last, n->line, n->last_before, n->last,
		how == BIN_MISS_KNOWN ? how_of(n->last_before, n->last) : BIN_MISS_ABOVE, address);
}

/*
 * In a sample the note that has no room is a miss whose time is known (observe/dead.h). These must
 * be many in a stretch, and not come in step with the program: so the room is small, and random.
 */
#define SAMPLED_NOTES 64u

static struct note *new_limit(void)
{
	static uint64_t state;

	if (!filter_watches())
		return filter_notes_end;
	if (!plan.stretches)
		return filter_data_notes_end;
	return filter_notes + SAMPLED_NOTES +
	       (random_next(&state) + engine.config.seed) % SAMPLED_NOTES;
}

void filter_notes_allow(bool may)
{
	filter_notes_limit = may ? new_limit() : filter_notes;
}

/*
 * Lines of the notes so far, a bit for several: most blocks come and go without a note, so that
 * none has to be read.
 */
#define LINE_BITS  4096u
#define FEW_LINES  32u
#define LINE_BYTES (1u << FILTER_LINE_SHIFT)

static struct {
	uint64_t bits[LINE_BITS / 64];
	uint32_t notes; /* so many are known here */
} noted_lines;

static void forget_lines(void)
{
	if (noted_lines.notes)
		memset(&noted_lines, 0, sizeof noted_lines);
}

static uint32_t bit_of(uint64_t line)
{
	return (uint32_t)(line ^ line / LINE_BITS) % LINE_BITS;
}

/* May a note's access lie in [start, end)? */
static bool may_be_noted(uint64_t start, uint64_t end)
{
	const uint32_t notes = (uint32_t)(filter_next_note - filter_notes);
	bool any = end - start > FEW_LINES * LINE_BYTES;

	for (; noted_lines.notes < notes; noted_lines.notes++) {
		const uint32_t bit = bit_of(filter_notes[noted_lines.notes].address / LINE_BYTES);

		noted_lines.bits[bit / 64] |= 1ull << bit % 64;
	}
	for (uint64_t line = start / LINE_BYTES; line * LINE_BYTES < end && !any; line++)
		any = noted_lines.bits[bit_of(line) / 64] >> bit_of(line) % 64 & 1;
	return any;
}

/* Find the bins of notes whose accesses lie in [start, end). */
static void look(struct note *from, const struct note *to, uint64_t start, uint64_t end,
		 struct bins_versions now)
{
	if (!may_be_noted(start, end))
		return;
	for (struct note *n = from; n < to; n++) {
		struct found f;

		if (n->address - start >= end - start || is_of_code(n) || *flags_of(n) & HAS_BIN)
			continue;
		find_known(n, now, &f);
		if (!f.bin)
			find_new(n, &f);
		note_offset(&f);
		n->address = f.bin;
		n->of_site[SITE_FLAGS - SITE_REG] |= HAS_BIN;
	}
}

void filter_look_at_misses(uint64_t start, uint64_t end, bool before_call)
{
	if (!plan.data || !filter_turn_is_own())
		return;
	if (!plan.pair)
		filter_look_below();
	else
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
	if (!plan.data || !filter_turn_is_own())
		return;
	if (!plan.pair)
		filter_look_below();
	held_end(0, 0); /* of a call that has never returned */
	filter_allocating = plan.pair ? filter_next_note : filter_notes;
	if (filter_allocating == filter_notes)
		held_begin();
}

void filter_allocation_returns(uint64_t start, uint64_t bytes)
{
	/* no memo knows the block */
	static const struct bins_versions none;

	if (!plan.data || !filter_turn_is_own())
		return;
	if (!plan.pair)
		filter_look_below();
	else if (filter_allocating)
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
	if (!plan.pair)
		filter_look_below();
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

/* What counting a note takes. */
struct ready {
	struct found found;
	bool is_quick; /* of one line, not in a stretch, and perhaps not in a call that allocates */
	/* evictors of the line that came to its first level, and of the one that left */
	const uint32_t *came;
	uint32_t *gone;
};

/* Where the evictor of that line is to be written. */
static inline uint32_t *gone_of(enum bin_cache cache, const struct filter_level *l,
				const uint32_t *cell)
{
	static uint32_t nowhere;
	const uint64_t line = victim_of(l, cell);
	uint32_t *place = line == SIM_NO_LINE ? 0 : counts_victim(cache, line);

	return place ? place : &nowhere;
}

static inline void find_evictors(const struct note *n, struct ready *r)
{
	if (is_of_code(n)) {
		r->came = counts_evictor(BIN_FIRST_CODE, n->line);
		r->gone = gone_of(BIN_FIRST_CODE, &filter_state.code, n->victim);
	} else {
		r->came = counts_evictor(BIN_FIRST_DATA, n->line);
		r->gone = gone_of(BIN_FIRST_DATA, &filter_state.data, n->victim);
	}
	__builtin_prefetch(r->came, 1);
	__builtin_prefetch(r->gone, 1);
	if (!n->last)
		return;
	__builtin_prefetch(counts_evictor(BELOW, n->line), 1);
	__builtin_prefetch(gone_of(BELOW, &filter_state.last, n->last), 1);
}

/* Make the notes ready to be counted, and prefetch what that reads. */
static void prepare(const struct note *notes, uint32_t count, struct bins_versions now,
		    bool is_plain, struct ready *ready)
{
	uint8_t unknown[PART];
	uint32_t unknowns = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct note *n = &notes[i];
		struct ready *r = &ready[i];

		find_known(n, now, &r->found);
		__builtin_prefetch(counts_tables.bins + r->found.bin, 1);
		unknown[unknowns] = (uint8_t)i;
		if (!r->found.bin) {
			unknowns++;
			if (r->found.has_offset)
				alloc_prefetch(n->address);
		}
		r->is_quick = is_plain && n->victim && !n->victim_before && !n->last_before;
		if (r->is_quick)
			find_evictors(n, r);
	}
	for (uint32_t i = 0; i < unknowns; i++) {
		struct found *f = &ready[unknown[i]].found;

		find_new(&notes[unknown[i]], f);
		__builtin_prefetch(counts_tables.bins + f->bin, 1);
	}
}

static inline void count_quickly(const struct note *n, const struct ready *r)
{
	struct bin *bin = counts_tables.bins + r->found.bin;

	note_offset(&r->found);
	counts_miss_first(bin, *r->came);
	*r->gone = bin->group;
	if (!n->last)
		return;
	counts_miss_second(bin, *counts_evictor(BELOW, n->line));
	*gone_of(BELOW, &filter_state.last, n->last) = bin->group;
}

/* For a part of the notes at a time, so that what they read arrives before it is needed. */
static void count_notes_by_bin(uint32_t all)
{
	const struct bins_versions now = bins_versions();
	const struct note *const end = filter_notes + all;
	struct ready ready[PART];

	for (const struct note *n = filter_notes; n < end;) {
		const uint32_t count = end - n < PART ? (uint32_t)(end - n) : PART;

		for (uint32_t i = count; i < 2 * PART && n + i < end; i++)
			__builtin_prefetch(&bins_memos[n[i].site]);
		prepare(n, count, now, !plan.stretches, ready);
		for (uint32_t i = 0; i < count; i++, n++) {
			if (n == filter_allocating)
				held_on = true;
			if (ready[i].is_quick && !held_on)
				count_quickly(n, &ready[i]);
			else
				count_note(n, &ready[i].found);
		}
	}
}

/* With nodes (nodes.h): where misses count. Code notes the node where sums will stand. */
static struct node_misses *misses_of_notes[NOTES];

/* Note i; both kinds of notes begin alike. */
static const struct note *note_at(uint32_t i, uint32_t bytes)
{
	return (const struct note *)(const void *)((const uint8_t *)filter_notes + i * bytes);
}

static void look_below_for_nodes(void (*with_arcs)(void), uint32_t bytes)
{
	const uint32_t notes =
		(uint32_t)((const uint8_t *)filter_next_note - (const uint8_t *)filter_notes) /
		bytes;

	for (uint32_t i = 0; i < notes; i++) {
		const struct note *n = note_at(i, bytes);

		misses_of_notes[i] = nodes_misses((uint32_t)n->record, n->site);
		__builtin_prefetch(misses_of_notes[i], 1);
	}
	with_arcs();
	for (uint32_t i = 0; i < notes; i++) {
		const struct note *n = note_at(i, bytes);

		misses_of_notes[i]->first++;
		if (note_at(i + 1, bytes)->record - n->record !=
		    arcs_units[n->of_site[SITE_EVENT - SITE_REG]])
			misses_of_notes[i]->last++;
	}
}

static void look_below(void (*alone)(void), void (*with_arcs)(void), uint32_t bytes)
{
	if (!plan.arcs) {
		alone();
		return;
	}
	if (plan.nodes)
		look_below_for_nodes(with_arcs, bytes);
	else
		with_arcs();
	arcs_looked();
}

void filter_look_below(void)
{
	const struct note *end = filter_next_note;

	if (!plan.pair) {
		if (plan.data && end != filter_notes)
			count_notes_by_bin((uint32_t)(end - filter_notes));
		events_take();
		return;
	}
	if (end == filter_notes)
		return;
	if (!filter_watches()) {
		look_below(filter_look_below_alone, filter_look_below_arcs, NOTE_BYTES);
		return;
	}
	noted += (uint64_t)(end - filter_notes);
	forget_lines();
	look_below(filter_look_below_data, filter_look_below_data_arcs, NOTE_DATA_BYTES);
	if (plan.data)
		count_notes_by_bin((uint32_t)(end - filter_notes));
	for (const struct note *n = filter_notes; n < end && plan.stretches; n++)
		count_in_stretch(n);
	filter_notes_allow(filter_notes_limit != filter_notes);
	if (filter_allocating && filter_allocating != filter_notes) {
		held_on = true;
		filter_allocating = filter_notes;
	}
}
