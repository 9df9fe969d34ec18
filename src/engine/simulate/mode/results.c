/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends what a simulation has counted since the last time, as records; see replay.h. */
#include <time.h>

#include "channel/sys.h"
#include "engine/core/lock.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/drive/collect.h"
#include "engine/simulate/calls/arcs.h"
#include "engine/simulate/calls/filter_calls.h"
#include "engine/simulate/calls/nodes.h"
#include "engine/simulate/counts/cells.h"
#include "engine/simulate/counts/graph.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/counts/segments_places.h"
#include "engine/simulate/miss/branches.h"
#include "engine/simulate/miss/filter_executions.h"
#include "engine/simulate/miss/filter_multi.h"
#include "engine/simulate/miss/filter_taken.h"
#include "engine/simulate/mode/filter_scheduler.h"
#include "engine/simulate/mode/results.h"
#include "engine/simulate/observe/bins.h"
#include "engine/simulate/observe/contrasts.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/replay/replay.h"
#include "engine/simulate/state/filter.h"
#include "engine/simulate/state/filter_sites.h"

#define DUE_NS 2000000000ull /* between two reports */
/*
 * A thread reports sooner before a wait, which may be long: its counts may be asked for meanwhile.
 */
#define WAIT_LEAST_NS 20000000ull
#define WAIT_MOST_NS  250000000ull
#define WAIT_PART     10u /* between the two: this multiple of a report's CPU time */
/* parts and events of a record: they fit into a quarter of the smallest ring */
#define MOST_WORDS 12000u

static struct {
	uint64_t flushed_ns, took_ns;
	uint64_t words[MOST_WORDS]; /* under the lock of collect.h */
} out;

static bool has_news(const uint64_t *cell)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < cells.events; i++)
		any |= cell[i];
	return any != 0;
}

/* A segment in one context. */
struct part_of_segment {
	struct segment *s;
	struct sim_cell *cell; /* NULL: the process has no call graph */
};

static uint64_t *events_of(const struct part_of_segment *c, uint32_t i)
{
	uint32_t number = segment_insns(c->s)[i].cell;

	if (c->cell && c->cell != &segment_graph(c->s)->own)
		number = c->cell->events ? ((const uint32_t *)c->cell->events)[i] : 0;
	return number ? cells_at(number) : 0;
}

/*
 * Moves the events of the segment's instructions from their cells to out.words. Returns the words
 * written.
 */
static uint32_t take_parts(const struct part_of_segment *c)
{
	struct segment_part *part = (void *)out.words;
	const struct segment *s = c->s;
	uint32_t n = s->insns;

	for (uint32_t i = 0; i < s->insns; i++) {
		const struct segment_insn *in = &segment_insns(s)[i];
		uint64_t *cell = events_of(c, i);

		part[i] = (struct segment_part){.offset = in->offset,
						.length = in->length,
						.reads = in->reads,
						.writes = in->writes,
						.has_events = cell && has_news(cell)};
		if (!part[i].has_events)
			continue;
		cells_copy(out.words + n, cell);
		memset(cell, 0, cells.events * sizeof *cell);
		n += cells.told;
	}
	return n;
}

/* Direct jumps, which follow from executions; indirect ones are in the graph. */
static void tell_jumps(struct process *p, const struct sim_segment *g, struct sim_cell *cell,
		       uint64_t executed)
{
	struct record_jump r = {.from = g->end_pc,
				.to = g->target,
				.executed = executed,
				.taken = executed,
				.node = cell->node,
				.conditional = g->end == SIM_END_BRANCH};

	if (!executed || !(engine.config.asks & SIM_ASK_JUMPS) ||
	    (g->end != SIM_END_BRANCH && g->end != SIM_END_JUMP))
		return;
	if (r.conditional)
		r.taken = cell->taken - cell->flushed_taken;
	cell->flushed_taken = cell->taken;
	records_jump(p, &r);
}

static void tell(struct process *p, const struct part_of_segment *c, uint64_t executions)
{
	struct record_segment r = {.pc = segment_graph(c->s)->pc,
				   .executions = executions,
				   .parts = c->s->insns,
				   .events = (uint16_t)cells.told,
				   .node = c->cell ? c->cell->node : 0};
	uint32_t words = take_parts(c);

	if (r.executions || words > c->s->insns)
		records_segment(p, &r, out.words, words * (uint32_t)sizeof *out.words);
	if (c->cell)
		tell_jumps(p, segment_graph(c->s), c->cell, executions);
}

/*
 * After a report no instruction keeps its cell; with its next event it gets a new one. Otherwise
 * nearly all instructions of a large program would have one in the end. With tags or several
 * hierarchies other tables keep numbers of cells.
 */
static bool forgets_cells(void)
{
	return filter_is_on() && !plan.several && !graph_counts_in_cells();
}

/* Gives back the cells from number `from` on, which have just been reported. */
static void give_back_cells(struct segment *s, uint32_t from)
{
	for (uint32_t i = 0; i < s->insns; i++)
		if (segment_insns(s)[i].cell >= from)
			segment_insns(s)[i].cell = 0;
	cells_give_back(from);
}

/* The segment's first cell of another context. */
static struct sim_cell *second_cell(const struct segment *s)
{
	return graph_counts_in_cells() ? segment_graph(s)->own.next : 0;
}

/* In the filter variant cells are marked when they count, but not where lines have costs. */
static bool may_have_news(struct sim_cell *c)
{
	const bool may = !plan.nodes || plan.uses || !filter_is_on() || c->owner;

	c->owner = 0;
	return may;
}

