/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread of an event profile that separates threads. */
#include <inttypes.h>

#include "events/events.h"

static bool has_node(const struct event_profile *p, int64_t id)
{
	uint64_t index;

	return map_get(&p->node_index, (uint64_t)id, &index);
}

static int keep_nodes(struct event_profile *p, int64_t thread, struct err *err)
{
	size_t kept = 0;

	map_release(&p->node_index);
	p->node_index = (struct map){0};
	for (size_t i = 0; i < p->node_count; i++) {
		if (p->nodes[i].thread != thread)
			continue;
		if (map_set(&p->node_index, (uint64_t)p->nodes[i].id, kept) != 0)
			return err_set(err, "out of memory");
		p->nodes[kept++] = p->nodes[i];
	}
	p->node_count = kept;
	return 0;
}

static void keep_costs(struct event_profile *p)
{
	size_t kept = 0;

	for (size_t k = 0; k < p->width; k++)
		p->totals[k] = 0;
	for (size_t i = 0; i < p->cost_count; i++) {
		if (!has_node(p, p->costs[i].node_id))
			continue;
		for (size_t k = 0; k < p->width; k++)
			p->totals[k] += p->costs[i].values[k];
		p->costs[kept++] = p->costs[i];
	}
	p->cost_count = kept;
}

/* The call that starts a thread belongs to the thread, and has no caller. */
static void keep_arcs(struct event_profile *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->arc_count; i++) {
		struct store_arc arc = p->arcs[i];

		if (!has_node(p, arc.callee_id))
			continue;
		if (arc.caller_id != STORE_NONE && !has_node(p, arc.caller_id))
			arc.caller_id = STORE_NONE;
		p->arcs[kept++] = arc;
	}
	p->arc_count = kept;
}

int events_keep_thread(struct event_profile *p, int64_t thread, struct err *err)
{
	bool is_separate = false, is_there = false;

	for (size_t i = 0; i < p->node_count; i++) {
		is_separate |= p->nodes[i].thread != STORE_NONE;
		is_there |= p->nodes[i].thread == thread;
	}
	if (!is_separate)
		return err_set(err, "the profile does not tell threads apart: 'dwell simulate "
				    "--separate-threads' does");
	if (!is_there)
		return err_set(err,
			       "the profile has no thread %" PRId64
			       ": 'dwell report --by thread' lists them",
			       thread);
	p->thread = thread;
	if (keep_nodes(p, thread, err) != 0)
		return -1;
	keep_costs(p);
	keep_arcs(p);
	return 0;
}

size_t events_keep_jumps(const struct event_profile *p, struct store_jump *jumps, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (has_node(p, jumps[i].node_id))
			jumps[kept++] = jumps[i];
	return kept;
}
