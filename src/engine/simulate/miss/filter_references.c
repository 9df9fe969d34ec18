/* SPDX-License-Identifier: GPL-2.0-or-later */
/* References by data structure, counted exactly; see filter_references.h. */
#include "engine/simulate/miss/filter_references.h"

#include "engine/core/fsbase.h"
#include "engine/core/lock.h"
#include "engine/core/state.h"
#include "engine/core/util.h"
#include "engine/data/alloc.h"
#include "engine/decode/operand.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/miss/filter_access.h"
#include "engine/simulate/miss/filter_executions.h"
#include "engine/simulate/miss/filter_notes.h"
#include "engine/simulate/miss/filter_walk.h"
#include "engine/simulate/observe/bins.h"
#include "engine/simulate/observe/held.h"
#include "engine/simulate/observe/known_lines.h"
#include "engine/simulate/observe/mixed.h"
#include "engine/simulate/observe/references.h"
#include "engine/simulate/observe/structures.h"
#include "engine/simulate/observe/tallies.h"
#include "engine/simulate/state/filter_conflicts.h"
#include "engine/simulate/state/filter_forms.h"
#include "engine/simulate/state/filter_sites.h"
#include "engine/translate/translate.h"

/* In the place of the misses of other sites (filter_sites.h). */
struct expected {
	uint32_t negative;  /* the label, times -1, for code; or NOTHING yet */
	int32_t exceptions; /* of the executions that were not taken yet; -1: see executed */
};

#define NOTHING 1u /* of label -1, which no place has */

/* What a site referred to last: lines in [start, end) have the label, while the version stays. */
struct site_memo {
	uint64_t start, end;
	uint32_t version, label; /* structures_version() */
	uint32_t structure, bin; /* the expected one; its bin, or 0: not known, or of a run */
};

_Static_assert(sizeof(struct site_memo) == MEMO_BYTES, "layout");
_Static_assert(offsetof(struct site_memo, end) == MEMO_END, "layout");
_Static_assert(offsetof(struct site_memo, version) == MEMO_VERSION, "layout");
_Static_assert(offsetof(struct site_memo, label) == MEMO_LABEL, "layout");

struct site_memo *filter_site_memos; /* by site; for filter_miss.S, too */

#define MOST_WAITING 16u

static struct {
	struct grow memos; /* struct site_memo, by site */
	struct {
		uint64_t address;
		uint32_t site;
	} waiting[MOST_WAITING]; /* whole lines that a call that allocates has accessed */
	uint32_t waiting_count;
} f;

bool filter_references_start(void)
{
	const bool has_room =
		grow_init_whole(&f.memos, FILTER_MOST_SITES * sizeof(struct site_memo)) == 0 &&
		mixed_start((uint32_t)(uintptr_t)filter_state.data.stamps,
			    filter_places(&filter_state.data)) &&
		known_lines_start() && tallies_start();
	filter_site_memos = (struct site_memo *)(void *)f.memos.base;
	return has_room;
}

static struct expected *expected_by(uint32_t number)
{
	return (struct expected *)(uintptr_t)FILTER_MISSES + number;
}

static struct site_memo *memo_of(uint32_t number)
{
	return &filter_site_memos[number];
}

/* An unknown structure has a label, too. */
static uint32_t label_of(uint32_t structure)
{
	return structure + LABEL_MIXED + 1;
}

_Static_assert(STRUCTURE_BITS < MIXED_LABEL_BITS, "a mixed line has room for any label");

void filter_reference_begin(uint32_t number)
{
	*expected_by(number) = (struct expected){.negative = NOTHING};
	*memo_of(number) = (struct site_memo){0};
}

/* ---- Code ---- */

/* mov r32, [r + displacement] */
static void emit_load_at(struct out *o, enum reg r, uint32_t displacement)
{
	if (r & 8)
		emit_u8(o, 0x45);
	emit_u8(o, 0x8b);
	emit_u8(o, (uint8_t)(0x80 | (r & 7) << 3 | (r & 7)));
	if ((r & 7) == 4)
		emit_u8(o, 0x24);
	emit_u32(o, displacement);
}

