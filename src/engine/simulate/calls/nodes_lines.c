/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of steps from one node to another, and how code finds them; see nodes.h. */
#include "engine/core/lock.h"
#include "engine/core/util.h"
#include "engine/simulate/calls/arcs.h"
#include "engine/simulate/calls/arcs_lines.h"
#include "engine/simulate/calls/lines_table.h"
#include "engine/simulate/calls/nodes.h"
#include "engine/simulate/counts/graph.h"
#include "engine/simulate/plan/plan.h"

/* Finds a line, for arcs.S. */
struct node_towards {
	uint64_t target;
	uint32_t site, node;
	uint32_t line, cell;
	uint64_t unused;
};

_Static_assert(offsetof(struct node_towards, site) == NT_SITE, "layout");
_Static_assert(offsetof(struct node_towards, node) == NT_NODE, "layout");
_Static_assert(offsetof(struct node_towards, line) == NT_LINE, "layout");
_Static_assert(offsetof(struct node_towards, cell) == NT_CELL, "layout");
_Static_assert(sizeof(struct node_towards) == 1 << NT_SHIFT, "layout");

struct node_towards node_towards[1 << NT_BITS] __attribute__((aligned(64)));

/* Let code find the line. */
static void publish(struct lines_key k, uint32_t line)
{
	struct node_towards *to =
		&node_towards[(k.site * NT_SITE_FACTOR + (k.node * NT_NODE_FACTOR >> N_SHIFT) +
			       ((uint32_t)k.target >> 4)) &
			      NT_MASK];

	to[1] = to[0]; /* one step may look for two lines that both belong here */
	to[0] = (struct node_towards){.target = k.target,
				      .site = k.site,
				      .node = k.node,
				      .line = line,
				      .cell = arcs_line(line)->cell};
}

/*
 * A new line, as told in *like, from the node at `caller`. newest: what the cell of its callee has.
 */
static uint32_t make(struct lines_key k, const struct arcs_info *like, uint64_t pc, uint64_t back,
		     uint32_t caller, uint32_t newest)
{
	struct sim_open_call c;
	struct arcs_line *n;
	struct arcs_info *i;
	uint32_t line;

	if (!lines_have_room())
		return 0;
	lock_take(&engine.translate_lock);
	line = arcs_has_code(pc) ? arcs_make(like, pc, back) : 0;
	lock_drop(&engine.translate_lock);
	if (!line)
		return 0;
	i = arcs_info(line);
	c = arcs_open_call(line, false);
	i->arc[0] = graph_node_arc(caller >> N_SHIFT, &c, newest >> N_SHIFT);
	if (!i->arc[0])
		return 0; /* the line is lost */
	n = arcs_line(line);
	n->caller = caller;
	n->node = nodes_prepare(i->arc[0]->callee);
	n->flags = arcs_goes_back(line);
	lines_keep(k, line);
	return line;
}

/* Does an indirect jump stay in its function? */
static bool is_within(uint32_t number, uint64_t target)
{
	const struct arcs_range in = arcs_function_of(number & ~(STEP_INSIDE | STEP_BY_RETURN));

	return !in.is_call && target - in.start < in.bytes;
}

/* The line of such a jump. */
static uint32_t make_within(struct lines_key k)
{
	uint32_t line;

	if (!lines_have_room())
		return 0;
	lock_take(&engine.translate_lock);
	line = arcs_make_within(k.site, k.target);
	lock_drop(&engine.translate_lock);
	if (!line)
		return 0;
	lines_keep(k, line);
	return line;
}

bool nodes_look(uint32_t number, uint64_t target)
{
	const struct lines_key k = {target, number, nodes_running() << N_SHIFT};
	uint32_t line = lines_find(k);
	struct arcs_info like;
	uint64_t pc = target, back;

	if (!line && plan.branches && is_within(number, target))
		line = make_within(k);
	else if (!line && arcs_starts(number & ~(STEP_INSIDE | STEP_BY_RETURN), &like, &pc, &back))
		line = make(k, &like, pc, back, k.node, 0);
	if (line)
		publish(k, line);
	return line != 0;
}

bool nodes_look_again(uint32_t again)
{
	const uint32_t first = again << L_SHIFT;
	const struct arcs_line *n = arcs_line(first);
	const struct lines_key k = {0, again, *(const uint32_t *)(uintptr_t)n->cell};
	uint32_t line = lines_find(k);

	if (!line)
		line = make(k, arcs_info(first), arcs_info(first)->target, n->back, n->caller,
			    k.node);
	if (line)
		publish(k, line);
	return line != 0;
}

bool nodes_lead_on(uint32_t stub, uint64_t target)
{
	const struct lines_key k = {target, stub >> L_SHIFT | KEY_LED, 0};
	const struct arcs_info *i = arcs_info(stub);
	struct arcs_line *n = arcs_line(stub);
	struct arcs_info like = *i;
	uint32_t line = lines_find(k);

	if (!i->leads_on)
		return false;
	like.site = 0;
	if (!line)
		line = make(k, &like, target, n->back, n->caller, 0);
	if (!line || arcs_info(line)->callee == i->callee) /* to another part of the stub */
		return false;
	n->led = line;
	n->led_target = target;
	n->led_cell = arcs_line(line)->cell;
	return true;
}

void nodes_forget_lines(void)
{
	memset(node_towards, 0, sizeof node_towards);
}
