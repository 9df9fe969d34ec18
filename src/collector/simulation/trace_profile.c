/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace's events as a profile; see trace_profile.h. */
#include "collector/simulation/trace_profile.h"

#include <string.h>

#include "base/text.h"
#include "channel/channel.h"
#include "collector/simulation/sim_heap.h"
#include "collector/simulation/simulation.h"
#include "store/events.h"

/* The node of all accesses: traces have no functions */
#define TRACE_NODE 1

static int put_columns(const struct sim_geometry *g, struct store *store, struct err *err)
{
	struct channel_config config = {.geometry_count = 1, .geometry_bytes = sizeof(*g)};
	struct simulation s = {0};
	int status;

	_Static_assert(sizeof(*g) <= sizeof(config.geometry), "a hierarchy has room in it");
	memcpy(config.geometry, g, sizeof(*g));
	status = simulation_begin(&s, &config, store, err);
	simulation_release(&s);
	return status;
}

static int put_process(const uint64_t *events, const char *name, struct store *store,
		       struct err *err)
{
	struct text command = {0};
	struct store_process p = {
		.parent_id = STORE_NONE,
		.cause = "start",
		.exe = name,
		.state = "exited",
		.exit_status = STORE_NONE,
		.told_end = 1,
		.accesses = events[SIM_DR] + events[SIM_DW],
		.loads = events[SIM_DR],
		.stores = events[SIM_DW],
		.instructions = events[SIM_IR],
	};
	int status;

	text_addf(&command, "trace %s", name);
	p.command = text_get(&command);
	status = store_put_process(store, &p, err);
	if (status == 0)
		status = store_put_meta_text(store, "command", p.command, err);
	text_release(&command);
	return status;
}

static int put_result(const struct sim_geometry *g, const uint64_t *events, const char *name,
		      struct store *store, struct err *err)
{
	struct store_node node = {.id = TRACE_NODE,
				  .thread = STORE_NONE,
				  .function = "[trace]",
				  .caller_id = STORE_NONE};
	struct store_cost cost = {
		.node_id = TRACE_NODE, .location_id = STORE_NONE, .values = events};

	if (put_columns(g, store, err) != 0 || put_process(events, name, store, err) != 0 ||
	    store_put_meta_text(store, "imported_from", name, err) != 0 ||
	    store_put_node(store, &node, err) != 0)
		return -1;
	return store_put_cost(store, &cost, err);
}

int trace_profile_write(FILE *in, const char *name, enum trace_format format,
			const struct sim_geometry *geometry, struct store *store,
			uint64_t *accesses, struct err *err)
{
	uint64_t events[SIM_MAX_EVENTS] = {0};
	struct sim_hierarchy h;
	int status;

	if (sim_hierarchy_init(&h, geometry, true, &sim_heap) != 0)
		status = err_set(err, "not enough memory to simulate caches of that size");
	else
		status = trace_simulate(in, name, format, &h, events, err);
	sim_hierarchy_release(&h);
	*accesses = events[SIM_DR] + events[SIM_DW];
	return status == 0 ? put_result(geometry, events, name, store, err) : -1;
}
