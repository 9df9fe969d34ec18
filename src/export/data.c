/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading what is to be exported; see data.h. */
#include "export/data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Ids become indexes ---- */

static int index_by_id(struct map *m, size_t i, int64_t id, struct err *err)
{
	return map_set(m, (uint64_t)id, i) == 0 ? 0 : err_set(err, "not enough memory");
}

/* False: the id names nothing that there is. */
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

static bool all_to_indexes(struct export_data *d, const struct map *nodes,
			   const struct map *locations)
{
	bool ok = true;

	/* A context may begin in a process that is not looked at. */
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

static int make_indexes(struct export_data *d, const char *input, struct err *err)
{
	struct map nodes = {0}, locations = {0};
	int status = 0;

	for (size_t i = 0; status == 0 && i < d->node_count; i++)
		status = index_by_id(&nodes, i, d->nodes[i].id, err);
	for (size_t i = 0; status == 0 && i < d->location_count; i++)
		status = index_by_id(&locations, i, d->locations[i].id, err);
	if (status == 0 && !all_to_indexes(d, &nodes, &locations))
		status =
			err_set(err, "'%s' is damaged: it speaks of code that is not in it", input);
	map_release(&nodes);
	map_release(&locations);
	return status;
}

/* ---- Event profiles ---- */

static int check_process(struct export_data *d, int64_t process, struct err *err)
{
	for (size_t i = 0; i < d->process_count; i++) {
		if (d->processes[i].id != process)
			continue;
		d->processes[0] = d->processes[i];
		d->process_count = 1;
		return 0;
	}
	return err_set(err, "the profile has no process %" PRId64 ": it has %zu, from 0 on",
		       process, d->process_count);
}

static int read_events(struct export_data *d, const struct export_request *r, struct err *err)
{
	int64_t process = r->process == STORE_NONE ? STORE_ALL : r->process;
	struct store *s = d->store;

	if (process != STORE_ALL && check_process(d, process, err) != 0)
		return -1;
	if (store_read_geometry(s, &d->geometry, &d->geometry_count, err) != 0 ||
	    store_read_modules(s, STORE_ALL, &d->modules, &d->module_count, err) != 0 ||
	    store_read_locations(s, STORE_ALL, &d->locations, &d->location_count, err) != 0 ||
	    store_read_nodes(s, process, &d->nodes, &d->node_count, err) != 0 ||
	    store_read_costs(s, process, &d->costs, &d->cost_count, err) != 0 ||
	    store_read_arcs(s, process, &d->arcs, &d->arc_count, err) != 0 ||
	    store_read_jumps(s, process, &d->jumps, &d->jump_count, err) != 0)
		return -1;
	if (d->cost_count == 0 && d->arc_count == 0)
		return err_set(err, "'%s' has no counts%s to export", r->input,
			       process == STORE_ALL ? "" : " of this process");
	return make_indexes(d, r->input, err);
}

static void count_columns(struct export_data *d)
{
	d->columns = 0;
	while (d->columns < d->event_count && d->events[d->columns].formula == NULL)
		d->columns++;
}

static int set_command(struct export_data *d, struct err *err)
{
	const char *run = store_meta_text(d->store, "command");
	struct text command = {0};

	if (d->process_count == 1 || run == NULL)
		run = d->process_count > 0 ? d->processes[0].command : "";
	text_add_printable(&command, run, strlen(run));
	d->command = arena_strdup(&d->arena, text_get(&command));
	text_release(&command);
	return d->command != NULL ? 0 : err_set(err, "not enough memory");
}

static int read_samples(struct export_data *d, const struct export_request *r, struct err *err)
{
	store_close(d->store);
	d->store = NULL;
	if (profile_open(&d->profile, r->input, r->process, err) != 0)
		return -1;
	d->is_sampled = true;
	d->store = d->profile.store;
	if (r->caches != NULL)
		memcpy(d->profile.caches, r->caches, sizeof(d->profile.caches));
	d->processes[0] = *d->profile.process;
	d->process_count = 1;
	return export_from_samples(d, r, err);
}

int export_data_open(struct export_data *d, const struct export_request *r, struct err *err)
{
	int status;

	*d = (struct export_data){0};
	if (store_open_readonly(r->input, &d->store, err) != 0)
		return -1;
	status = store_read_processes(d->store, &d->processes, &d->process_count, err);
	if (status == 0)
		status = store_read_events(d->store, &d->events, &d->event_count, err);
	if (status == 0 && d->process_count == 0)
		status = err_set(err, "'%s' has no process: nothing ran", r->input);
	if (status == 0)
		status = d->event_count > 0 ? read_events(d, r, err) : read_samples(d, r, err);
	count_columns(d);
	for (size_t i = 0; status == 0 && i < d->module_count; i++)
		status = index_by_id(&d->module_index, i, d->modules[i].id, err);
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
	free(d->events);
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
	else
		store_close(d->store);
	*d = (struct export_data){0};
}

/* ---- Questions ---- */

const char *export_module_path(const struct export_data *d, const struct store_location *l)
{
	uint64_t i;

	if (l == NULL || l->module_id == STORE_NONE ||
	    !map_get(&d->module_index, (uint64_t)l->module_id, &i))
		return NULL;
	return d->modules[i].path;
}

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
