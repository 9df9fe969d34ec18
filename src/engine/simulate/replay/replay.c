/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulation inside the target; see replay.h. */
#include "engine/simulate/replay/replay.h"

#include "engine/core/fsbase.h"
#include "engine/core/util.h"
#include "engine/drive/collect.h"
#include "engine/simulate/counts/cells.h"
#include "engine/simulate/counts/sim_pages.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/replay/replay_calls.h"
#include "engine/simulate/replay/replay_multi.h"
#include "engine/simulate/replay/replay_needs.h"
#include "engine/simulate/replay/replay_uses.h"
#include "engine/simulate/state/filter.h"
#include "sim/system/hierarchy.h"

static struct {
	uint32_t count;		     /* of hierarchies */
	bool has_tags, has_line_use; /* see tell_tag */
	bool is_quick; /* no TLB, and stores are as loads: of one hierarchy; or is_multi */
	bool is_multi; /* in one pass: of h only geometry and list are set */
	struct sim_noop data, fetch; /* if it is quick: what is no-op */
	bool is_strict;		     /* a data access may change the first level of code */
	struct sim_core *uses;	     /* one hierarchy that notes uses of lines; or NULL */
	struct sim_hierarchy h[CHANNEL_MAX_GEOMETRIES];
	/* of each hierarchy, added to its indices in a cell */
	uint32_t events_at[CHANNEL_MAX_GEOMETRIES];
} r;

static void charge(void *context, uint32_t tag, unsigned event, uint64_t amount);

static bool has_filter(void)
{
	return !(engine.config.asks & SIM_ASK_NO_FILTER);
}

/* Sets the hierarchies' geometries; *events counts instructions, reads and writes once for all. */
static void read_geometries(uint32_t *events)
{
	const struct channel_config *c = &engine.config;

	*events = CELL_FIRST_MISS;
	for (uint32_t i = 0; i < c->geometry_count; i++) {
		struct sim_shared *s = &r.h[i].shared;

		memcpy(&s->geometry, (const uint8_t *)c->geometry + i * sizeof s->geometry,
		       sizeof s->geometry);
		sim_events_of(&s->geometry, &s->list);
		r.events_at[i] = *events - CELL_FIRST_MISS;
		*events += s->list.count - CELL_FIRST_MISS;
	}
}

/* Changes *events to the numbers of a cell. */
static bool make_multi(uint32_t *events)
{
	const struct sim_geometry *each[CHANNEL_MAX_GEOMETRIES];
	const uint32_t n = engine.config.geometry_count;

	for (uint32_t i = 0; i < n; i++)
		each[i] = &r.h[i].shared.geometry;
	return n > 1 && has_filter() && replay_multi_init(each, n, events, &sim_pages);
}

static bool make_hierarchies(void)
{
	for (uint32_t i = 0; i < engine.config.geometry_count; i++) {
		struct sim_hierarchy *h = &r.h[i];
		struct sim_geometry g = h->shared.geometry;

		if (sim_hierarchy_init(h, &g, has_filter(), &sim_pages) != 0)
			return false;
		h->shared.charge = charge;
		h->shared.charge_context = &r.events_at[i];
		r.has_tags |= replay_wants_tags(&g);
		r.has_line_use |= g.line_use;
	}
	return true;
}

/* Does one table say what is no-op in all hierarchies? Sets r.data and r.fetch to it. */
static bool prepare_quick(void)
{
	const struct sim_core *c = &r.h[0].core;

	if (r.is_multi) {
		r.data = replay_multi.firsts[SIM_OF_DATA].noop;
		r.fetch = replay_multi.firsts[SIM_OF_CODE].noop;
		return true;
	}
	r.data = c->data;
	r.fetch = c->fetch;
	return r.count == 1 && !c->has_tlb && c->data.lines[SIM_STORE] == c->data.lines[0] &&
	       c->data.lines[SIM_MODIFY] == c->data.lines[0];
}

static bool make_all(uint32_t *events)
{
	const struct channel_config *c = &engine.config;

	if (c->geometry_count == 0 || c->geometry_count > CHANNEL_MAX_GEOMETRIES ||
	    c->geometry_bytes != sizeof(struct sim_geometry))
		return false;
	plan_make();
	read_geometries(events);
	r.is_multi = make_multi(events);
	return (r.is_multi || make_hierarchies()) && cells_init(*events) &&
	       (!engine_follows_calls() || graph_start(*events));
}

