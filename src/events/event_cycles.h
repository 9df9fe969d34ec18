/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The strongly connected components of a graph. */
#ifndef DWELL_EVENTS_EVENT_CYCLES_H
#define DWELL_EVENTS_EVENT_CYCLES_H

#include <stddef.h>
#include <stdint.h>

struct graph_edge {
	uint32_t from, to;
};

/*
 * Set component[i] to the component of node i, for `count` nodes. Components are numbered from 0.
 * Returns their number, or SIZE_MAX without memory.
 */
size_t graph_components(size_t count, const struct graph_edge *edges, size_t edge_count,
			uint32_t *component);

#endif
