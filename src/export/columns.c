/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the events to export; see columns.h. */
#include "export/columns.h"

#include <math.h>
#include <stdlib.h>

/*
 * A formula is recognised as a sum by its values. It must be 0 if all events are 0; each event
 * alone gives its factor. Then these factors must predict its value at some places where other
 * formulas would differ.
 */
#define PLACES 4

static bool agrees(const struct export_column *c, const double *factors, size_t count,
		   uint64_t place)
{
	uint64_t values[STORE_MAX_COLUMNS];
	double sum = 0, most = 1, value;

	for (size_t i = 0; i < count; i++) {
		/* Irregular numbers that no formula follows by chance: a multiplicative hash. */
		values[i] =
			((place * STORE_MAX_COLUMNS + i + 1) * UINT64_C(0x9e3779b97f4a7c15)) >> 44;
		sum += factors[i] * (double)values[i];
		most += fabs(factors[i] * (double)values[i]);
	}
	value = export_value(c, values);
	return fabs(value - sum) <= 1e-9 * most;
}

static int find_factors(struct export_column *c, struct export_data *d, struct err *err)
{
	size_t count = d->columns;
	double *factors = arena_alloc(&d->arena, count * sizeof(*factors));
	uint64_t values[STORE_MAX_COLUMNS] = {0};
	bool is_sum;

	if (factors == NULL)
		return err_set(err, "not enough memory for a formula");
	is_sum = export_value(c, values) == 0;
	for (size_t i = 0; i < count; i++) {
		values[i] = 1;
		factors[i] = export_value(c, values);
		is_sum = is_sum && isfinite(factors[i]);
		values[i] = 0;
	}
	for (uint64_t place = 0; is_sum && place < PLACES; place++)
		is_sum = agrees(c, factors, count, place);
	if (is_sum)
		c->factors = factors;
	return 0;
}

static int add(struct export_columns *c, struct export_data *d, size_t index, struct err *err)
{
	const struct event_column *from = &d->p.columns[index];
	struct export_column *to = &c->items[c->count++];

	*to = (struct export_column){
		.profile = &d->p,
		.index = index,
		.name = from->name,
		.title = from->description,
		.is_measured = index < d->columns,
	};
	return to->is_measured ? 0 : find_factors(to, d, err);
}

int export_columns_init(struct export_columns *c, struct export_data *d, const char *const *asked,
			size_t count, struct err *err)
{
	size_t most = count > 0 ? count : d->p.column_count, index;
	int status = 0;

	*c = (struct export_columns){.items = calloc(most + 1, sizeof(*c->items))};
	if (c->items == NULL)
		return err_set(err, "not enough memory for %zu events", most);
	for (size_t i = 0; status == 0 && i < most; i++) {
		index = i;
		if (count > 0)
			status = events_column(&d->p, asked[i], &index, err);
		/* Columns that were redefined have no name. */
		if (status == 0 && d->p.columns[index].name[0] != '\0')
			status = add(c, d, index, err);
	}
	if (status != 0)
		export_columns_release(c);
	return status;
}

void export_columns_keep_sums(struct export_columns *c, struct text *notes)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (c->items[i].is_measured || c->items[i].factors != NULL)
			c->items[kept++] = c->items[i];
		else
			text_addf(notes, "event %s is left out: it is no sum of events\n",
				  c->items[i].name);
	}
	c->count = kept;
}

void export_columns_release(struct export_columns *c)
{
	free(c->items);
	*c = (struct export_columns){0};
}

double export_value(const struct export_column *c, const uint64_t *values)
{
	return events_value(c->profile, c->index, values);
}
