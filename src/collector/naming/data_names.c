/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks up names of data, in order of file and address. */
#include "collector/naming/data_names.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"

#define BATCH	 ((size_t)16384) /* questions at once, at the end of the run */
#define ASK_MOST ((size_t)128)	 /* addresses of one file at once */

void data_names_release(struct data_names *n)
{
	free(n->items);
	layouts_release(&n->layouts);
	*n = (struct data_names){0};
}

int data_names_add(struct data_names *n, const struct data_question *q)
{
	if (n->taken == n->count)
		n->taken = n->count = 0;
	if (!ARRAY_GROW(n))
		return -1;
	n->items[n->count++] = *q;
	return 0;
}

size_t data_names_take(struct data_names *n, struct data_answer *batch, size_t most)
{
	size_t count = n->count - n->taken < most ? n->count - n->taken : most;

	for (size_t i = 0; i < count; i++)
		batch[i] = (struct data_answer){.q = n->items[n->taken + i]};
	n->taken += count;
	return count;
}

/* Sort by file, then by process, then by address. */
static int sort_batch(const struct data_answer *batch, size_t count, struct sort_item *sorted)
{
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct sort_item){batch[i].q.address, i};
	if (sort_by_key(sorted, count) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		sorted[i].key = (uint64_t)batch[sorted[i].index].q.process;
	if (sort_by_key(sorted, count) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		sorted[i].key = (uint64_t)batch[sorted[i].index].q.file;
	return sort_by_key(sorted, count);
}

/*
 * Tell whether the previous answer also holds for this question. The answer for a section does not:
 * the section may hold variables with names.
 */
static bool is_same(const struct data_answer *last, const struct data_question *q)
{
	return last != NULL && last->q.written == q->written && last->q.image == q->image &&
	       !last->variable.is_section && q->address >= last->variable.start &&
	       q->address < last->variable.end;
}

/* Ask questions about one file. */
static void ask(struct data_answer *batch, const struct sort_item *sorted, size_t count,
		struct symbols *symbols)
{
	struct symbols_variable found[ASK_MOST];
	uint64_t addresses[ASK_MOST];

	for (size_t i = 0; i < count; i++)
		addresses[i] = batch[sorted[i].index].q.address;
	symbols_variables(symbols, batch[sorted[0].index].q.file, addresses, count, found);
	for (size_t i = 0; i < count; i++) {
		struct data_answer *a = &batch[sorted[i].index];

		a->found = found[i].name != NULL;
		a->variable = found[i];
	}
}

int data_names_find(struct data_answer *batch, size_t count, struct symbols *symbols)
{
	struct sort_item *sorted = calloc(count + 1, sizeof(*sorted));
	const struct data_answer *last = NULL;

	if (sorted == NULL || sort_batch(batch, count, sorted) != 0) {
		free(sorted);
		return -1;
	}
	for (size_t i = 0, same; i < count; i += same) {
		for (same = 1; same < ASK_MOST && i + same < count; same++)
			if (batch[sorted[i + same].index].q.file != batch[sorted[i].index].q.file)
				break;
		ask(batch, sorted + i, same, symbols);
	}
	for (size_t i = 0; i < count; i++) {
		struct data_answer *a = &batch[sorted[i].index];

		if (is_same(last, &a->q))
			a->found = false;
		else if (a->found)
			last = a;
	}
	free(sorted);
	return 0;
}

/*
 * Tell whether the variable is not yet in the store: other mappings of the file, or earlier
 * batches, may have written it.
 */
static bool is_new(const struct data_answer *a)
{
	const uint64_t place = (a->variable.start + a->q.bias) << 1 | a->variable.is_section,
		       key = place ^ (uint64_t)a->q.image * 0x9e3779b97f4a7c15u;
	uint64_t known;

	return !map_get(a->q.written, key, &known) && map_set(a->q.written, key, 0) == 0;
}

int data_names_write(struct data_names *n, const struct data_answer *batch, size_t count,
		     const struct symbols *symbols, struct store *store, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct symbols_variable *v = &batch[i].variable;
		struct store_variable row = {
			.id = n->last_id + 1,
			.process_id = batch[i].q.process,
			.start = v->start + batch[i].q.bias,
			.end = v->end + batch[i].q.bias,
			.name = v->name,
			.type = v->type,
			.file = v->file,
			.line = v->line,
			.element_size = v->element_bytes,
			.is_local = batch[i].q.is_local,
			.image = batch[i].q.image,
		};

		if (!batch[i].found || !is_new(&batch[i]))
			continue;
		row.module = symbols_path(symbols, batch[i].q.file);
		n->last_id++;
		if (layouts_put(&n->layouts, v->layout, store, &row.layout_id, err) != 0 ||
		    store_put_variable(store, &row, err) != 0)
			return -1;
	}
	return 0;
}

int data_names_finish(struct data_names *n, struct symbols *symbols, struct store *store,
		      struct err *err)
{
	struct data_answer *batch = calloc(BATCH, sizeof(*batch));
	size_t count;
	int status = 0;

	if (batch == NULL)
		return err_set(err, "out of memory");
	while (status == 0 && (count = data_names_take(n, batch, BATCH)) > 0) {
		if (data_names_find(batch, count, symbols) != 0)
			status = err_set(err, "out of memory");
		else
			status = data_names_write(n, batch, count, symbols, store, err);
	}
	free(batch);
	return status;
}
