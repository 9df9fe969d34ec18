/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counts of a call graph: arcs, cells of segments, targets of jumps. */
#include <stddef.h>

#include "sim/calls/frames.h"
#include "sim/calls/sites.h"

/* Limit of different targets of indirect jumps; further ones are lost. */
#define MOST_JUMPS ((uint64_t)1 << 20)

struct found_cell {
	const struct sim_segment *segment;
	struct sim_cell cell;
};

void sim_arcs_init(struct sim_call_graph *g)
{
	unsigned events = g->config.events < SIM_OFTEN ? SIM_OFTEN : g->config.events;
	uint64_t arc_bytes = sizeof(struct sim_arc) + events * sizeof(uint64_t);

	sim_table_init(&g->arc_table, g->memory);
	sim_table_init(&g->cell_table, g->memory);
	sim_table_init(&g->jump_table, g->memory);
	sim_pool_init(&g->arcs, (uint32_t)arc_bytes, g->memory);
	sim_pool_init(&g->cells, sizeof(struct found_cell), g->memory);
	sim_pool_init(&g->jumps, sizeof(struct sim_jump), g->memory);
}

void sim_arcs_release(struct sim_call_graph *g)
{
	sim_table_release(&g->arc_table);
	sim_table_release(&g->cell_table);
	sim_table_release(&g->jump_table);
	sim_pool_release(&g->arcs);
	sim_pool_release(&g->cells);
	sim_pool_release(&g->jumps);
}

struct sim_arc *sim_arcs_find(struct sim_call_graph *g, uint32_t caller, uint64_t pc,
			      uint32_t callee, uint32_t flags)
{
	uint64_t hash = sim_table_hash((uint64_t)caller << 32 | callee, pc ^ (uint64_t)flags << 56);
	struct sim_arc *arc;
	uint64_t at;

	for (at = sim_table_start(&g->arc_table, hash);
	     (arc = sim_table_next(&g->arc_table, hash, &at)) != NULL;)
		if (arc->caller == caller && arc->callee == callee && arc->pc == pc &&
		    arc->flags == flags)
			return arc;
	arc = sim_pool_take(&g->arcs);
	if (arc == NULL || sim_table_add(&g->arc_table, hash, arc) != 0)
		return NULL;
	arc->caller = caller;
	arc->callee = callee;
	arc->pc = pc;
	arc->flags = (uint16_t)flags;
	arc->leads_on = sim_leads_on(g, callee);
	arc->is_made = sim_is_made(g, callee);
	return arc;
}

struct sim_cell *sim_cells_find(struct sim_call_graph *g, struct sim_segment *segment,
				uint32_t node)
{
	uint64_t hash = sim_table_hash((uintptr_t)segment, node), at;
	struct found_cell *found;

	if (segment->own.node == node)
		return &segment->own;
	if (segment->own.node == 0) {
		segment->own.node = node;
		return &segment->own;
	}
	for (at = sim_table_start(&g->cell_table, hash);
	     (found = sim_table_next(&g->cell_table, hash, &at)) != NULL;)
		if (found->segment == segment && found->cell.node == node)
			return &found->cell;
	found = sim_pool_take(&g->cells);
	if (found == NULL || sim_table_add(&g->cell_table, hash, found) != 0) {
		g->lost++;
		return &segment->own;
	}
	found->segment = segment;
	found->cell.node = node;
	found->cell.next = segment->own.next;
	segment->own.next = &found->cell;
	return &found->cell;
}

struct sim_cell *sim_cells_choose(struct sim_call_graph *g, const struct sim_call_stack *s,
				  struct sim_segment *segment)
{
	if (s->node == SIM_NO_NODE)
		return &segment->own; /* without memory there is no root */
	if (g->has_short_segments) {
		segment->node = s->node;
		if (segment->own.node == 0)
			segment->own.node = s->node;
		return &segment->own;
	}
	if (segment->node != s->node) {
		segment->recent = sim_cells_find(g, segment, s->node);
		segment->node = segment->recent->node;
	}
	return segment->recent;
}

