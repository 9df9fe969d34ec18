/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums bins up by pieces of code and data structures; see code_data.h. */
#include "estimate/counted/code_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "estimate/fields/fields.h"

static int compare_keys(const void *a, const void *b)
{
	const struct code_data_row *x = a, *y = b;

	if (x->piece != y->piece)
		return x->piece < y->piece ? -1 : 1;
	if (x->structure != y->structure)
		return x->structure < y->structure ? -1 : 1;
	return strcmp(x->field, y->field);
}

static void merge_rows(struct code_data *c)
{
	size_t used = 0;

	qsort(c->rows, c->count, sizeof(*c->rows), compare_keys);
	for (size_t i = 0; i < c->count; i++) {
		struct code_data_row *to = used > 0 ? &c->rows[used - 1] : NULL;

		if (to == NULL || compare_keys(to, &c->rows[i]) != 0) {
			c->rows[used++] = c->rows[i];
			continue;
		}
		counted_add(&to->first, &c->rows[i].first);
		counted_add(&to->last, &c->rows[i].last);
	}
	c->count = used;
}

static int compare(const void *a, const void *b)
{
	const struct code_data_row *x = a, *y = b;

	if (x->piece != y->piece)
		return x->piece < y->piece ? -1 : 1;
	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? 1 : -1;
	if (x->structure != y->structure)
		return strcmp(x->structure->name, y->structure->name);
	return strcmp(x->field, y->field);
}

static const char *field_of(struct code_data *c, const struct data_row *structure,
			    const struct store_bin *b, const char **type)
{
	struct text name = {0};
	const char *kept = "";

	*type = fields_name_bin(c->names.profile, structure, b, &name);
	if (name.count > 0)
		kept = arena_strdup(&c->strings, text_get(&name));
	text_release(&name);
	return kept != NULL ? kept : "";
}

static void list_rows(struct code_data *c, code_data_piece *piece_of, const void *context)
{
	const struct profile *p = c->names.profile;

	for (size_t i = 0; i < p->bin_count; i++) {
		const struct store_bin *b = &p->bins[i];
		const struct counted_misses misses = counted_of(p, b);
		struct code_data_row row = {.piece = piece_of(context, b->location_id)};

		if (row.piece == SIZE_MAX)
			continue;
		row.structure = counted_data(&c->names, b->structure_id);
		if (counted_is_last(b->cache))
			row.last = misses;
		else if (counted_is_first(b->cache))
			row.first = misses;
		else
			continue;
		row.field = field_of(c, row.structure, b, &row.type);
		c->rows[c->count++] = row;
	}
}

int code_data_init(struct code_data *c, const struct profile *p, const struct query *q,
		   code_data_piece *piece_of, const void *context, struct err *err)
{
	*c = (struct code_data){0};
	if (counted_init(&c->names, p, q, DATA_BY_LINE, NULL, err) != 0)
		return -1;
	c->rows = calloc(p->bin_count + 1, sizeof(*c->rows));
	if (c->rows == NULL) {
		code_data_release(c);
		return err_set(err, "not enough memory for the misses of %zu instructions",
			       p->bin_count);
	}
	list_rows(c, piece_of, context);
	merge_rows(c);
	for (size_t i = 0; i < c->count; i++)
		c->rows[i].cycles = counted_cycles(&c->rows[i].first, &c->rows[i].last);
	qsort(c->rows, c->count, sizeof(*c->rows), compare);
	return 0;
}

void code_data_release(struct code_data *c)
{
	free(c->rows);
	arena_release(&c->strings);
	counted_release(&c->names);
	*c = (struct code_data){0};
}

const struct code_data_row *code_data_of(const struct code_data *c, size_t piece, size_t *count)
{
	const size_t low = SEARCH_FIRST(i, c->count, c->rows[i].piece >= piece);

	for (*count = 0; low + *count < c->count && c->rows[low + *count].piece == piece;)
		++*count;
	return *count > 0 ? &c->rows[low] : NULL;
}