/* Misses that the filter counted need cells only for this report. */
static void tell_segment(struct process *p, struct segment *s)
{
	struct part_of_segment own = {s, engine_follows_calls() ? &segment_graph(s)->own : 0};
	const uint32_t next = cells_next();

	filter_count_executions(s);
	branches_report(s);
	filter_take_misses(s);
	tell(p, &own, s->executions);
	s->executions = 0;
	if (cells_next() != next)
		give_back_cells(s, next);
	for (uint32_t i = 0; i < s->insns && forgets_cells(); i++)
		segment_insns(s)[i].cell = 0;
	for (struct sim_cell *c = second_cell(s); c; c = c->next) {
		struct part_of_segment other = {s, c};

		if (!may_have_news(c))
			continue;
		tell(p, &other, c->executions - c->flushed_executions);
		c->flushed_executions = c->executions;
	}
}

/* CPU time, as the thread may also have to wait for the collector. */
static uint64_t cpu_ns(void)
{
	struct timespec t;

	sys2(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void place_segment(void *unused, struct segment *s)
{
	uint64_t any = s->executions;

	(void)unused;
	filter_count_executions(s);
	any |= s->executions | filter_has_misses(s);
	for (uint32_t i = 0; i < s->insns && !any; i++)
		any |= segment_insns(s)[i].cell; /* a cut execution counts in cells only */
	if (any)
		graph_place(s);
}

/* In the filter variant the graph does not see each segment that is executed. */
static void place_segments(void)
{
	if (!plan.arcs)
		return;
	if (plan.nodes) {
		nodes_take();
		return;
	}
	for (struct segment *s = segments_next(0); s; s = segments_next(s))
		place_segment(0, s);
}

static void flush(struct process *p, bool is_last)
{
	uint32_t question = records_question();
	uint64_t begin = cpu_ns();

	if (!engine_simulates() || !p->profiling || p->borrowed_memory)
		return;
	filter_calls_settle_all();
	filter_settle();
	arcs_flush();
	place_segments();
	graph_flush_nodes(p);
	lock_take(&engine.translate_lock); /* so that no segment is half made */
	for (struct segment *s = segments_next(0); s; s = segments_next(s))
		tell_segment(p, s);
	if (forgets_cells())
		cells_give_back(1);
	lock_drop(&engine.translate_lock);
	graph_flush(p);
	contrasts_flush(p);
	bins_flush(p, is_last || records_asked(p));
	out.flushed_ns = now_ns();
	out.took_ns = cpu_ns() - begin;
	records_counters(p);
	records_answer(p, question);
}

void results_flush(struct process *p)
{
	flush(p, true);
}

static void tell_one(void *context, struct segment *s)
{
	tell_segment(context, s);
}

void results_flush_code(struct process *p, uint64_t start, uint64_t end)
{
	const uint64_t from = start < PAGE ? 0 : start - PAGE; /* a segment may begin before it */

	if (!engine_simulates() || !p->profiling || p->borrowed_memory)
		return;
	filter_settle();
	arcs_flush();
	lock_take(&engine.translate_lock); /* so that no segment is half made */
	if (plan.nodes)
		nodes_take();
	else if (plan.arcs)
		segments_places_each(from, end, place_segment, 0);
	lock_drop(&engine.translate_lock);
	graph_flush_nodes(p);
	lock_take(&engine.translate_lock);
	segments_places_each(from, end, tell_one, p);
	segments_places_forget(start, end);
	lock_drop(&engine.translate_lock);
	graph_flush(p);
	bins_flush(p, true);
}

void results_flush_when_due(struct process *p)
{
	uint64_t now = now_ns();

	if (!out.flushed_ns)
		out.flushed_ns = now;
	if (!filter_turn_is_anothers() && (now - out.flushed_ns >= DUE_NS || records_asked(p)))
		flush(p, false);
}

void results_flush_before_wait(struct process *p)
{
	uint64_t due = out.took_ns * WAIT_PART;

	if (!p->profiling) /* a sandbox may forbid to read the clock then */
		return;
	if (due < WAIT_LEAST_NS)
		due = WAIT_LEAST_NS;
	if (due > WAIT_MOST_NS)
		due = WAIT_MOST_NS;
	collect_lock();
	if (!filter_turn_is_anothers() && (now_ns() - out.flushed_ns >= due || records_asked(p)))
		flush(p, false);
	collect_unlock();
}

static void forget(const struct part_of_segment *c)
{
	for (uint32_t i = 0; i < c->s->insns; i++) {
		uint64_t *cell = events_of(c, i);

		if (cell)
			memset(cell, 0, cells.events * sizeof *cell);
	}
}

void replay_forked(void)
{
	place_segments();
	filter_take_all_misses();
	for (struct segment *s = segments_next(0); s; s = segments_next(s)) {
		filter_count_executions(s);
		s->executions = 0;
		if (graph_counts_in_cells())
			segment_graph(s)->own.flushed_taken = segment_graph(s)->own.taken;
		forget(&(struct part_of_segment){s, &segment_graph(s)->own});
		for (struct sim_cell *c = second_cell(s); c; c = c->next) {
			c->flushed_executions = c->executions;
			c->flushed_taken = c->taken;
			forget(&(struct part_of_segment){s, c});
		}
	}
	bins_forked(); /* behind the loop, as executions count references */
	contrasts_forked();
	out.flushed_ns = 0;
}