/* add r32, [address] */
static void emit_add_abs32(struct out *o, enum reg r, uint32_t address)
{
	if (r & 8)
		emit_u8(o, 0x44);
	emit_u8(o, 0x03);
	operand_abs(o, (uint8_t)r, address);
}

uint8_t *filter_emit_expect(struct out *o, enum reg r, uint32_t number, bool keeps_flags)
{
	const uint32_t negative = (uint32_t)(uintptr_t)&expected_by(number)->negative;

	emit_load_at(o, r, FILTER_TO_LABELS);
	if (!keeps_flags) {
		emit_add_abs32(o, r, negative);
		return emit_branch(o, FORM_JNZ);
	}
	emit_store_gs(o, RAX, T_REGS + 8 * RAX);
	emit_load_abs32(o, RAX, negative);
	emit_bytes(o, (const uint8_t[]){0x8d, 0x0c, 0x01}, 3); /* lea ecx, [rcx + rax] */
	emit_load_gs(o, RAX, T_REGS + 8 * RAX);
	emit_bytes(o, (const uint8_t[]){0xe3, 5}, 2); /* jrcxz */
	return emit_jump_later(o);
}

/* ---- Executions ---- */

static bool is_of_references(const struct filter_owner *o)
{
	return o->flags & FILTER_SITE_REFERENCE;
}

static bool is_explicit(const struct filter_owner *o)
{
	return o->flags & FILTER_SITE_EXPLICIT;
}

static uint64_t pc_of(const struct segment *s, uint32_t access)
{
	return segment_graph(s)->pc + segment_insns(s)[segment_accesses(s)[access].owner].offset;
}

/* The site of the run's first access where it is checked alone; 0: there is none. */
static uint32_t first_of_run(const struct segment *s, const struct filter_owner *run)
{
	for (uint32_t n = s->first_site; filter_site_is_of(n, s); n++) {
		const struct filter_owner *o = filter_site_owner(n);

		if (is_of_references(o) && is_explicit(o) && o->index == run->index)
			return n;
	}
	return 0;
}

/* The run of accesses (filter_runs.h) that begins with that one; 0: none does. */
static uint32_t run_of(const struct segment *s, uint32_t access)
{
	for (uint32_t n = s->first_site; filter_site_is_of(n, s); n++) {
		const struct filter_owner *o = filter_site_owner(n);

		if (is_of_references(o) && !is_explicit(o) && o->members > 1 && o->index == access)
			return n;
	}
	return 0;
}

/* Executions of the site that were exceptions. */
static struct expected *exceptions_of(const struct segment *s, uint32_t number)
{
	const struct filter_owner *o = filter_site_owner(number);

	return expected_by(o->members > 1 ? first_of_run(s, o) : number);
}

/* Counts for what the site expects: of its accesses those from number `first` on. */
static void count_site(const struct segment *s, uint32_t number, uint32_t first, int64_t times)
{
	const struct filter_owner *o = filter_site_owner(number);
	struct site_memo *m = memo_of(number);

	if (times == 0 || expected_by(number)->negative == NOTHING)
		return;
	if (o->members == 1 && !m->bin)
		m->bin = bins_get(pc_of(s, o->index), m->structure);
	for (uint32_t i = first; i < o->members; i++)
		references_add(m->bin ? m->bin : bins_get(pc_of(s, o->index + i), m->structure),
			       times);
}

/*
 * Takes executions, of which the last one has come as far as site `until`. For those behind it one
 * is still to come: an exception less.
 */
static void executed(struct segment *s, uint64_t executions, uint32_t until)
{
	for (uint32_t n = s->first_site; filter_site_is_of(n, s); n++) {
		const struct filter_owner *o = filter_site_owner(n);
		const int32_t to_come = n > until;
		struct expected *e;

		if (!is_of_references(o) || is_explicit(o))
			continue;
		e = exceptions_of(s, n);
		count_site(s, n, 0, (int64_t)executions - to_come - e->exceptions);
		e->exceptions = -to_come;
	}
}

void filter_references_executed(struct segment *s, uint64_t executions)
{
	executed(s, executions, UINT32_MAX);
}

void filter_references_began(struct segment *s, uint64_t executions)
{
	executed(s, executions, 0);
}