bool replay_start(void)
{
	uint32_t events;

	if (r.count) /* a forked child has its parent's */
		return true;
	if (!make_all(&events))
		return false;
	r.count = engine.config.geometry_count;
	replay_calls.events = events;
	for (uint32_t k = 0; k < r.count; k++)
		r.is_strict |= replay_is_strict(&r.h[k].shared.geometry);
	r.is_quick = prepare_quick();
	r.uses = r.has_line_use && r.count == 1 ? &r.h[0].core : 0;
	plan.code_line_shift = r.fetch.shift;
	return true;
}

struct sim_hierarchy *replay_hierarchy(void)
{
	return r.h;
}

/* ---- One instruction after the other ---- */

/*
 * Where to count the instruction's events: an instruction gets a cell with its first event. With a
 * call graph the spare cell collects them, because the thread's totals need them, too.
 */
static inline uint64_t *events_of(const struct segment_insn *in, uint32_t hierarchy)
{
	return (in->cell && !replay_calls.thread ? cells_at(in->cell) : cells_spare()) +
	       r.events_at[hierarchy];
}

/* A line was evicted, or the run ends: charge its use to who loaded it (0: see uses_watch.h). */
static void charge(void *context, uint32_t tag, unsigned event, uint64_t amount)
{
	event += *(const uint32_t *)context;
	if (!tag)
		return;
	cells_at(tag)[event] += amount;
	replay_calls_count(event, amount);
}

/* Tags accesses: for line use by the instruction's cell, for strides by its address. */
static void tell_tag(struct segment *s, struct segment_insn *in)
{
	const uint32_t tag = (uint32_t)segment_graph(s)->pc + in->offset;
	uint32_t *number = replay_calls_cell_number(s, in);

	if (r.has_line_use && !*number)
		*number = cells_new_from_spare();
	for (uint32_t k = 0; k < r.count; k++) {
		r.h[k].core.tag = *number;
		r.h[k].core.stride_tag = tag;
	}
}

/* Events were counted where events_of says: charge them. */
static void counted(struct segment *s, struct segment_insn *in)
{
	replay_calls_count_all(cells_spare());
	if (replay_calls.thread || !in->cell)
		cells_take_spare(replay_calls_cell_number(s, in));
}

static void fetch(struct segment *s, struct segment_insn *in)
{
	uint64_t pc = segment_graph(s)->pc + in->offset;
	bool any = false;

	if (r.is_multi) {
		replay_multi_fetch(s, in, pc);
		return;
	}
	if (r.uses && replay_fetch_use(r.uses, pc, in->length, 1))
		return;
	if (r.has_tags)
		tell_tag(s, in);
	for (uint32_t k = 0; k < r.count; k++)
		if (!sim_core_fetch_is_noop(&r.h[k].core, pc, in->length))
			any |= sim_core_fetch(&r.h[k].core, pc, in->length, events_of(in, k));
	if (any)
		counted(s, in);
}

static void touch(struct segment *s, struct segment_insn *in, uint64_t address, uint32_t bytes,
		  uint32_t kind)
{
	const enum sim_access access = kind - ACCESS_LOAD;
	bool any = false;

	if (r.is_multi) {
		replay_multi_touch(s, in, address, bytes, access);
		return;
	}
	if (r.uses && replay_data_use(r.uses, address, bytes, access))
		return;
	if (r.has_tags)
		tell_tag(s, in);
	for (uint32_t k = 0; k < r.count; k++)
		if (!sim_core_data_is_noop(&r.h[k].core, address, bytes, access))
			any |= sim_core_data(&r.h[k].core, address, bytes, access,
					     events_of(in, k));
	if (any)
		counted(s, in);
}

/* Counts what the executions of segments do not imply. */
static void count(struct segment *s, struct segment_insn *in, uint64_t insns, uint64_t reads,
		  uint64_t writes)
{
	cells_add(replay_calls_cell_number(s, in), insns, reads, writes);
	replay_calls_count(CELL_INSTRUCTIONS, insns);
	replay_calls_count(CELL_READS, reads);
	replay_calls_count(CELL_WRITES, writes);
}

static uint64_t whole_address(const struct segment_access *a, uint64_t entry)
{
	return a->fs ? entry + fsbase_get(thread_self()) : entry;
}

/* The fetch and the accesses of instruction i. */
static void replay_insn(struct segment *s, const uint64_t *entry, uint32_t i, uint64_t address_bits)
{
	struct segment_insn *in = &segment_insns(s)[i];
	const struct segment_access *a = &segment_accesses(s)[in->first];

	fetch(s, in);
	for (uint32_t k = 0; k < in->accesses; k++)
		touch(s, in, whole_address(&a[k], entry[in->first + k]) & address_bits, a[k].size,
		      a[k].kind);
}

