/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events are exported; see columns.h. */
#include "export/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As other tools know them, for profiles that do not say so themselves. */
static const struct formula_name predefined[] = {
	{"L1m", "I1mr + D1mr + D1mw", 0},
	{"LLm", "ILmr + DLmr + DLmw", 0},
	{"CEst", "Ir + 10*L1m + 100*LLm", 0},
};

#define PREDEFINED (sizeof(predefined) / sizeof(predefined[0]))

static int add_known(struct export_columns *c, const struct export_data *d, struct err *err)
{
	c->known = calloc(d->event_count + PREDEFINED, sizeof(*c->known));
	if (c->known == NULL)
		return err_set(err, "not enough memory for %zu events", d->event_count);
	for (size_t i = 0; i < d->event_count; i++)
		c->known[c->known_count++] =
			(struct formula_name){d->events[i].name, d->events[i].formula, i};
	/* Behind the profile's own: the first of a name counts. */
	for (size_t i = 0; i < PREDEFINED; i++)
		c->known[c->known_count++] = predefined[i];
	return 0;
}

/* What there is instead; returns -1. */
static int fail_unknown(const struct export_data *d, struct err *err)
{
	struct text names = {0};
	struct err reason = *err;

	for (size_t i = 0; i < d->event_count; i++)
		text_addf(&names, "%s%s", i > 0 ? " " : "", d->events[i].name);
	err_set(err, "%.200s: the profile has %.200s", reason.text, text_get(&names));
	text_release(&names);
	return -1;
}

static int add_formula(struct export_columns *c, struct export_data *d, const char *name,
		       const char *title, const char *formula, struct err *err)
{
	struct export_column column = {.name = name, .title = title};
	double *factors = arena_alloc(&d->arena, d->columns * sizeof(*factors));

	column.formula = formula_parse(formula, c->known, c->known_count, err);
	if (column.formula == NULL)
		return fail_unknown(d, err);
	if (factors == NULL) {
		formula_free(column.formula);
		return err_set(err, "not enough memory for a formula");
	}
	if (formula_is_sum(column.formula, factors, d->columns))
		column.factors = factors;
	c->items[c->count++] = column;
	return 0;
}

static int add_event(struct export_columns *c, struct export_data *d, size_t i, struct err *err)
{
	const struct store_event *e = &d->events[i];

	if (e->formula != NULL)
		return add_formula(c, d, e->name, e->description, e->formula, err);
	c->items[c->count++] = (struct export_column){
		.name = e->name, .title = e->description, .is_measured = true, .index = i};
	return 0;
}

/* "NAME = FORMULA": the length of the name, and where the formula begins; else 0. */
static size_t split_definition(const char *text, const char **formula)
{
	size_t length = formula_name_length(text);
	const char *at = text + length;

	at += strspn(at, " \t");
	if (length == 0 || *at != '=')
		return 0;
	*formula = at + 1;
	return length;
}

static int add_asked(struct export_columns *c, struct export_data *d, const char *asked,
		     struct err *err)
{
	const char *formula = asked, *name = asked;
	size_t length;

	for (size_t i = 0; i < d->event_count; i++)
		if (strcmp(d->events[i].name, asked) == 0)
			return add_event(c, d, i, err);
	length = split_definition(asked, &formula);
	if (length > 0)
		name = arena_strndup(&d->arena, asked, length);
	if (name == NULL)
		return err_set(err, "not enough memory for a formula");
	return add_formula(c, d, name, NULL, formula, err);
}

int export_columns_init(struct export_columns *c, struct export_data *d, const char *const *asked,
			size_t count, struct err *err)
{
	size_t most = count > 0 ? count : d->event_count;
	int status;

	*c = (struct export_columns){.items = calloc(most + 1, sizeof(*c->items))};
	if (c->items == NULL)
		return err_set(err, "not enough memory for %zu events", most);
	status = add_known(c, d, err);
	for (size_t i = 0; status == 0 && i < most; i++)
		status = count > 0 ? add_asked(c, d, asked[i], err) : add_event(c, d, i, err);
	if (status == 0)
		return 0;
	export_columns_release(c);
	return -1;
}

void export_columns_release(struct export_columns *c)
{
	for (size_t i = 0; i < c->count; i++)
		formula_free(c->items[i].formula);
	free(c->items);
	free(c->known);
	*c = (struct export_columns){0};
}

double export_value(const struct export_column *c, const uint64_t *values)
{
	return c->is_measured ? (double)values[c->index] : formula_value(c->formula, values);
}

void export_add_value(struct text *out, const struct export_column *c, const uint64_t *values)
{
	double value;

	if (c->is_measured) {
		text_addf(out, "%" PRIu64, values[c->index]);
		return;
	}
	value = formula_value(c->formula, values);
	text_addf(out, value == rint(value) && fabs(value) < 1e15 ? "%.0f" : "%.8g", value);
}
