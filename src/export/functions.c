/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Merges nodes into functions; see functions.h. */
#include "export/functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct key {
	const struct store_node *node;
	size_t index;
	size_t part;
};

static int compare_text(const char *a, const char *b)
{
	if (a == b)
		return 0;
	if (a == NULL || b == NULL)
		return a == NULL ? -1 : 1;
	return strcmp(a, b);
}

static int compare_names(const struct key *x, const struct key *y)
{
	int order;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	order = compare_text(x->node->object, y->node->object);
	if (order == 0)
		order = compare_text(x->node->file, y->node->file);
	return order != 0 ? order : compare_text(x->node->function, y->node->function);
}

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int order = compare_names(x, y);

	return order != 0 ? order : x->index < y->index ? -1 : x->index > y->index;
}

/* ---- Parts ---- */

static const struct store_process *find_process(const struct export_data *d, int64_t id)
{
	for (size_t i = 0; i < d->process_count; i++)
		if (d->processes[i].id == id)
			return &d->processes[i];
	return &d->processes[0];
}

static int compare_parts(const void *a, const void *b)
{
	const struct export_part *x = a, *y = b;

	if (x->process->id != y->process->id)
		return x->process->id < y->process->id ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* There are few parts, and the nodes of a part are consecutive. */
static int find_part(struct export_functions *f, struct export_part wanted, size_t *part)
{
	for (size_t i = f->part_count; i-- > 0;) {
		if (compare_parts(&f->parts[i], &wanted) == 0) {
			*part = i;
			return 0;
		}
	}
	if (!array_reserve_in((void **)&f->parts, &f->part_room, f->part_count + 1,
			      sizeof(*f->parts)))
		return -1;
	*part = f->part_count;
	f->parts[f->part_count++] = wanted;
	return 0;
}

static struct export_part part_of(const struct export_data *d, const struct store_node *n)
{
	return (struct export_part){find_process(d, n->process_id), n->thread};
}

static int list_parts(struct export_functions *f, const struct export_data *d, bool apart)
{
	size_t part;

	if (!apart)
		return find_part(f, (struct export_part){&d->processes[0], STORE_NONE}, &part);
	for (size_t i = 0; i < d->node_count; i++)
		if (find_part(f, part_of(d, &d->nodes[i]), &part) != 0)
			return -1;
	if (f->part_count > 0)
		qsort(f->parts, f->part_count, sizeof(*f->parts), compare_parts);
	return 0;
}

/* ---- Functions ---- */

static int make_functions(struct export_functions *f, const struct key *keys, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || compare_names(&keys[i - 1], &keys[i]) != 0) {
			if (!ARRAY_GROW(f))
				return -1;
			f->items[f->count++] = (struct export_function){.name = keys[i].node,
									.part = keys[i].part};
		}
		f->of_node[keys[i].index] = f->count - 1;
	}
	return 0;
}

static void find_entries(struct export_functions *f, const struct export_data *d)
{
	for (size_t i = 0; i < d->cost_count; i++) {
		struct export_function *x = &f->items[f->of_node[d->costs[i].node_id]];
		const struct store_location *l = export_location(d, d->costs[i].location_id);
		uint64_t address = export_address(l);
		struct store_frame place = export_place(l);

		if (l == NULL || (x->line != 0 && x->entry == 0 && place.line >= x->line) ||
		    (x->entry != 0 && address >= x->entry))
			continue;
		x->entry = address;
		x->line = place.line;
	}
}

int export_functions_init(struct export_functions *f, const struct export_data *d, bool apart,
			  struct err *err)
{
	struct key *keys = calloc(d->node_count + 1, sizeof(*keys));
	int status = -1;

	*f = (struct export_functions){.of_node = calloc(d->node_count + 1, sizeof(*f->of_node))};
	if (keys == NULL || f->of_node == NULL || list_parts(f, d, apart) != 0)
		goto out;
	for (size_t i = 0; i < d->node_count; i++) {
		keys[i] = (struct key){.node = &d->nodes[i], .index = i};
		if (apart && find_part(f, part_of(d, &d->nodes[i]), &keys[i].part) != 0)
			goto out;
	}
	qsort(keys, d->node_count, sizeof(*keys), compare_keys);
	status = make_functions(f, keys, d->node_count);
out:
	free(keys);
	if (status != 0) {
		export_functions_release(f);
		return err_set(err, "not enough memory for %zu functions", d->node_count);
	}
	find_entries(f, d);
	return 0;
}

void export_functions_release(struct export_functions *f)
{
	free(f->items);
	free(f->of_node);
	free(f->parts);
	*f = (struct export_functions){0};
}

/* Contexts end after a few callers, or at the program's start. The limit stops damaged ones. */
#define MAX_DEPTH 4096

bool export_is_nested(const struct export_functions *f, const struct export_data *d,
		      const struct store_arc *a)
{
	size_t from, to;
	int64_t at = a->caller_id, caller;

	if (at == STORE_NONE)
		return false;
	from = f->of_node[at];
	to = f->of_node[a->callee_id];
	for (size_t depth = 0; depth < MAX_DEPTH; depth++) {
		caller = d->nodes[at].caller_id;
		if (caller == STORE_NONE)
			return false;
		if (f->of_node[at] == to && f->of_node[caller] == from)
			return true;
		at = caller;
	}
	return false;
}