static void replay_exactly(struct segment *s, const uint64_t *entry, uint32_t insns)
{
	for (uint32_t i = 0; i < insns; i++)
		replay_insn(s, entry, i, UINT64_MAX);
}

/*
 * An execution that a fault interrupted: its instructions are counted one by one. The one that
 * faulted is not counted, but was fetched, and tried its accesses, to any address: as in the filter
 * variant its low bits count.
 */
static void replay_cut(struct segment *s, const uint64_t *entry, uint64_t trailer)
{
	const uint32_t insns = segment_cut_at(trailer);
	const uint32_t tried = (trailer & SEGMENT_TRIED_BIT) != 0;

	if (insns + tried > s->insns)
		return;
	for (uint32_t i = 0; i < insns; i++) {
		struct segment_insn *in = &segment_insns(s)[i];

		count(s, in, 1, in->reads, in->writes);
	}
	replay_exactly(s, entry, insns);
	if (tried)
		replay_insn(s, entry, insns, (1ull << FILTER_ADDRESS_BITS) - 1);
}

/* ---- String and vector instructions ---- */

enum { REP_SOURCE, REP_TARGET, REP_SHAPE, REP_WORDS };

#define SHAPE_BACKWARDS	  1u
#define SHAPE_KIND_AT(k)  (1 + 2 * (k))
#define SHAPE_ACCESSES_AT 5
#define SHAPE_COUNT_AT	  7

void replay_put_repeat(struct thread *t, uint32_t trailer, const struct repeat *rep)
{
	if (t->buf + REP_WORDS + 1 > t->buf_end)
		collect_settle(t);
	t->buf[REP_SOURCE] = rep->address[0] << 1 >> 1;
	t->buf[REP_TARGET] = rep->address[1] << 1 >> 1;
	t->buf[REP_SHAPE] = (rep->step < 0 ? SHAPE_BACKWARDS : 0) |
			    (uint64_t)rep->kind[0] << SHAPE_KIND_AT(0) |
			    (uint64_t)rep->kind[1] << SHAPE_KIND_AT(1) |
			    (uint64_t)rep->accesses << SHAPE_ACCESSES_AT |
			    rep->iterations << (SHAPE_COUNT_AT + 1) >> 1;
	t->buf[REP_WORDS] = (uint64_t)(int64_t)(int32_t)trailer;
	t->buf += REP_WORDS + 1;
}

void replay_put_elements(struct thread *t, uint32_t trailer, const uint64_t *entries, uint32_t n)
{
	if (t->buf + n + 1 > t->buf_end)
		collect_settle(t);
	for (uint32_t i = 0; i < n; i++)
		*t->buf++ = STREAM_ADDRESS(entries[i]);
	*t->buf++ = (uint64_t)(int64_t)(int32_t)trailer;
}

/* As Valgrind counts: one instruction for each iteration, and one that finds the end. */
static void replay_repeat(struct segment *s, const uint64_t *words)
{
	uint64_t n = words[REP_SHAPE] >> SHAPE_COUNT_AT;
	uint32_t accesses = words[REP_SHAPE] >> SHAPE_ACCESSES_AT & 3;
	uint32_t size = segment_accesses(s)->size;
	uint64_t step = words[REP_SHAPE] & SHAPE_BACKWARDS ? -(uint64_t)size : size;
	uint64_t writes = 0;
	struct segment_insn *in = segment_insns(s);

	fetch(s, in);
	for (uint32_t k = 0; k < accesses; k++)
		writes += (words[REP_SHAPE] >> SHAPE_KIND_AT(k) & 3) == ACCESS_STORE;
	if (n)
		count(s, in, n, n * (accesses - writes), n * writes);
	for (uint64_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < accesses; k++)
			touch(s, in, words[k] + i * step, size,
			      words[REP_SHAPE] >> SHAPE_KIND_AT(k) & 3);
}

/* An instruction that faulted part way runs again for the rest: fetch and count it then only. */
static void replay_elements(struct segment *s, const uint64_t *entry, const uint64_t *trailer)
{
	const struct segment_access *a = segment_accesses(s);
	const uint64_t n = (uint64_t)(trailer - entry);
	struct segment_insn *in = segment_insns(s);
	bool write = a->kind == ACCESS_STORE;

	if (segment_is_cut(*trailer))
		s->executions--;
	else
		fetch(s, in);
	if (n)
		count(s, in, 0, write ? 0 : n, write ? n : 0);
	for (; entry < trailer; entry++)
		touch(s, in, *entry, a->size, a->kind);
}

