/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which things of a graph lie on a circle together: its strongly connected components. */
#ifndef DWELL_EVENTS_EVENT_CYCLES_H
#define DWELL_EVENTS_EVENT_CYCLES_H

#include <stddef.h>
#include <stdint.h>

struct graph_edge {
	uint32_t from, to;
};

/*
 * component[i], of `count` things, becomes the number of i's component, from 0; things are in the
 * same one if each can be reached from the other. Returns how many there are, or SIZE_MAX when
 * memory ran out.
 */
size_t graph_components(size_t count, const struct graph_edge *edges, size_t edge_count,
			uint32_t *component);

#endif
