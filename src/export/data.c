/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the data to export; see data.h. */
#include "export/data.h"

#include <stdlib.h>
#include <string.h>

/* ---- Ids to indexes ---- */

/* Returns false for an unknown id. */
static bool to_index(const struct map *m, int64_t *id)
{
	uint64_t i;

	if (*id == STORE_NONE)
		return true;
	if (!map_get(m, (uint64_t)*id, &i))
		return false;
	*id = (int64_t)i;
	return true;
}

static bool all_to_indexes(struct export_data *d)
{
	const struct map *nodes = &d->p.node_index, *locations = &d->p.location_index;
	bool ok = true;

	/* A context may begin in a process that is not exported. */
	for (size_t i = 0; i < d->node_count; i++)
		if (!to_index(nodes, &d->nodes[i].caller_id))
			d->nodes[i].caller_id = STORE_NONE;
	for (size_t i = 0; i < d->cost_count; i++)
		ok = to_index(nodes, &d->costs[i].node_id) &&
		     to_index(locations, &d->costs[i].location_id) && ok;
	for (size_t i = 0; i < d->arc_count; i++)
		ok = to_index(nodes, &d->arcs[i].caller_id) &&
		     to_index(nodes, &d->arcs[i].callee_id) &&
		     to_index(locations, &d->arcs[i].location_id) && ok;
	for (size_t i = 0; i < d->jump_count; i++)
		ok = to_index(nodes, &d->jumps[i].node_id) &&
		     to_index(locations, &d->jumps[i].from_id) &&
		     to_index(locations, &d->jumps[i].to_id) && ok;
	return ok;
}

/* ---- Event profiles ---- */

static void keep_process(struct export_data *d, int64_t process)
{
	for (size_t i = 0; i < d->process_count; i++)
		if (d->processes[i].id == process)
			d->processes[0] = d->processes[i];
	d->process_count = 1;
}

#define MOVE(d, array, number)               \
	do {                                 \
		(d)->array = (d)->p.array;   \
		(d)->number = (d)->p.number; \
		(d)->p.array = NULL;         \
		(d)->p.number = 0;           \
	} while (0)

static int read_counts(struct export_data *d, const struct export_request *r, struct err *err)
{
	struct store *s = d->p.store;

	MOVE(d, processes, process_count);
	MOVE(d, nodes, node_count);
	MOVE(d, costs, cost_count);
	MOVE(d, arcs, arc_count);
	MOVE(d, locations, location_count);
	d->columns = d->p.measured;
	if (store_read_geometry(s, &d->geometry, &d->geometry_count, err) != 0 ||
	    store_read_modules(s, STORE_ALL, &d->modules, &d->module_count, err) != 0 ||
	    store_read_jumps(s, d->p.process, &d->jumps, &d->jump_count, err) != 0)
		return -1;
	if (d->process_count == 0 || (d->cost_count == 0 && d->arc_count == 0))
		return err_set(err, "'%s' has no counts%s to export", r->input,
			       r->process == STORE_NONE ? "" : " of this process");
	if (r->process != STORE_NONE)
		keep_process(d, r->process);
	return all_to_indexes(d)
		       ? 0
		       : err_set(err, "'%s' is damaged: it speaks of code that is not in it",
				 r->input);
}

static int read_samples(struct export_data *d, const struct export_request *r, struct err *err)
{
	if (profile_open(&d->profile, r->input, r->process, err) != 0)
		return -1;
	d->is_sampled = true;
	d->profile.machine = r->machine;
	if (r->machine != NULL)
		memcpy(d->profile.caches, r->caches, sizeof(d->profile.caches));
	d->processes = calloc(1, sizeof(*d->processes));
	if (d->processes == NULL)
		return err_set(err, "not enough memory");
	d->processes[0] = *d->profile.process;
	d->process_count = 1;
	return export_from_samples(d, r, err);
}

/* The command of the only process, or for several that of the run. */
static int set_command(struct export_data *d, struct err *err)
{
	struct store *s = d->is_sampled ? d->profile.store : d->p.store;
	const char *run = store_meta_text(s, "command");

	if (d->process_count == 1 || run == NULL)
		run = d->processes[0].command;
	d->command = arena_strdup(&d->arena, run);
	return d->command != NULL ? 0 : err_set(err, "not enough memory");
}

int export_data_open(struct export_data *d, const struct export_request *r, struct err *err)
{
	int status;

	*d = (struct export_data){.path = r->input};
	status = events_open(&d->p, r->input, r->process, err);
	if (status < 0)
		return -1;
	status = status == 0 ? read_counts(d, r, err) : read_samples(d, r, err);
	for (size_t i = 0; status == 0 && i < d->module_count; i++)
		if (map_set(&d->module_index, (uint64_t)d->modules[i].id, i) != 0)
			status = err_set(err, "not enough memory");
	if (status == 0)
		status = set_command(d, err);
	if (status != 0)
		export_data_release(d);
	return status;
}

void export_data_release(struct export_data *d)
{
	free(d->processes);
	free(d->modules);
	free(d->geometry);
	free(d->nodes);
	free(d->costs);
	free(d->arcs);
	free(d->jumps);
	free(d->locations);
	map_release(&d->module_index);
	arena_release(&d->arena);
	if (d->is_sampled)
		profile_close(&d->profile);
	events_close(&d->p);
	*d = (struct export_data){0};
}

/* ---- Look-ups ---- */

const struct store_location *export_location(const struct export_data *d, int64_t index)
{
	return index == STORE_NONE ? NULL : &d->locations[index];
}

struct store_frame export_place(const struct store_location *l)
{
	if (l == NULL || l->frame_count == 0)
		return (struct store_frame){0};
	return l->frames[0];
}

uint64_t export_address(const struct store_location *l)
{
	if (l == NULL)
		return 0;
	return l->module_id == STORE_NONE ? l->pc : l->module_address;
}

bool export_has_addresses(const struct export_data *d)
{
	for (size_t i = 0; i < d->location_count; i++)
		if (export_address(&d->locations[i]) != 0)
			return true;
	return false;
}
