/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that code follows by itself; see open_calls.h. */
#include "sim/calls/open_calls.h"

#include <stddef.h>

#include "sim/calls/frames.h"
#include "sim/calls/sites.h"

/* NULL without memory. */
static struct sim_arc *arc_of(struct sim_call_graph *g, const struct sim_open_call *c)
{
	const uint32_t caller = sim_contexts_root(&g->contexts, c->caller, UINT32_MAX),
		       callee = sim_contexts_root(&g->contexts, c->callee, UINT32_MAX);
	struct sim_arc *arc;

	if (caller == 0 || callee == 0)
		return NULL;
	arc = sim_arcs_find(g, caller, c->pc, callee, c->flags);
	if (arc != NULL)
		arc->function = c->callee;
	g->contexts.items[callee].entered = true;
	return arc;
}

void sim_call_graph_open(struct sim_call_graph *g, struct sim_call_stack *s,
			 const struct sim_open_call *c, struct sim_arc **arc,
			 const struct sim_totals *totals)
{
	const bool is_jump = c->flags & SIM_ARC_JUMP;
	const uint64_t sp = !is_jump ? c->sp : s->fiber->count != 0 ? sim_top(s)->sp : UINT64_MAX;

	if (*arc == NULL)
		*arc = arc_of(g, c);
	if (sim_frames_open(g, s, *arc, sp, totals))
		sim_top(s)->back = c->back;
}

void sim_call_graph_add(struct sim_call_graph *g, const struct sim_open_call *c,
			struct sim_arc **known, const struct sim_sums *sums)
{
	struct sim_arc *arc = *known != NULL ? *known : arc_of(g, c);

	*known = arc;
	if (arc == NULL) {
		g->lost += sums->calls;
		return;
	}
	arc->calls += sums->calls;
	arc->inclusive[0] += sums->lane[1] & (((uint64_t)1 << SIM_LANE_MODIFIES) - 1);
	arc->inclusive[1] += (uint32_t)sums->lane[0] + (sums->lane[1] >> SIM_LANE_MODIFIES);
	arc->inclusive[2] += sums->lane[0] >> 32;
	for (unsigned i = SIM_OFTEN; sums->rare != NULL && i < g->config.events; i++)
		arc->inclusive[i] += sums->rare[i - SIM_OFTEN];
}

struct sim_arc *sim_call_graph_arc(struct sim_call_graph *g, uint32_t caller,
				   const struct sim_open_call *c, uint32_t newest)
{
	const bool is_folded = newest != 0 && sim_contexts_has(&g->contexts, caller, c->callee);
	const uint32_t callee =
		is_folded ? newest : sim_contexts_child(&g->contexts, caller, c->callee);
	struct sim_arc *arc;

	if (callee == 0)
		return NULL;
	arc = sim_arcs_find(g, caller, c->pc, callee,
			    c->flags | (newest != 0 ? SIM_ARC_RECURSIVE : 0));
	if (arc != NULL)
		arc->function = is_folded ? 0 : c->callee;
	g->contexts.items[callee].entered = true;
	return arc;
}

struct sim_cell *sim_call_graph_cell(struct sim_call_graph *g, struct sim_segment *segment,
				     uint32_t node)
{
	return sim_cells_find(g, segment, node);
}

void sim_call_graph_left(struct sim_call_graph *g, struct sim_call_stack *s,
			 struct sim_segment *segment, uint64_t sp)
{
	sim_call_graph_leave(s, segment, sim_cells_left(g, s, segment), sp);
}

void sim_call_graph_add_jumps(struct sim_call_graph *g, struct sim_segment *from, uint32_t node,
			      uint64_t target, uint64_t n)
{
	const struct sim_cell *cell = node != 0 ? sim_cells_find(g, from, node) : &from->own;
	struct sim_jump *jump;

	if (node == 0)
		sim_call_graph_place(g, from);
	jump = cell != NULL ? sim_jumps_find(g, from, cell, target) : NULL;
	if (jump != NULL)
		jump->taken += n;
	else
		g->lost += n;
}

void sim_call_graph_show(const struct sim_call_graph *g, const struct sim_call_stack *s,
			 bool are_active)
{
	const struct sim_fiber *f = s->fiber;

	for (uint32_t i = 0; f != NULL && i < f->count; i++) {
		const uint32_t node = f->frame[i].arc->callee, function = sim_function_of(g, node);

		if (function >= g->shown_count)
			continue;
		if (g->show != NULL)
			g->show(function, are_active ? node : 0, node, are_active);
		else
			g->shown[function] = are_active;
	}
}
