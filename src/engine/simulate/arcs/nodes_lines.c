/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of steps from one node to another, and how code finds them; see nodes.h. */
#include "engine/codecache/pages.h"
#include "engine/core/util.h"
#include "engine/simulate/arcs/arcs.h"
#include "engine/simulate/arcs/arcs_lines.h"
#include "engine/simulate/arcs/branches.h"
#include "engine/simulate/arcs/nodes.h"
#include "engine/simulate/graph.h"

#define FIRST_PLACES 4096u
/* Instead of a site: a line's number, and this; a stub has led there. */
#define LED 0x40000000u

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

/* What a line was looked for by. */
struct key {
	uint64_t target;
	uint32_t site, node; /* node: the offset of its slot */
};

static struct {
	uint32_t *line; /* by hash of its key; 0: free */
	uint64_t places, used;
} all;

static struct key key_of(uint32_t line)
{
	const struct arcs_info *i = arcs_info(line);

	return (struct key){i->key_target, i->key_site, i->key_node};
}

static bool are_equal(struct key a, struct key b)
{
	return a.target == b.target && a.site == b.site && a.node == b.node;
}

static uint64_t place_of(struct key k)
{
	uint64_t h = (k.target ^ k.target >> 32) * 0xbf58476d1ce4e5b9u +
		     ((uint64_t)k.site << 32 | k.node) * 0x94d049bb133111ebu;
	uint64_t at = (h ^ h >> 29) & (all.places - 1);

	while (all.line[at] && !are_equal(key_of(all.line[at]), k))
		at = (at + 1) & (all.places - 1);
	return at;
}

static bool grow_places(void)
{
	const uint32_t *old = all.line;
	const uint64_t old_places = all.places, places = old ? 2 * old_places : FIRST_PLACES;
	uint32_t *new = pages_get(round_up(places * sizeof *new, PAGE));

	if (!new)
		return false;
	all.line = new;
	all.places = places;
	for (uint64_t i = 0; i < old_places; i++)
		if (old[i])
			new[place_of(key_of(old[i]))] = old[i];
	if (old)
		pages_put((void *)(uintptr_t)old, round_up(old_places * sizeof *old, PAGE));
	return true;
}

/* Let code find the line. */
static void publish(struct key k, uint32_t line)
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

/* The known line; 0: none. */
static uint32_t find(struct key k)
{
	return all.places ? all.line[place_of(k)] : 0;
}

static void keep(struct key k, uint32_t line)
{
	struct arcs_info *i = arcs_info(line);

	all.line[place_of(k)] = line;
	all.used++;
	i->key_target = k.target;
	i->key_site = k.site;
	i->key_node = k.node;
}

/*
 * A new line, as told in *like, from the node at `caller`. newest: what the cell of its callee has.
 */
static uint32_t make(struct key k, const struct arcs_info *like, uint64_t pc, uint64_t back,
		     uint32_t caller, uint32_t newest)
{
	struct sim_open_call c;
	struct arcs_line *n;
	struct arcs_info *i;
	uint32_t line;

	if (2 * all.used >= all.places && !grow_places())
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
	keep(k, line);
	return line;
}

/* Does an indirect jump stay in its function? */
static bool is_within(uint32_t number, uint64_t target)
{
	const struct arcs_range in = arcs_function_of(number & ~(STEP_INSIDE | STEP_BY_RETURN));

	return !in.is_call && target - in.start < in.bytes;
}

/* The line of such a jump. */
static uint32_t make_within(struct key k)
{
	uint32_t line;

	if (2 * all.used >= all.places && !grow_places())
		return 0;
	lock_take(&engine.translate_lock);
	line = arcs_make_within(k.site, k.target, 0);
	lock_drop(&engine.translate_lock);
	if (!line)
		return 0;
	keep(k, line);
	return line;
}

bool nodes_look(uint32_t number, uint64_t target)
{
	const struct key k = {target, number, nodes_running() << N_SHIFT};
	uint32_t line = find(k);
	struct arcs_info like;
	uint64_t pc = target, back;

	if (!line && branches_are_counted() && is_within(number, target))
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
	const struct key k = {0, again, *(const uint32_t *)(uintptr_t)n->cell};
	uint32_t line = find(k);

	if (!line)
		line = make(k, arcs_info(first), arcs_info(first)->target, n->back, n->caller,
			    k.node);
	if (line)
		publish(k, line);
	return line != 0;
}

bool nodes_lead_on(uint32_t stub, uint64_t target)
{
	const struct key k = {target, stub >> L_SHIFT | LED, 0};
	const struct arcs_info *i = arcs_info(stub);
	struct arcs_line *n = arcs_line(stub);
	struct arcs_info like = *i;
	uint32_t line = find(k);

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
	if (all.used)
		memset(all.line, 0, all.places * sizeof *all.line);
	all.used = 0;
}