/* ---- Cuts ---- */

/*
 * Takes back what was counted for the accesses of an instruction that faulted. Registers are as
 * before it. False: they are not known.
 */
static bool take_back(const struct thread *t, const struct segment *s, uint32_t insn)
{
	const struct segment_insn *i = &segment_insns(s)[insn];
	const uint64_t pc = filter_pc_of(s, i);
	uint8_t code[15];
	struct insn in;
	bool is_known;

	if (t->rip != pc || engine_copy(code, (const void *)(uintptr_t)pc, i->length) != 0)
		return false;
	lock_take(&engine.translate_lock);
	is_known = translate_decode(&in, pc, code, i->length);
	lock_drop(&engine.translate_lock);
	for (uint32_t k = 0; is_known && k < in.mem_count; k++)
		filter_access_take_back(pc, operand_address(t, &in.mem[k]));
	return is_known;
}

void filter_references_cut(const struct thread *t, const struct segment *s, uint32_t insns)
{
	const struct segment_access *a = segment_accesses(s);

	if (!segment_has_counter(s))
		return;
	if (t->cut_tried && insns < s->insns)
		insns += take_back(t, s, insns);
	for (uint32_t n = s->first_site; filter_site_is_of(n, s); n++) {
		const struct filter_owner *o = filter_site_owner(n);
		uint32_t done = 0;

		if (!is_of_references(o) || is_explicit(o))
			continue;
		while (done < o->members && a[o->index + done].owner < insns)
			done++;
		if (done == 0)
			exceptions_of(s, n)->exceptions++;
		else
			count_site(s, n, done, -1); /* code has counted all of the run */
	}
}

/* ---- Exceptions ---- */

/* Cells of lines may be hidden: see filter_conflicts.h, filter_windows.h, filter_walk.h. */
static uint32_t place_of(uint64_t line)
{
	if (plan.walks)
		return filter_walk_place(&filter_state.data, line);

	const uint32_t *cell = filter_data_cell(line);

	return *cell ? *cell : filter_hidden_place(&filter_state.data, line, cell);
}

static uint32_t *label_at(uint32_t place)
{
	return (uint32_t *)(uintptr_t)(place + FILTER_TO_LABELS);
}

/* Does all of the line at `start` belong to the structure? No allocator has blocks in it. */
static bool is_of(uint64_t start, const struct structure *s)
{
	return s->is_whole && s->start <= start && s->end >= start + (1u << FILTER_LINE_SHIFT) &&
	       (s->is_plain || !alloc_has_blocks(s->start + 1, s->end));
}

static void label_part(uint32_t place, uint64_t address, const struct structure *s)
{
	if (*label_at(place) != LABEL_MIXED)
		mixed_clear(place);
	*label_at(place) = LABEL_MIXED;
	mixed_set(place, address, s, label_of(s->id));
}

/* The line is to get its label when the call that allocates has returned. */
static void wait(uint32_t number, uint64_t address)
{
	if (f.waiting_count == MOST_WAITING)
		return;
	f.waiting[f.waiting_count].address = address;
	f.waiting[f.waiting_count++].site = number;
}

/* Labels the line around the address, or a part of it. */
static void label(uint32_t number, uint64_t address, const struct structure *s)
{
	const uint64_t line = address >> FILTER_LINE_SHIFT;
	const uint32_t place = place_of(line);
	struct site_memo *m = memo_of(number);
	const bool is_whole = place && (*label_at(place) == label_of(s->id) ||
					is_of(line << FILTER_LINE_SHIFT, s));

	if (is_whole && filter_allocates())
		wait(number, address);
	if (place && (!is_whole || (filter_allocates() && *label_at(place) <= LABEL_MIXED)))
		label_part(place, address, s);
	if (!is_whole || filter_allocates())
		return;
	*label_at(place) = label_of(s->id);
	known_lines_set(line, label_of(s->id));
	m->start = s->start;
	m->end = s->is_lasting ? s->end : s->start;
	m->version = structures_version(); /* as filter_miss.S adds it */
	m->label = label_of(s->id);
}

