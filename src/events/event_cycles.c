/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tarjan's algorithm (1972), without recursion, since large call graphs are deep. */
#include "events/event_cycles.h"

#include <stdlib.h>
#include <string.h>

#define NOT_SEEN UINT32_MAX

struct search {
	size_t count;
	size_t *first;	   /* each node's first target; count + 1 items */
	uint32_t *targets; /* targets of the edges, sorted by source */
	uint32_t *number;  /* order in which nodes were visited */
	uint32_t *low;	   /* least reachable number on the stack */
	uint32_t *stack;   /* nodes without a component so far */
	uint32_t *path;	   /* path from the root to the current node */
	size_t *next;	   /* next edge of each node on the path */
	uint32_t *component;
	size_t stack_top, path_top, components;
	uint32_t seen;
};

static void sort_edges(struct search *s, const struct graph_edge *edges, size_t edge_count)
{
	size_t i;

	for (i = 0; i < edge_count; i++)
		s->first[edges[i].from + 1]++;
	for (i = 0; i < s->count; i++)
		s->first[i + 1] += s->first[i];
	memcpy(s->next, s->first, s->count * sizeof(*s->next));
	for (i = 0; i < edge_count; i++)
		s->targets[s->next[edges[i].from]++] = edges[i].to;
}

static void enter(struct search *s, uint32_t thing)
{
	s->number[thing] = s->low[thing] = s->seen++;
	s->stack[s->stack_top++] = thing;
	s->path[s->path_top++] = thing;
	s->next[thing] = s->first[thing];
}

/*
 * Leave a node. If nothing below it on the stack is reachable, it and all nodes above it are a
 * component.
 */
static void leave(struct search *s, uint32_t thing)
{
	uint32_t member;

	s->path_top--;
	if (s->path_top > 0) {
		uint32_t parent = s->path[s->path_top - 1];

		if (s->low[thing] < s->low[parent])
			s->low[parent] = s->low[thing];
	}
	if (s->low[thing] != s->number[thing])
		return;
	do {
		member = s->stack[--s->stack_top];
		s->component[member] = (uint32_t)s->components;
	} while (member != thing);
	s->components++;
}

static void search_from(struct search *s, uint32_t root)
{
	enter(s, root);
	while (s->path_top > 0) {
		uint32_t thing = s->path[s->path_top - 1], target;

		if (s->next[thing] == s->first[thing + 1]) {
			leave(s, thing);
			continue;
		}
		target = s->targets[s->next[thing]++];
		if (s->number[target] == NOT_SEEN)
			enter(s, target);
		else if (s->component[target] == NOT_SEEN && s->number[target] < s->low[thing])
			s->low[thing] = s->number[target];
	}
}

size_t graph_components(size_t count, const struct graph_edge *edges, size_t edge_count,
			uint32_t *component)
{
	struct search s = {.count = count, .component = component};
	size_t result = SIZE_MAX;
	uint32_t i;

	s.first = calloc(count + 1, sizeof(*s.first));
	s.targets = malloc((edge_count + 1) * sizeof(*s.targets));
	s.number = malloc((count + 1) * sizeof(*s.number));
	s.low = malloc((count + 1) * sizeof(*s.low));
	s.stack = malloc((count + 1) * sizeof(*s.stack));
	s.path = malloc((count + 1) * sizeof(*s.path));
	s.next = malloc((count + 1) * sizeof(*s.next));
	if (s.first != NULL && s.targets != NULL && s.number != NULL && s.low != NULL &&
	    s.stack != NULL && s.path != NULL && s.next != NULL) {
		sort_edges(&s, edges, edge_count);
		memset(s.number, 0xff, count * sizeof(*s.number));
		memset(component, 0xff, count * sizeof(*component));
		for (i = 0; i < count; i++) {
			if (s.number[i] == NOT_SEEN)
				search_from(&s, i);
		}
		result = s.components;
	}
	free(s.first);
	free(s.targets);
	free(s.number);
	free(s.low);
	free(s.stack);
	free(s.path);
	free(s.next);
	return result;
}
