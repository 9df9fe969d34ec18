/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call graph inside the target; see graph.h. */
#include "engine/simulate/counts/graph.h"

#include "engine/core/lock.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/simulate/counts/cells.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/counts/sim_pages.h"
#include "engine/simulate/plan/plan.h"
#include "engine/unwind/functions.h"
#include "engine/unwind/modules.h"

#define NUMBERS_RESERVE (4ull << 30)
#define MADE_ALIGN	16u /* of nearly all functions of made code */

static struct sim_call_graph graph;
static bool is_made;
bool graph_has_old_targets;
static uint32_t flushed_nodes;
static struct grow numbers; /* numbers of cells of instructions, by context */

/* ---- Making ---- */

bool graph_counts_in_cells(void)
{
	return engine_follows_calls() && (engine.config.context_depth ||
					  engine.config.asks & (SIM_ASK_THREADS | SIM_ASK_JUMPS));
}

bool graph_takes_steps(void)
{
	return sim_call_graph_takes_steps(&graph);
}

uint64_t graph_function_end(uint64_t pc)
{
	const uint64_t end = engine_follows_calls() ? functions_end(pc) : 0;

	return end > pc ? end : UINT64_MAX;
}

/* Code of the made function that ends at pc now may go on behind it without a step. */
static void drop_before(uint64_t pc)
{
	struct sim_function before;

	functions_find(0, pc - 1, &before);
	if (before.kind == SIM_FUNCTION_MADE)
		cache_invalidate(before.start, pc);
}

bool graph_reach(uint64_t pc, enum made_way way)
{
	struct made_range stale;

	if (!engine_follows_calls() || !functions_begin(pc, way, &stale))
		return false;
	if (plan.nodes)
		drop_before(pc);
	if (stale.end == 0)
		return false;
	cache_invalidate(stale.start, stale.end);
	__atomic_store_n(&graph_has_old_targets, true, __ATOMIC_RELEASE);
	return true;
}

static bool has_target(const struct insn *in)
{
	return in->kind == INSN_CALL || in->kind == INSN_JMP || in->kind == INSN_JMP_INTO ||
	       in->kind == INSN_JCC || in->kind == INSN_LOOP;
}

/* An aligned jump out of made code may be a tail call, or lead to another trace. */
static enum made_way way_of(const struct insn *in, bool is_file)
{
	if (is_file || in->kind == INSN_CALL)
		return MADE_ENTERED;
	return (in->kind == INSN_JMP || in->kind == INSN_JMP_INTO) && in->target % MADE_ALIGN == 0
		       ? MADE_PERHAPS
		       : MADE_REACHED;
}

void graph_look_at(const struct insn *in, uint32_t n)
{
	struct module_place m;
	bool is_file;

	if (!engine_follows_calls())
		return;
	is_file = modules_place(in->pc, &m);
	if (!is_file)
		graph_reach(in->pc, MADE_REACHED);
	for (const struct insn *end = in + n; in < end; in++) {
		if (has_target(in) && !(is_file && in->target >= m.start && in->target < m.end))
			graph_reach(in->target, way_of(in, is_file));
	}
}

void graph_extend(const struct segment *s)
{
	const struct sim_segment *g = segment_graph(s);
	const uint64_t behind = g->pc + s->bytes;
	const uint64_t reached[] = {behind - 1, g->target, behind};
	const bool goes_on = s->end == SEGMENT_FALLS_THROUGH || s->end == SEGMENT_BRANCH ||
			     s->end == SEGMENT_CALL || s->end == SEGMENT_CALL_INDIRECT ||
			     s->end == SEGMENT_SYSCALL;

	if (engine_follows_calls())
		functions_extend(g->pc, reached, goes_on ? 3 : 2);
}

bool graph_start(uint32_t events)
{
	struct sim_call_graph_config config = {
		.events = events,
		.depth = engine.config.context_depth,
		.separate_threads = engine.config.asks & SIM_ASK_THREADS,
		.jumps = engine.config.asks & SIM_ASK_JUMPS,
		.find = functions_find,
	};

	if (events > SIM_GRAPH_EVENTS || config.depth > SIM_MAX_DEPTH)
		return false;
	is_made = sim_call_graph_init(&graph, &config, &sim_pages) == 0;
	return is_made;
}

struct graph_thread *graph_of(struct thread *t)
{
	struct graph_thread *gt = t->calls;

	if (gt || !is_made)
		return gt;
	gt = pages_get(round_up(sizeof *gt, PAGE));
	if (!gt)
		return 0;
	if (sim_call_stack_init(&gt->stack, &graph, t->index) != 0) {
		sim_call_stack_release(&gt->stack, &graph);
		pages_put(gt, round_up(sizeof *gt, PAGE));
		return 0;
	}
	gt->is_due = true;
	t->calls = gt;
	return gt;
}

/* ---- Segments ---- */

/*
 * The end as the graph knows it. A call or return whose last entry is not the stack's counts as a
 * jump, as its stack pointer is unknown.
 */
