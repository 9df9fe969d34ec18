/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares and numbers rows; see data_calls.h. */
#include "estimate/data_calls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Calls of a line, or of a function without lines, that are distinguished. */
#define MOST_CALLS 8

static int compare_text(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

int data_compare_rows(const struct data_row *x, const struct data_row *y)
{
	int order = (int)x->kind - (int)y->kind;

	if (order == 0)
		order = compare_text(x->name, y->name);
	if (order == 0)
		order = compare_text(x->file, y->file);
	if (order == 0)
		order = compare_text(x->module, y->module);
	if (order == 0)
		order = (x->line > y->line) - (x->line < y->line);
	return order;
}

int data_compare_placed(const void *a, const void *b)
{
	const struct data_row *x = &((const struct data_placed_row *)a)->row;
	const struct data_row *y = &((const struct data_placed_row *)b)->row;
	int order = data_compare_rows(x, y);

	return order != 0 ? order : (x->call_pc > y->call_pc) - (x->call_pc < y->call_pc);
}

uint64_t data_call_of(const struct profile *p, const struct store_site *s,
		      const struct store_frame *f, enum data_by by)
{
	if (by == DATA_BY_ORDER && f != NULL && f->line > 0)
		return f->line;
	for (size_t i = 0; f != NULL && i < s->path_count; i++) {
		const struct store_location *l = profile_location(p, s->path[i]);

		if (l != NULL && f >= l->frames && f < l->frames + l->frame_count)
			return l->module_id != STORE_NONE ? l->module_address : l->pc;
	}
	return 0;
}

/* Calls of one name, numbered from 1. */
struct calls {
	uint32_t count;
	double *weights;      /* by call, from 0 */
	double *sorted;	      /* the same, the largest first */
	uint32_t told, least; /* calls told apart: all above sorted[told - 1], and `least` as it */
};

static int compare_weights(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

static bool is_next_call(const struct data_placed_row *rows, size_t i)
{
	return i > 0 && rows[i].row.call_pc != rows[i - 1].row.call_pc;
}

/* Choose the calls to tell apart. */
static int choose(struct calls *c, const struct data_placed_row *rows, size_t n,
		  const double *weights)
{
	uint32_t call = 0;

	c->told = c->count < MOST_CALLS ? c->count : MOST_CALLS;
	c->least = c->told;
	if (c->count <= MOST_CALLS)
		return 0;
	c->weights = calloc(2 * (size_t)c->count, sizeof(*c->weights));
	if (c->weights == NULL)
		return -1;
	c->sorted = c->weights + c->count;
	for (size_t i = 0; i < n; i++) {
		call += is_next_call(rows, i);
		c->weights[call] += weights[rows[i].place];
	}
	memcpy(c->sorted, c->weights, c->count * sizeof(*c->weights));
	qsort(c->sorted, c->count, sizeof(*c->sorted), compare_weights);
	for (uint32_t i = 0; i < c->told; i++)
		c->least -= c->sorted[i] > c->sorted[c->told - 1];
	return 0;
}

/* Tell whether the call is told apart; asked once for each, in their order. */
static bool is_told(struct calls *c, uint32_t call)
{
	const double least = c->sorted != NULL ? c->sorted[c->told - 1] : 0;

	if (c->sorted == NULL || c->weights[call] > least)
		return true;
	if (c->weights[call] < least || c->least == 0)
		return false;
	c->least--;
	return true;
}

/*
 * "f [2 of 3]"; or a name that other versions of a program keep: "f", "f [2]", "f [3]". Call 0
 * stands for all that are not told apart.
 */
static const char *name_of_call(struct data *d, const char *name, uint32_t call,
				const struct calls *c, enum data_by by)
{
	const char *kept;
	struct text t = {0};

	text_add(&t, name);
	if (call == 0)
		text_addf(&t, " [other %" PRIu32 " of %" PRIu32 "]", c->count - c->told, c->count);
	else if (by != DATA_BY_ORDER)
		text_addf(&t, " [%" PRIu32 " of %" PRIu32 "]", call, c->count);
	else if (call > 1)
		text_addf(&t, " [%" PRIu32 "]", call);
	kept = t.failed ? NULL : arena_strdup(&d->strings, text_get(&t));
	text_release(&t);
	return kept;
}

/* Number the calls of n equal rows. */
static int number_calls(struct data *d, struct data_placed_row *rows, size_t n, enum data_by by,
			const double *weights)
{
	struct calls c = {.count = 1};
	const char *name = NULL;
	uint32_t call = 0;

	for (size_t i = 1; i < n; i++)
		c.count += is_next_call(rows, i);
	if (c.count == 1 || (c.count > MOST_CALLS && (by == DATA_BY_ORDER || rows[0].row.line > 0)))
		return 0;
	if (choose(&c, rows, n, weights) != 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || is_next_call(rows, i)) {
			const bool is_alone = is_told(&c, call++);

			name = name_of_call(d, rows[i].row.unnumbered, is_alone ? call : 0, &c, by);
		}
		if (name != NULL)
			rows[i].row.name = name;
	}
	free(c.weights);
	return 0;
}

int data_number_calls(struct data *d, struct data_placed_row *rows, size_t n, enum data_by by,
		      const double *weights)
{
	int status = 0;

	for (size_t i = 0, end; status == 0 && i < n; i = end) {
		for (end = i + 1; end < n; end++)
			if (data_compare_rows(&rows[i].row, &rows[end].row) != 0)
				break;
		status = number_calls(d, rows + i, end - i, by, weights);
	}
	/* Those that are not told apart lie between others. */
	qsort(rows, n, sizeof(*rows), data_compare_placed);
	return status;
}
