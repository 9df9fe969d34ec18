/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies processes, code and its counts, with new ids. */
#include <stdlib.h>
#include <string.h>

#include "merge/private.h"
#include "store/layouts.h"

static int put_processes(struct copying *c, struct store_process *x, struct err *err)
{
	x->id = shifted(x->id, c->by.process);
	x->parent_id = shifted(x->parent_id, c->by.process);
	use_id(&c->next.process, x->id);
	return store_put_process(c->out, x, err);
}

COPY_EACH(processes, struct store_process, store_read_processes(c->in, &items, &count, err))

static int put_threads(struct copying *c, struct store_thread *x, struct err *err)
{
	x->process_id = shifted(x->process_id, c->by.process);
	return store_put_thread(c->out, x, err);
}

COPY_EACH(threads, struct store_thread, store_read_threads(c->in, STORE_ALL, &items, &count, err))

static int put_modules(struct copying *c, struct store_module *x, struct err *err)
{
	x->id = shifted(x->id, c->by.module);
	x->process_id = shifted(x->process_id, c->by.process);
	use_id(&c->next.module, x->id);
	return store_put_module(c->out, x, err);
}

COPY_EACH(modules, struct store_module, store_read_modules(c->in, STORE_ALL, &items, &count, err))

static int put_messages(struct copying *c, struct store_message *x, struct err *err)
{
	x->process_id = shifted(x->process_id, c->by.process);
	return store_put_message(c->out, x, err);
}

COPY_EACH(messages, struct store_message, store_read_messages(c->in, &items, &count, err))

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

		l->id = shifted(l->id, c->by.location);
		l->process_id = shifted(l->process_id, c->by.process);
		l->module_id = shifted(l->module_id, c->by.module);
		use_id(&c->next.location, l->id);
		status = store_put_location(c->out, l, err);
		if (status == 0 && l->handed > 0)
			status = store_put_wrapper(c->out, l->id, l->handed, err);
	}
	/* Two passes: writing lists is cheapest if all of one kind are consecutive. */
	for (size_t i = 0; status == 0 && i < count; i++)
		status = store_put_frames(c->out, items[i].id, items[i].frames,
					  items[i].frame_count, err);
	free(items);
	return status;
}

/* ---- Counts ---- */

static int put_nodes(struct copying *c, struct store_node *x, struct err *err)
{
	x->id = shifted(x->id, c->by.node);
	x->process_id = shifted(x->process_id, c->by.process);
	x->caller_id = shifted(x->caller_id, c->by.node);
	use_id(&c->next.node, x->id);
	return x->id > STORE_MAX_ID ? err_set(err, "the profiles have too many functions for one")
				    : store_put_node(c->out, x, err);
}

COPY_EACH(nodes, struct store_node, store_read_nodes(c->in, STORE_ALL, &items, &count, err))

static void permute(const struct copying *c, const uint64_t *values,
		    uint64_t moved[STORE_MAX_COLUMNS])
{
	for (size_t i = 0; i < c->column_count; i++)
		moved[c->columns[i]] = values[i];
}

static int put_costs(struct copying *c, struct store_cost *x, struct err *err)
{
	uint64_t values[STORE_MAX_COLUMNS] = {0};

	permute(c, x->values, values);
	x->node_id = shifted(x->node_id, c->by.node);
	x->location_id = shifted(x->location_id, c->by.location);
	x->values = values;
	return store_put_cost(c->out, x, err);
}

COPY_EACH(costs, struct store_cost, store_read_costs(c->in, STORE_ALL, &items, &count, err))

static int put_arcs(struct copying *c, struct store_arc *x, struct err *err)
{
	uint64_t values[STORE_MAX_COLUMNS] = {0};

	permute(c, x->values, values);
	x->caller_id = shifted(x->caller_id, c->by.node);
	x->callee_id = shifted(x->callee_id, c->by.node);
	x->location_id = shifted(x->location_id, c->by.location);
	x->values = values;
	return store_put_arc(c->out, x, err);
}

COPY_EACH(arcs, struct store_arc, store_read_arcs(c->in, STORE_ALL, &items, &count, err))

static int put_jumps(struct copying *c, struct store_jump *x, struct err *err)
{
	x->node_id = shifted(x->node_id, c->by.node);
	x->from_id = shifted(x->from_id, c->by.location);
	x->to_id = shifted(x->to_id, c->by.location);
	return store_put_jump(c->out, x, err);
}

COPY_EACH(jumps, struct store_jump, store_read_jumps(c->in, STORE_ALL, &items, &count, err))

int copy_counts(struct copying *c, struct err *err)
{
	if (c->column_count == 0)
		return 0;
	if (copy_nodes(c, err) != 0 || copy_costs(c, err) != 0 || copy_arcs(c, err) != 0)
		return -1;
	return copy_jumps(c, err);
}