static enum sim_segment_end end_of(const struct segment *s)
{
	static const uint8_t ends[] = {
		[SEGMENT_FALLS_THROUGH] = SIM_END_FALL,
		[SEGMENT_BRANCH] = SIM_END_BRANCH,
		[SEGMENT_JUMP] = SIM_END_JUMP,
		[SEGMENT_JUMP_INDIRECT] = SIM_END_JUMP_INDIRECT,
		[SEGMENT_CALL] = SIM_END_CALL,
		[SEGMENT_CALL_INDIRECT] = SIM_END_CALL_INDIRECT,
		[SEGMENT_RETURN] = SIM_END_RETURN,
		[SEGMENT_SYSCALL] = SIM_END_FALL,
		[SEGMENT_OTHER] = SIM_END_FALL,
	};
	enum sim_segment_end end = ends[s->end];
	const struct segment_access *last = segment_accesses(s) + s->accesses - 1;
	uint8_t kind = end == SIM_END_RETURN ? ACCESS_LOAD : ACCESS_STORE;

	if (end < SIM_END_FIRST_TRANSFER)
		return end;
	if (s->accesses == 0 || last->owner != s->insns - 1 || last->kind != kind)
		return SIM_END_JUMP_INDIRECT;
	return end;
}

bool graph_is_elsewhere(const struct segment *s, uint64_t pc)
{
	const struct sim_function *f = &graph.functions.items[segment_graph(s)->function];
	struct sim_function other;

	if (f->kind != SIM_FUNCTION_MADE && f->kind != SIM_FUNCTION_UNKNOWN)
		return pc < f->start || pc >= f->end;
	functions_find(0, pc, &other);
	return other.start != f->start || other.kind != f->kind;
}

/* Must the graph see what follows s: perhaps another function, a context's cell or a jump? */
static bool may_leave(const struct segment *s)
{
	const struct sim_segment *g = segment_graph(s);

	if (plan.contexts || g->end >= SIM_END_JUMP_INDIRECT ||
	    graph_is_elsewhere(s, g->pc + s->bytes))
		return true;
	if (g->end == SIM_END_BRANCH && graph.config.jumps)
		return true;
	return (g->end == SIM_END_BRANCH || g->end == SIM_END_JUMP) &&
	       graph_is_elsewhere(s, g->target);
}

void graph_meet(struct segment *s)
{
	const struct segment_insn *in = segment_insns(s);
	struct sim_segment *g = segment_graph(s);
	uint64_t reads = 0, writes = 0;

	g->end_pc = g->pc + in[s->insns - 1].offset;
	g->end = (uint8_t)end_of(s);
	if (g->end != SIM_END_BRANCH && g->end != SIM_END_JUMP && g->end != SIM_END_CALL)
		g->target = 0;
	g->function = sim_call_graph_function(&graph, g->pc);
	for (uint32_t i = 0; i < s->insns; i++) {
		reads += in[i].reads;
		writes += in[i].writes;
	}
	if (!(s->flags & SEGMENT_FILTER))
		s->counts =
			SIM_COUNTS(s->insns, reads, writes) | (may_leave(s) ? SEGMENT_LEAVES : 0);
	s->flags &= (uint8_t)~SEGMENT_NEW;
}

void graph_place(struct segment *s)
{
	if (!(s->flags & SEGMENT_NEW) && !plan.contexts)
		sim_call_graph_place(&graph, segment_graph(s));
}

struct sim_cell *graph_enter(struct graph_thread *gt, struct segment *s)
{
	if (s->flags & SEGMENT_NEW)
		graph_meet(s);
	gt->is_due = false;
	return sim_call_graph_enter(&graph, &gt->stack, segment_graph(s), &gt->totals);
}

void graph_leave(struct graph_thread *gt, struct segment *s, struct sim_cell *cell, uint64_t sp)
{
	sim_call_graph_leave(&gt->stack, segment_graph(s), cell, sp);
	gt->is_due = true;
}

void graph_steps(struct graph_thread *gt, const struct sim_step *step, const struct sim_step *end)
{
	sim_call_graph_steps(&graph, &gt->stack, &gt->totals, step, end);
}

void graph_exit(struct graph_thread *gt, struct sim_trail *trail, const struct sim_exit *m)
{
	sim_call_graph_exit(&graph, &gt->stack, &gt->totals, trail, m);
}

struct sim_site graph_site_of(struct segment *s, uint64_t pc)
{
	const uint64_t behind = segment_graph(s)->pc + s->bytes;

	return sim_site_of(&graph, segment_graph(s), pc,
			   graph_is_elsewhere(s, behind) ? 0 : behind);
}

uint32_t graph_function(uint64_t pc)
{
	return sim_call_graph_function(&graph, pc);
}

uint32_t graph_kind(uint32_t function)
{
	return graph.functions.items[function].kind;
}

bool graph_begins(uint32_t function, uint64_t pc)
{
	const struct sim_function *f = &graph.functions.items[function];

	return f->start == pc && f->kind != SIM_FUNCTION_UNKNOWN;
}