/* ---- The buffer ---- */

/* Are the segment's lines of code no-op? */
static inline bool code_is_noop_quickly(const struct sim_noop *f, const struct segment *s)
{
	uint64_t line = s->code_line;

	for (uint32_t i = 0; i < s->lines; i++, line++)
		if (f->lines[0][line & f->set_mask] != line)
			return false;
	return true;
}

static inline bool code_is_noop(const struct segment *s)
{
	if (r.is_quick)
		return code_is_noop_quickly(&r.fetch, s);
	for (uint32_t k = 0; k < r.count; k++)
		if (!sim_core_fetch_is_noop(&r.h[k].core, segment_graph(s)->pc, s->bytes))
			return false;
	return true;
}

static void replay_special(struct segment *s, const uint64_t *entry, const uint64_t *trailer)
{
	if (s->flags & SEGMENT_VECTOR) {
		replay_elements(s, entry, trailer);
	} else if (segment_is_cut(*trailer)) {
		s->executions--;
		replay_cut(s, entry, *trailer);
	} else if (s->flags & SEGMENT_REP) {
		replay_repeat(s, entry);
	} else {
		replay_exactly(s, entry, s->insns);
	}
}

/* The fetches are no-op, but not all accesses. */
static void replay_accesses(struct segment *s, const uint64_t *entry)
{
	struct segment_insn *in = segment_insns(s);

	if (r.is_strict) {
		replay_exactly(s, entry, s->insns);
		return;
	}
	for (uint32_t i = 0; i < s->accesses; i++) {
		const struct segment_access *a = &segment_accesses(s)[i];

		while (i >= (uint32_t)in->first + in->accesses)
			in++;
		touch(s, in, entry[i], a->size, a->kind);
	}
}

/* Any segment, for any geometry. The call graph knows that it is entered. */
static void replay_segment(struct segment *s, const uint64_t *entry, const uint64_t *trailer)
{
	if ((s->flags & SEGMENT_NEW) && replay_calls.thread)
		replay_calls_meet(s);
	s->executions++;
	if (s->flags || segment_is_cut(*trailer) ||
	    !(r.uses ? replay_uses(r.uses, s, entry) : code_is_noop(s)))
		replay_special(s, entry, trailer);
	else if (!r.uses)
		replay_accesses(s, entry);
	if (!replay_calls.thread)
		return;
	if (segment_is_cut(*trailer))
		replay_calls_cut(s, trailer + 1);
	else
		replay_calls_leave(s, trailer + 1);
}

static void replay_slowly(const uint64_t *p, const uint64_t *end)
{
	const uint64_t *trailer = p;

	for (; p < end; p = ++trailer) {
		struct segment *s;

		while (!(*trailer >> 63))
			trailer++;
		s = segments_of_trailer(*trailer);
		replay_calls_enter(s, p);
		replay_segment(s, p, trailer);
	}
}

static void replay_quickly(const uint64_t *p, const uint64_t *end)
{
	const struct sim_noop d = r.data, f = r.fetch;
	const uint64_t *const lines = d.lines[0], *trailer = p;

	for (; p < end; p = ++trailer) {
		struct segment *s;
		uint64_t bad = 0;

		while (!(*trailer >> 63))
			trailer++;
		s = segments_of_trailer(*trailer);
		replay_calls_enter(s, p);
		if (s->flags || segment_is_cut(*trailer) || !code_is_noop_quickly(&f, s)) {
			replay_segment(s, p, trailer);
			continue;
		}
		s->executions++;
		for (uint32_t i = 0; i < s->accesses; i++) {
			uint64_t line = p[i] >> d.shift;

			bad |= lines[line & d.set_mask] ^ line;
			bad |= (p[i] + s->size[i] - 1) >> d.shift ^ line;
		}
		if (bad)
			replay_accesses(s, p);
		replay_calls_leave(s, trailer + 1);
	}
}

void replay_buffer(struct thread *t)
{
	const uint64_t *p = t->buf_start;

	replay_calls_begin(graph_of(t), p, t->buf);
	if (r.is_quick)
		replay_quickly(p, t->buf);
	else
		replay_slowly(p, t->buf);
	replay_calls_end(t->buf);
	t->special = 0;
}

void replay_end(void)
{
	replay_calls.thread = 0;
	for (uint32_t k = 0; k < r.count; k++)
		sim_hierarchy_finish(&r.h[k]);
}
