/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of call_graph.h: what the end of a segment together with the next segment means. */
#include "sim/calls/call_graph.h"

#include <stddef.h>

#include "sim/calls/quick_step.h"

#define NO_SP UINT64_MAX

int sim_call_graph_init(struct sim_call_graph *g, const struct sim_call_graph_config *config,
			const struct sim_memory *memory)
{
	int status;

	*g = (struct sim_call_graph){
		.memory = memory,
		.config = *config,
		.has_short_segments =
			config->depth == 0 && !config->separate_threads && !config->jumps,
	};
	sim_arcs_init(g);
	status = sim_functions_init(&g->functions, config->find, config->find_context, memory);
	if (sim_contexts_init(&g->contexts, config->depth, memory) != 0)
		status = -1;
	return status;
}

void sim_call_graph_release(struct sim_call_graph *g)
{
	if (g->memory == NULL)
		return;
	sim_functions_release(&g->functions);
	sim_contexts_release(&g->contexts);
	sim_arcs_release(g);
	*g = (struct sim_call_graph){0};
}

uint32_t sim_call_graph_function(struct sim_call_graph *g, uint64_t pc)
{
	return sim_functions_number(&g->functions, pc);
}

void sim_call_graph_forget_code(struct sim_call_graph *g, uint64_t start, uint64_t end)
{
	sim_functions_forget(&g->functions, start, end);
}

void sim_call_graph_unfinished(struct sim_call_stack *s)
{
	if (s->last != NULL)
		s->transfer = SIM_CUT;
}

/* ---- The function of the next segment ---- */

/* Begin a root: nothing known has called the current function. */
static void begin_root(struct sim_call_graph *g, struct sim_call_stack *s, uint32_t function,
		       const struct sim_totals *totals)
{
	struct sim_call c = {.function = function, .sp = NO_SP, .flags = s->root_flags};

	s->root_flags = SIM_ARC_START;
	sim_frames_push(g, s, &c, totals);
}

/*
 * A stub of the linkage table, or the dynamic linker's resolver, jumps to the called function.
 * Treat it as two calls, one after the other. Returns whether it was so.
 */
static bool leave_stub(struct sim_call_graph *g, struct sim_call_stack *s, uint32_t function,
		       const struct sim_totals *totals)
{
	const struct sim_frame *top = sim_top(s);
	struct sim_call c = {.function = function, .sp = top->sp};

	if (!top->arc->leads_on || top->arc->caller == 0 || top->arc->callee != s->node)
		return false;
	c.caller = top->caller;
	c.pc = top->arc->pc;
	c.flags = top->arc->flags & SIM_ARC_JUMP;
	c.recent = &top->arc->other;
	sim_frames_pop(g, s, totals);
	sim_frames_push(g, s, &c, totals);
	return true;
}

/*
 * Go from the end of `last`, without call or return, to code of a function, at its beginning or
 * not.
 */
static void go_to(struct sim_call_graph *g, struct sim_call_stack *s, uint32_t function,
		  bool is_entry, struct sim_segment *last, const struct sim_totals *totals)
{
	struct sim_call c = {.function = function, .flags = SIM_ARC_JUMP};
	uint32_t active;

	if (sim_function_of(g, s->node) == function || leave_stub(g, s, function, totals))
		return;
	c.caller = s->node;
	c.pc = last != NULL ? last->end_pc : 0;
	c.recent = last != NULL ? &last->arc : NULL;
	c.sp = sim_top(s)->sp;
	if (is_entry) {
		sim_frames_chain(g, s, &c, totals);
		return;
	}
	active = sim_frames_active(g, s, function);
	if (active == 0) {
		sim_frames_push(g, s, &c, totals);
		return;
	}
	while (s->fiber->count > active)
		sim_frames_pop(g, s, totals);
	s->node = sim_top(s)->arc->callee;
}

static void called(struct sim_call_graph *g, struct sim_call_stack *s, uint32_t function,
		   const struct sim_totals *totals)
{
	struct sim_segment *last = s->last;
	struct sim_call c = {
		.function = function, .pc = last->end_pc, .sp = s->sp, .recent = &last->arc};

	if (!sim_is_near(s->fiber, c.sp))
		sim_fibers_choose(g, s, c.sp, SIM_BY_CALL, totals);
	s->fiber->sp = c.sp;
	if (s->fiber->count == 0)
		begin_root(g, s, last->function, totals);
	if (s->fiber->count == 0)
		return;
	while (sim_top(s)->sp <= c.sp)
		sim_frames_pop(g, s, totals);
	go_to(g, s, last->function, false, last, totals);
	c.caller = s->node;
	sim_frames_push(g, s, &c, totals);
}

static void returned(struct sim_call_graph *g, struct sim_call_stack *s,
		     const struct sim_segment *segment, const struct sim_totals *totals)
{
	const bool entry = sim_is_entry(g, segment);
	const uint64_t sp = s->sp;

	/* A return out of the root: its caller is unknown, or the kernel. */
	if (sim_top(s)->sp == NO_SP && !entry && sp - s->fiber->high < SIM_NEAR &&
	    (sp > s->fiber->high || s->fiber->interrupted != NULL))
		sim_frames_end(g, s, totals);
	/* A return that does not match the topmost frame may lead to another stack. */
	if (s->fiber->count == 0 || sim_top(s)->sp != sp)
		sim_fibers_choose(g, s, sp, entry ? SIM_BY_RETURN_TO_ENTRY : SIM_BY_RETURN, totals);
	s->fiber->sp = sp;
	if (s->fiber->count == 0) {
		begin_root(g, s, segment->function, totals);
		return;
	}
	while (sim_top(s)->sp <= sp)
		sim_frames_pop(g, s, totals);
	go_to(g, s, segment->function, entry, s->last, totals);
}

static void step_slowly(struct sim_call_graph *g, struct sim_call_stack *s,
			struct sim_segment *segment, const struct sim_totals *totals)
{
	struct sim_segment *last = s->last;

	if (s->fiber->count == 0)
		begin_root(g, s, segment->function, totals);
	else if (s->transfer != SIM_TRANSFERS || last == NULL)
		go_to(g, s, segment->function, sim_is_entry(g, segment), last, totals);
	else if (last->end == SIM_END_RETURN)
		returned(g, s, segment, totals);
	else
		called(g, s, segment->function, totals);
	if (s->fiber->count != 0)
		segment->from = sim_top(s)->arc;
}

struct sim_cell *sim_call_graph_step(struct sim_call_graph *g, struct sim_call_stack *s,
				     struct sim_segment *segment, const struct sim_totals *totals)
{
	struct sim_quick q;

	sim_quick_load(&q, s, g->config.depth != 0);
	if (s->last != NULL && s->transfer != SIM_CUT &&
	    sim_quick_step(g, &q, s->last, segment, s->sp, totals))
		sim_quick_store(&q, s);
	else
		step_slowly(g, s, segment, totals);
	return sim_cells_choose(g, s, segment);
}

/* ---- Forks ---- */

void sim_call_graph_forked(struct sim_call_graph *g, struct sim_call_stack *s,
			   const struct sim_totals *totals)
{
	sim_call_graph_each_arc(g, NULL, NULL);
	sim_call_graph_each_jump(g, NULL, NULL);
	g->lost = 0;
	for (struct sim_fiber *f = s->fibers; f != NULL; f = f->next) {
		f->left = *totals;
		sim_frames_restart(g, f, totals);
	}
}
