/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes of misses, counted by data structure; see filter_notes.h. */
#include "engine/simulate/filter/filter_notes.h"

#include "engine/data/alloc.h"
#include "engine/simulate/arcs/arcs.h"
#include "engine/simulate/arcs/events.h"
#include "engine/simulate/arcs/nodes.h"
#include "engine/simulate/cells.h"
#include "engine/simulate/filter/filter.h"
#include "engine/simulate/filter/filter_access.h"
#include "engine/simulate/filter/filter_references.h"
#include "engine/simulate/filter/filter_scheduler.h"
#include "engine/simulate/segments.h"
#include "engine/simulate/whose/bins.h"
#include "engine/simulate/whose/counts.h"
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
extern void filter_look_below_data_arcs(void), filter_look_below_arcs(void);

/* The first note of the call that allocates, if one goes on. Notes before it are not held. */
struct note *filter_allocating;

static uint64_t noted; /* since filter_notes_stand_for has counted them */

#define BELOW (BIN_FIRST_DATA + 1) /* the second level, which is the last */
#define AHEAD 8			   /* notes from one step of counting to the next */
#define MOST  (NOTES * NOTE_BYTES / NOTE_DATA_BYTES)

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

static const uint8_t *flags_of(const struct note *n)
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

/* A note's bin, and where in the data structure its access has missed. */
struct found {
	uint32_t bin;
	bool has_offset;
	uint64_t offset;
};

/* Its bin is 0 if it has to be looked up. */
static struct found known_bin(const struct note *n, struct bins_versions now)
{
	const bool is_code = is_of_code(n);

	if (*flags_of(n) & HAS_BIN)
		return (struct found){.bin = (uint32_t)n->address};
	return (struct found){bins_known(n->site, n->address, is_code ? now.code : now.data),
			      !is_code, n->address - bins_memos[n->site].start};
}

static struct found new_bin(const struct note *n)
{
	const uint64_t pc = pc_of(n);
	const uint32_t bin =
		is_of_code(n) ? bins_of_code(n->site, pc) : bins_of_data(n->site, pc, n->address);

	return (struct found){bin, !is_of_code(n), n->address - bins_memos[n->site].start};
}

static void note_offset(const struct found *f)
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
	return stretches_are_on() && is_free(before, victim) ? BIN_MISS_UNKNOWN : BIN_MISS_KNOWN;
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

/* The same for nearly all notes: of one line, not in a stretch or a call that allocates. */
static void count_quickly(const struct note *n, const struct found *f)
{
	struct bin *bin = counts_tables.bins + f->bin;

	note_offset(f);
	if (n->victim && is_of_code(n))
		counts_replaced(bin, BIN_FIRST_CODE, 0, n->line,
				victim_of(&filter_state.code, n->victim));
	else if (n->victim)
		counts_replaced(bin, BIN_FIRST_DATA, 0, n->line,
				victim_of(&filter_state.data, n->victim));
	if (n->last)
		counts_replaced(bin, BELOW, BELOW, n->line, victim_of(&filter_state.last, n->last));
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
		struct found f;

		if (n->address - start >= end - start || is_of_code(n) || *flags_of(n) & HAS_BIN)
			continue;
		f = known_bin(n, now);
		if (!f.bin)
			f = new_bin(n);
		note_offset(&f);
		n->address = f.bin;
		n->of_site[SITE_FLAGS - SITE_REG] |= HAS_BIN;
	}
}

void filter_look_at_misses(uint64_t start, uint64_t end, bool before_call)
{
	if (!bins_are_on() || !filter_turn_is_own())
		return;
	if (!filter_state.is_fast)
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
	if (!bins_are_on() || !filter_turn_is_own())
		return;
	if (!filter_state.is_fast)
		filter_look_below();
	held_end(0, 0); /* of a call that has never returned */
	filter_allocating = filter_state.is_fast ? filter_next_note : filter_notes;
	if (filter_allocating == filter_notes)
		held_begin();
}

void filter_allocation_returns(uint64_t start, uint64_t bytes)
{
	/* no memo knows the block */
	static const struct bins_versions none;

	if (!bins_are_on() || !filter_turn_is_own())
		return;
	if (!filter_state.is_fast)
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
	if (!filter_state.is_fast)
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

static void prefetch_lines(enum bin_cache cache, uint64_t line, uint64_t victim)
{
	counts_prefetch(cache, line);
	if (victim != SIM_NO_LINE)
		counts_prefetch(cache, victim);
}

/* Find the note's bin if it is known, else prefetch what finding it reads. */
static void look_up(const struct note *n, struct bins_versions now, struct found *f)
{
	*f = known_bin(n, now);
	if (!f->bin && !is_of_code(n))
		alloc_prefetch(n->address);
}

/* Find the bin of any note, and prefetch what counting the note reads. */
static void prepare(const struct note *n, struct found *f)
{
	if (!f->bin && !(*flags_of(n) & HAS_BIN))
		*f = new_bin(n);
	__builtin_prefetch(counts_tables.bins + f->bin, 1);
	if (n->victim && is_of_code(n))
		prefetch_lines(BIN_FIRST_CODE, n->line, victim_of(&filter_state.code, n->victim));
	else if (n->victim)
		prefetch_lines(BIN_FIRST_DATA, n->line, victim_of(&filter_state.data, n->victim));
	if (n->last)
		prefetch_lines(BELOW, n->line, victim_of(&filter_state.last, n->last));
}

/* Each step prefetches what the next one reads, of which the notes of AHEAD rounds wait. */
void filter_count_notes_by_bin(uint32_t all)
{
	const int32_t notes = (int32_t)all;
	const struct bins_versions now = bins_versions();
	const bool is_plain = !stretches_are_on();
	struct found found[MOST];

	for (int32_t i = -3 * AHEAD; i < notes; i++) {
		const int32_t next = i + 3 * AHEAD, known = i + 2 * AHEAD, ready = i + AHEAD;
		const struct note *n;

		if (next < notes)
			__builtin_prefetch(&bins_memos[filter_notes[next].site]);
		if (known >= 0 && known < notes)
			look_up(&filter_notes[known], now, &found[known]);
		if (ready >= 0 && ready < notes)
			prepare(&filter_notes[ready], &found[ready]);
		if (i < 0)
			continue;
		n = &filter_notes[i];
		if (n == filter_allocating)
			held_on = true;
		if (is_plain && !held_on && !n->victim_before && !n->last_before)
			count_quickly(n, &found[i]);
		else
			count_note(n, &found[i]);
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
	if (!arcs_are_on()) {
		alone();
		return;
	}
	if (nodes_are_on())
		look_below_for_nodes(with_arcs, bytes);
	else
		with_arcs();
	arcs_looked();
}

void filter_look_below(void)
{
	const struct note *end = filter_next_note;

	if (!filter_state.is_fast) {
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
	look_below(filter_look_below_data, filter_look_below_data_arcs, NOTE_DATA_BYTES);
	if (bins_are_on())
		filter_count_notes_by_bin((uint32_t)(end - filter_notes));
	for (const struct note *n = filter_notes; n < end && stretches_are_on(); n++)
		count_in_stretch(n);
	if (filter_allocating && filter_allocating != filter_notes) {
		held_on = true;
		filter_allocating = filter_notes;
	}
}
