/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for what an exact run has summed: source lines, functions, lines of memory; see exact_objects.c. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "collector/exact.h"

static int compare_texts(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int compare_places(const void *a, const void *b)
{
	const struct exact_row *x = a, *y = b;
	int order = compare_texts(x->file, y->file);

	if (order == 0)
		order = (x->line > y->line) - (x->line < y->line);
	/* A line's instructions are one row, whatever function they were inlined into. */
	if (order == 0 && (x->line == 0 || x->file == NULL || x->is_object))
		order = compare_texts(x->function, y->function);
	return order;
}

static int compare_misses(const void *a, const void *b)
{
	const struct exact_row *x = a, *y = b;

	for (unsigned i = SIM_POLICIES; i-- > 0;)
		if (x->sums.misses[i] != y->sums.misses[i])
			return x->sums.misses[i] < y->sums.misses[i] ? 1 : -1;
	if (x->sums.accesses != y->sums.accesses)
		return x->sums.accesses < y->sums.accesses ? 1 : -1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return compare_places(a, b);
}

static void add_sums(struct sim_key *to, const struct sim_key *from)
{
	to->accesses += from->accesses;
	to->first += from->first;
	for (unsigned i = 0; i < SIM_POLICIES; i++)
		to->misses[i] += from->misses[i];
}

/* Rows of the same place become one. Returns how many are left. */
static size_t merge(struct exact_row *rows, size_t count)
{
	size_t left = 0;

	qsort(rows, count, sizeof(*rows), compare_places);
	for (size_t i = 0; i < count; i++) {
		if (left > 0 && compare_places(&rows[left - 1], &rows[i]) == 0)
			add_sums(&rows[left - 1].sums, &rows[i].sums);
		else
			rows[left++] = rows[i];
	}
	return left;
}

static int name_location(struct exact *e, const struct exact_process *p,
			 const struct code_location *l, enum exact_rows_by by,
			 struct exact_row *row)
{
	const struct symbols_frame *frames;
	uint64_t address = l->pc;
	int file = -1;

	if (l->module != CODE_NO_MODULE) {
		const struct code_module *m = &p->code.modules.items[l->module];

		file = m->file;
		address = symbols_address(e->symbols, file, l->pc - m->start + m->file_offset);
	}
	if (symbols_resolve(e->symbols, file, address, &frames) == 0)
		return -1;
	row->function = frames[0].function;
	row->file = frames[0].file;
	row->line = by == EXACT_LINES ? frames[0].line : 0;
	return 0;
}

/* In order of address, in which questions for names cost least. */
static int name_code(struct exact *e, const struct exact_process *p, enum exact_rows_by by,
		     struct exact_row *rows, size_t *count)
{
	const struct code_map *code = &p->code;
	const size_t n = code->location_count;
	struct code_location *list = calloc(n + 1, sizeof(*list));
	struct sort_item *sorted = calloc(n + 1, sizeof(*sorted));
	int status = -1;

	if (sorted == NULL || list == NULL)
		goto out;
	code_map_list(code, list);
	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct sort_item){list[i].pc, i};
	if (sort_by_key(sorted, n) != 0)
		goto out;
	*count = 0;
	for (size_t i = 0; i < n; i++) {
		const struct code_location *l = &list[sorted[i].index];
		struct exact_row *row = &rows[*count];

		if (l->id >= p->keys.count)
			continue;
		*row = (struct exact_row){.sums = p->keys.items[l->id]};
		if (name_location(e, p, l, by, row) != 0)
			goto out;
		++*count;
	}
	status = 0;
out:
	free(list);
	free(sorted);
	return status;
}

static void name_data(const struct exact_process *p, struct exact_row *rows, size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < p->data.room; i++) {
		const struct map_entry *entry = &p->data.entries[i];

		if (entry->value == 0)
			continue;
		rows[(*count)++] = (struct exact_row){
			.address = entry->key << p->curves[0].line_shift,
			.sums = p->keys.items[entry->value - 1],
		};
	}
}

int exact_rows(struct exact *e, const struct exact_process *p, enum exact_rows_by by,
	       struct exact_row **rows, size_t *count, struct err *err)
{
	size_t room =
		by == EXACT_DATA || by == EXACT_OBJECTS ? p->data.count : p->code.location_count;
	int status = 0;

	*rows = calloc(room + 1, sizeof(**rows));
	if (*rows == NULL)
		return err_set(err, "out of memory");
	if (by == EXACT_DATA)
		name_data(p, *rows, count);
	else if (by == EXACT_OBJECTS)
		status = exact_name_objects(e, p, *rows, count);
	else
		status = name_code(e, p, by, *rows, count);
	if (status != 0) {
		free(*rows);
		*rows = NULL;
		return err_set(err, "out of memory");
	}
	if (by != EXACT_DATA)
		*count = merge(*rows, *count);
	qsort(*rows, *count, sizeof(**rows), compare_misses);
	return 0;
}
