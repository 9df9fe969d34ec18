/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How this process is simulated; see plan.h. */
#include "engine/simulate/plan/plan.h"

#include "engine/core/state.h"

struct simulate_plan plan;

static struct sim_request request(bool no_room)
{
	return (struct sim_request){.geometries = (const void *)engine.config.geometry,
				    .count = engine.config.geometry_count,
				    .asks = engine.config.asks,
				    .no_room = no_room};
}

static void make(bool no_room)
{
	const struct sim_request r = request(no_room);
	const struct sim_geometry *g = r.geometries;
	struct sim_plan p;
	bool in_code;

	sim_plan_make(&r, &p);
	in_code = p.way != SIM_WAY_REPLAY;
	plan = (struct simulate_plan){
		.way = p.way,
		.why = p.why,
		.turns = plan.turns,
		.code_line_shift = plan.code_line_shift,
		.pair = p.way == SIM_WAY_PAIR,
		.walks = p.way == SIM_WAY_WALK,
		.several = p.way == SIM_WAY_SEVERAL,
		.fetches = sim_geometry_has_fetches(g),
		.sets = p.asks & SIM_ASK_SETS,
		.pages = p.way == SIM_WAY_WALK &&
			 (g->data_tlb.entries != 0 || g->code_tlb.entries != 0),
		.stretches = p.asks & SIM_ASK_SAMPLE,
		.data = p.asks & SIM_ASK_DATA,
		.references = p.asks & SIM_ASK_REFERENCES,
		.conflicts = p.asks & SIM_ASK_CONFLICTS,
		.uses = p.way == SIM_WAY_WALK && g->line_use,
		.some_uses = p.way == SIM_WAY_WALK && g->line_use && g->line_share > 0,
		.contexts = p.asks & (SIM_ASK_CONTEXT | SIM_ASK_THREADS),
		.branches = p.asks & SIM_ASK_JUMPS,
		.arcs = in_code && !(p.asks & SIM_ASK_NO_GRAPH),
	};
	for (unsigned i = 1; i < r.count; i++)
		plan.fetches |= sim_geometry_has_fetches(&g[i]);
	plan.nodes = plan.arcs && plan.contexts;
}

void plan_make(void)
{
	make(false);
}

void plan_replay(void)
{
	make(true);
}