struct sim_cell *sim_cells_left(struct sim_call_graph *g, const struct sim_call_stack *s,
				struct sim_segment *segment)
{
	if (g->config.depth == 0 && !g->config.separate_threads) {
		sim_call_graph_place(g, segment);
		return &segment->own;
	}
	return s->node == SIM_NO_NODE ? &segment->own : sim_cells_find(g, segment, s->node);
}

/* ---- Jumps ---- */

struct sim_jump *sim_jumps_find(struct sim_call_graph *g, const struct sim_segment *from,
				const struct sim_cell *cell, uint64_t target)
{
	uint64_t hash = sim_table_hash((uintptr_t)cell, target), at;
	struct sim_jump *jump;

	for (at = sim_table_start(&g->jump_table, hash);
	     (jump = sim_table_next(&g->jump_table, hash, &at)) != NULL;)
		if (jump->cell == cell && jump->target == target)
			return jump;
	jump = g->jumps.count < MOST_JUMPS ? sim_pool_take(&g->jumps) : NULL;
	if (jump == NULL || sim_table_add(&g->jump_table, hash, jump) != 0)
		return NULL;
	*jump = (struct sim_jump){.from = from, .node = cell->node, .target = target, .cell = cell};
	return jump;
}

void sim_call_graph_jumped(struct sim_call_graph *g, const struct sim_call_stack *s,
			   const struct sim_segment *segment)
{
	const struct sim_segment *last = s->last;
	struct sim_jump *jump;

	if (last == NULL || s->transfer != SIM_GOES_ON)
		return;
	if (last->end == SIM_END_BRANCH) {
		s->cell->taken += !last->owner_counts_taken && segment->pc == last->target;
	} else if (last->end == SIM_END_JUMP_INDIRECT && segment->function == last->function) {
		jump = sim_jumps_find(g, last, s->cell, segment->pc);
		if (jump != NULL)
			jump->taken++;
		else
			g->lost++;
	}
}

/* ---- Results ---- */

struct each_arc {
	unsigned events;
	void (*visit)(void *context, const struct sim_arc *arc);
	void *context;
};

static void each_arc(void *context, void *item)
{
	const struct each_arc *e = context;
	struct sim_arc *arc = item;
	uint64_t any = arc->calls;

	for (unsigned i = 0; i < e->events; i++)
		any |= arc->inclusive[i];
	if (any == 0)
		return;
	if (e->visit != NULL)
		e->visit(e->context, arc);
	arc->calls = 0;
	for (unsigned i = 0; i < e->events; i++)
		arc->inclusive[i] = 0;
}

void sim_call_graph_each_arc(struct sim_call_graph *g,
			     void (*visit)(void *context, const struct sim_arc *arc), void *context)
{
	struct each_arc e = {g->config.events, visit, context};

	sim_pool_each(&g->arcs, each_arc, &e);
}

struct each_jump {
	void (*visit)(void *context, const struct sim_jump *jump);
	void *context;
};

static void each_jump(void *context, void *item)
{
	const struct each_jump *e = context;
	struct sim_jump *jump = item;

	if (jump->taken != 0 && e->visit != NULL)
		e->visit(e->context, jump);
	jump->taken = 0;
}

void sim_call_graph_each_jump(struct sim_call_graph *g,
			      void (*visit)(void *context, const struct sim_jump *jump),
			      void *context)
{
	struct each_jump e = {visit, context};

	sim_pool_each(&g->jumps, each_jump, &e);
}

static void count_arc(void *context, void *item)
{
	const struct sim_arc *arc = item;
	uint64_t *count = context;

	*count += arc->caller != 0;
}

struct sim_call_graph_size sim_call_graph_size(const struct sim_call_graph *g)
{
	struct sim_call_graph_size size = {0};

	for (uint32_t i = 1; i < g->contexts.count; i++)
		size.nodes += g->contexts.items[i].entered;
	sim_pool_each(&g->arcs, count_arc, &size.arcs);
	return size;
}
