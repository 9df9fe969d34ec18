/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copying processes, code and what was counted of it, with new ids. */
#include <stdlib.h>
#include <string.h>

#include "merge/private.h"

/* The arrays of a profile are read, put with new ids, and freed: the pattern of all that follows. */

static int copy_processes(struct copying *c, struct err *err)
{
	struct store_process *items;
	size_t count;
	int status = 0;

	if (store_read_processes(c->in, &items, &count, err) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < count; i++) {
		items[i].id += c->by.process;
		items[i].parent_id = shifted(items[i].parent_id, c->by.process);
		use_id(&c->next.process, items[i].id);
		status = store_put_process(c->out, &items[i], err);
	}
	free(items);
	return status;
}

static int copy_threads(struct copying *c, struct err *err)
{
	struct store_thread *items;
	size_t count;
	int status = 0;

	if (store_read_threads(c->in, STORE_ALL, &items, &count, err) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < count; i++) {
		items[i].process_id += c->by.process;
		status = store_put_thread(c->out, &items[i], err);
	}
	free(items);
	return status;
}

static int copy_modules(struct copying *c, struct err *err)
{
	struct store_module *items;
	size_t count;
	int status = 0;

	if (store_read_modules(c->in, STORE_ALL, &items, &count, err) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < count; i++) {
		items[i].id += c->by.module;
		items[i].process_id += c->by.process;
		use_id(&c->next.module, items[i].id);
		status = store_put_module(c->out, &items[i], err);
	}
	free(items);
	return status;
}

static int copy_messages(struct copying *c, struct err *err)
{
	struct store_message *items;
	size_t count;
	int status = 0;

	if (store_read_messages(c->in, &items, &count, err) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < count; i++) {
		items[i].process_id = shifted(items[i].process_id, c->by.process);
		status = store_put_message(c->out, &items[i], err);
	}
	free(items);
	return status;
}

int copy_run(struct copying *c, struct err *err)
{
	if (copy_processes(c, err) != 0 || copy_threads(c, err) != 0 || copy_modules(c, err) != 0)
		return -1;
	return copy_messages(c, err);
}

int copy_code(struct copying *c, struct err *err)
{
	struct store_location *items;
	size_t count;
	int status = 0;

	if (store_read_locations(c->in, STORE_ALL, &items, &count, err) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < count; i++) {
		struct store_location *l = &items[i];

		l->id += c->by.location;
		l->process_id += c->by.process;
		l->module_id = shifted(l->module_id, c->by.module);
		use_id(&c->next.location, l->id);
		status = store_put_location(c->out, l, err);
	}
	/* One after the other in two passes: each kind of list is cheapest in a row. */
	for (size_t i = 0; status == 0 && i < count; i++)
		status = store_put_frames(c->out, items[i].id, items[i].frames,
					  items[i].frame_count, err);
	free(items);
	return status;
}

/* ---- Counts ---- */

static int copy_nodes(struct copying *c, struct err *err)
{
	struct store_node *items;
	size_t count;
	int status = 0;

	if (store_read_nodes(c->in, STORE_ALL, &items, &count, err) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < count; i++) {
		items[i].id += c->by.node;
		items[i].process_id += c->by.process;
		items[i].caller_id = shifted(items[i].caller_id, c->by.node);
		use_id(&c->next.node, items[i].id);
		status = items[i].id > STORE_MAX_ID
				 ? err_set(err, "the profiles have too many functions for one")
				 : store_put_node(c->out, &items[i], err);
	}
	free(items);
	return status;
}

static void permute(const struct copying *c, const uint64_t *values,
		    uint64_t moved[STORE_MAX_COLUMNS])
{
	for (size_t i = 0; i < c->column_count; i++)
		moved[c->columns[i]] = values[i];
}

static int copy_costs(struct copying *c, struct err *err)
{
	uint64_t values[STORE_MAX_COLUMNS] = {0};
	struct store_cost *items;
	size_t count;
	int status = 0;

	if (store_read_costs(c->in, STORE_ALL, &items, &count, err) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < count; i++) {
		permute(c, items[i].values, values);
		items[i].node_id += c->by.node;
		items[i].location_id = shifted(items[i].location_id, c->by.location);
		items[i].values = values;
		status = store_put_cost(c->out, &items[i], err);
	}
	free(items);
	return status;
}

static int copy_arcs(struct copying *c, struct err *err)
{
	uint64_t values[STORE_MAX_COLUMNS] = {0};
	struct store_arc *items;
	size_t count;
	int status = 0;

	if (store_read_arcs(c->in, STORE_ALL, &items, &count, err) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < count; i++) {
		permute(c, items[i].values, values);
		items[i].caller_id = shifted(items[i].caller_id, c->by.node);
		items[i].callee_id += c->by.node;
		items[i].location_id = shifted(items[i].location_id, c->by.location);
		items[i].values = values;
		status = store_put_arc(c->out, &items[i], err);
	}
	free(items);
	return status;
}

static int copy_jumps(struct copying *c, struct err *err)
{
	struct store_jump *items;
	size_t count;
	int status = 0;

	if (store_read_jumps(c->in, STORE_ALL, &items, &count, err) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < count; i++) {
		items[i].node_id += c->by.node;
		items[i].from_id = shifted(items[i].from_id, c->by.location);
		items[i].to_id = shifted(items[i].to_id, c->by.location);
		status = store_put_jump(c->out, &items[i], err);
	}
	free(items);
	return status;
}

int copy_counts(struct copying *c, struct err *err)
{
	if (c->column_count == 0)
		return 0;
	if (copy_nodes(c, err) != 0 || copy_costs(c, err) != 0 || copy_arcs(c, err) != 0)
		return -1;
	return copy_jumps(c, err);
}