void filter_references_allocated(void)
{
	for (uint32_t i = 0; i < f.waiting_count; i++) {
		struct structure s;

		structures_find(f.waiting[i].address, &s);
		label(f.waiting[i].site, f.waiting[i].address, &s);
	}
	f.waiting_count = 0;
}

/* The bin of the access, and the structure. */
static uint32_t find(uint32_t number, uint64_t pc, uint64_t address, struct structure *s)
{
	const struct bins_memo *m = &bins_memos[number];
	const uint32_t bin = bins_known(number, address, bins_versions().data);

	if (bin) {
		*s = (struct structure){.id = m->structure,
					.start = m->start,
					.end = m->end,
					.is_whole = true,
					.is_lasting = true};
		return bin;
	}
	structures_find(address, s);
	return bins_of_found(number, pc, s);
}

static void expect(struct segment *s, uint32_t number, uint32_t structure)
{
	executed(s, filter_take_executions(s), number);
	expected_by(number)->negative = -label_of(structure);
	memo_of(number)->structure = structure;
	memo_of(number)->bin = 0;
}

/* How many executions there were of the segment, since they were sent. */
static uint64_t executions_of(const struct segment *s)
{
	return s->executions + filter_new_executions(s);
}

#define MOST_EXCEPTIONS 4096u /* without a look at them */

/*
 * A site has so many exceptions of one structure that C looks at them. Most executions since the
 * last look? Then site `expects` expects it from now on.
 */
static void consider(struct segment *s, struct site_tally *t, uint32_t expects, uint32_t structure)
{
	const uint64_t executions = executions_of(s), since = executions - t->since;
	const bool are_most = 4ull * t->count > 3 * since;

	tallies_take(t);
	t->since = executions;
	t->limit = t->limit < MOST_EXCEPTIONS ? 2 * t->limit : MOST_EXCEPTIONS;
	if (are_most && expects && memo_of(expects)->structure != structure)
		expect(s, expects, structure);
}

void filter_reference(const struct thread *t, uint32_t number)
{
	const struct filter_owner *o = filter_site_owner(number);
	struct segment *s = segments_of_trailer(o->segment);
	const struct segment_access *a = &segment_accesses(s)[o->index];
	const uint64_t address = t->miss_address + (a->fs ? fsbase_get(t) : 0);
	const uint32_t expects = is_explicit(o) ? run_of(s, o->index) : number;
	struct structure found;
	const uint32_t bin = find(number, pc_of(s, o->index), address, &found);
	struct site_tally *tally;

	label(number, address, &found);
	if (!filter_allocates() && expected_by(number)->negative == -label_of(found.id))
		return; /* its executions count it */
	expected_by(number)->exceptions++;
	tally = tallies_get(number, label_of(found.id), bin, executions_of(s));
	if (filter_allocates())
		held_references(bin, address, 0, 1);
	else
		tally->count++;
	if (expects && expected_by(expects)->negative == NOTHING)
		expect(s, expects, found.id);
	else if (tally->count >= tally->limit)
		consider(s, tally, expects, found.id);
}

void filter_references_settle(void)
{
	if (plan.references)
		tallies_settle();
}

/* ---- Owners ---- */

static void forget(uint64_t line, uint64_t start, uint64_t end)
{
	const uint32_t place = place_of(line);

	known_lines_forget(line);
	if (place && *label_at(place) == LABEL_MIXED)
		mixed_forget(place, line << FILTER_LINE_SHIFT, start, end);
	else if (place)
		filter_reference_clear(place);
}

static void forget_all(void)
{
	known_lines_forget_all();
	for (uint64_t i = 0; i < filter_places(&filter_state.data); i++)
		filter_reference_clear((uint32_t)(uintptr_t)&filter_state.data.stamps[i]);
}

void filter_references_forget(uint64_t start, uint64_t end)
{
	const uint64_t first = start >> FILTER_LINE_SHIFT,
		       lines = ((end - 1) >> FILTER_LINE_SHIFT) - first + 1;

	if (!plan.references || !filter_may_count() || end <= start)
		return;
	if (lines > filter_places(&filter_state.data)) {
		forget_all();
		return;
	}
	for (uint64_t i = first; i < first + lines; i++)
		forget(i, start, end);
}