bool graph_is_in(uint32_t function, uint64_t start, uint64_t end)
{
	const struct sim_function *f = &graph.functions.items[function];

	return f->start < end && f->end > start;
}

void graph_open(struct graph_thread *gt, const struct sim_open_call *c, struct sim_arc **arc)
{
	sim_call_graph_open(&graph, &gt->stack, c, arc, &gt->totals);
}

void graph_add_sums(const struct sim_open_call *c, struct sim_arc **arc,
		    const struct sim_sums *sums)
{
	sim_call_graph_add(&graph, c, arc, sums);
}

void graph_add_jumps(struct sim_segment *from, uint32_t node, uint64_t target, uint64_t n)
{
	sim_call_graph_add_jumps(&graph, from, node, target, n);
}

void graph_show_nodes(void (*show)(uint32_t, uint32_t, uint32_t, bool), uint32_t count)
{
	graph.show = show;
	graph.shown_count = count;
}

struct sim_arc *graph_node_arc(uint32_t caller, const struct sim_open_call *c, uint32_t newest)
{
	return sim_call_graph_arc(&graph, caller, c, newest);
}

uint32_t graph_function_of_node(uint32_t node)
{
	return graph.contexts.items[node].function;
}

struct sim_cell *graph_cell_of(struct segment *s, uint32_t node)
{
	return sim_call_graph_cell(&graph, segment_graph(s), node);
}

void graph_show_active_in(uint8_t *cells, uint32_t count)
{
	graph.shown = cells;
	graph.shown_count = count;
}

void graph_show_active(const struct graph_thread *gt, bool are_active)
{
	sim_call_graph_show(&graph, &gt->stack, are_active);
}

void graph_clear_active(void)
{
	for (uint32_t i = 0; i < graph.functions.count && i < graph.shown_count && !graph.show; i++)
		graph.shown[i] = 0;
	for (uint32_t i = 1; i < graph.contexts.count && graph.show; i++)
		graph.show(graph.contexts.items[i].function, 0, i, false);
}

void graph_left(struct graph_thread *gt, struct sim_segment *s, uint64_t sp)
{
	sim_call_graph_left(&graph, &gt->stack, s, sp);
	gt->is_due = true;
}

void graph_cut(struct graph_thread *gt, struct segment *s, struct sim_cell *cell)
{
	graph_leave(gt, s, cell, 0);
	sim_call_graph_unfinished(&gt->stack);
}

uint32_t *graph_cell_number(struct sim_cell *cell, struct segment *s, struct segment_insn *in)
{
	uint32_t *number = cell->events;

	if (cell == &segment_graph(s)->own)
		return &in->cell;
	if (!number) {
		if (!numbers.base && grow_init(&numbers, NUMBERS_RESERVE) != 0)
			return &in->cell;
		number = grow_take(&numbers, round_up(s->insns * sizeof *number, 8));
		if (!number)
			return &in->cell;
		cell->events = number;
	}
	return number + (in - segment_insns(s));
}

/* ---- Results ---- */

void graph_flush_nodes(struct process *p)
{
	const struct sim_contexts *c = &graph.contexts;

	if (!is_made)
		return;
	for (; flushed_nodes + 1 < c->count; flushed_nodes++) {
		const struct sim_node *n = &c->items[flushed_nodes + 1];
		const struct sim_function *f = &graph.functions.items[n->function];
		/* a function with unknown bounds is named by the first address that ran in it */
		bool known = f->kind != SIM_FUNCTION_UNKNOWN;
		struct record_node r = {.start = known ? f->start : f->seen,
					.end = f->end,
					.id = flushed_nodes + 1,
					.caller = n->caller,
					.thread = n->thread,
					.kind = f->kind};

		records_node(p, &r);
	}
}

static void tell_arc(void *context, const struct sim_arc *arc)
{
	struct record_arc r = {.pc = arc->pc,
			       .calls = arc->calls,
			       .caller = arc->caller,
			       .callee = arc->callee,
			       .flags = arc->flags,
			       .events = cells.told};
	uint64_t inclusive[SIM_GRAPH_EVENTS];

	cells_copy(inclusive, arc->inclusive);
	records_arc(context, &r, inclusive);
}

static void tell_jump(void *context, const struct sim_jump *jump)
{
	struct record_jump r = {.from = jump->from->end_pc,
				.to = jump->target,
				.executed = jump->taken,
				.taken = jump->taken,
				.node = jump->node};

	records_jump(context, &r);
}

void graph_flush(struct process *p)
{
	if (!is_made)
		return;
	lock_take(&engine.world_lock);
	for (struct thread *t = engine.threads; t; t = t->next_thread)
		if (t->calls)
			sim_call_graph_settle(&graph, &t->calls->stack, &t->calls->totals);
	lock_drop(&engine.world_lock);
	sim_call_graph_each_arc(&graph, tell_arc, p);
	sim_call_graph_each_jump(&graph, tell_jump, p);
}

struct sim_call_graph *graph_made(void)
{
	return is_made ? &graph : 0;
}

void graph_tell_all(void)
{
	flushed_nodes = 0;
}
