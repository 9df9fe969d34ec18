/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that code follows by itself; see open_calls.h. */
#include "sim/calls/open_calls.h"

#include <stddef.h>

#include "sim/calls/call_records.h"
#include "sim/calls/frames.h"

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
	arc->inclusive[0] += sums->lane[1] & (((uint64_t)1 << SIM_RECORD_MODIFIES) - 1);
	arc->inclusive[1] += (uint32_t)sums->lane[0] + (sums->lane[1] >> SIM_RECORD_MODIFIES);
	arc->inclusive[2] += sums->lane[0] >> 32;
	for (unsigned i = SIM_OFTEN; i < g->config.events && i - SIM_OFTEN < 6; i++)
		arc->inclusive[i] += sums->rare[i - SIM_OFTEN];
}

void sim_call_graph_add_jumps(struct sim_call_graph *g, struct sim_segment *from, uint64_t target,
			      uint64_t n)
{
	struct sim_jump *jump;

	sim_call_graph_place(g, from);
	jump = sim_jumps_find(g, from, &from->own, target);
	if (jump != NULL)
		jump->taken += n;
	else
		g->lost += n;
}

void sim_call_graph_show(const struct sim_call_graph *g, const struct sim_call_stack *s,
			 bool are_active)
{
	const struct sim_fiber *f = s->fiber;

	for (uint32_t i = 0; f != NULL && i < f->count; i++)
		sim_show(g, f->frame[i].arc->callee, are_active);
}
