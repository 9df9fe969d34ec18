/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Estimates of line use; see event_use.h. */
#include "events/event_use.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "events/events.h"

#define QUANTILE    1.96
#define USUAL_LINES 2 /* that are added to those of a row, as their few may not be typical */

static const struct use {
	const char *name, *variance;
	double most;	      /* of a line */
	const char *lines[3]; /* events that bring lines, at most two each */
} uses[EVENT_USE_EVENTS] = {
	{"AcCost1", "AcVar1", 1000, {"I1mr", "D1mr", "D1mw"}},
	{"SpLoss1", "SpVar1", 64, {"I1mr", "D1mr", "D1mw"}},
	{"AcCost2", "AcVar2", 1000, {"ILmr", "DLmr", "DLmw"}},
	{"SpLoss2", "SpVar2", 64, {"ILmr", "DLmr", "DLmw"}},
};

static size_t find(const struct event_profile *p, const char *name)
{
	for (size_t i = 0; i < p->measured; i++)
		if (strcmp(p->columns[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

bool event_use_is_variance(const struct event_profile *p, size_t column)
{
	for (size_t i = 0; i < EVENT_USE_EVENTS && column < p->measured; i++)
		if (strcmp(p->columns[column].name, uses[i].variance) == 0)
			return true;
	return false;
}

bool event_use_is_estimate(const struct event_profile *p, size_t column)
{
	for (size_t i = 0; i < EVENT_USE_EVENTS && column < p->measured && p->use.share > 0; i++)
		if (strcmp(p->columns[column].name, uses[i].name) == 0)
			return true;
	return p->columns[column].variance != 0;
}

static double sum_of(const struct event_profile *p, size_t column)
{
	double sum = 0;

	for (size_t i = 0; i < p->cost_count; i++)
		sum += (double)p->costs[i].values[column];
	return sum;
}

/* Returns whether all lines were looked at, as replay does. */
static bool apply(struct event_profile *p)
{
	bool is_exact = true;

	for (size_t k = 0; k < EVENT_USE_EVENTS; k++) {
		const size_t column = find(p, uses[k].name), variance = find(p, uses[k].variance);
		double sum;

		if (column == SIZE_MAX || variance == SIZE_MAX)
			continue;
		sum = sum_of(p, column);
		p->use.unit[k] = sum > 0 ? sum_of(p, variance) / sum : 0;
		is_exact &= p->use.unit[k] <= 0;
		for (size_t i = 0; i < p->arc_count; i++) {
			uint64_t *values = (uint64_t *)p->arcs[i].values;

			values[variance] = (uint64_t)((double)values[column] * p->use.unit[k]);
		}
	}
	return is_exact;
}

int event_use_apply(struct event_profile *p, struct err *err)
{
	struct store_geometry *g;
	size_t count;

	if (find(p, uses[0].variance) == SIZE_MAX)
		return 0;
	if (store_read_geometry(p->store, &g, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (strcmp(g[i].name, "line-use") == 0 && strncmp(g[i].value, "1/", 2) == 0)
			p->use.share = strtoull(g[i].value + 2, NULL, 10);
	free(g);
	if (apply(p))
		p->use.share = 0;
	return 0;
}

int event_use_add_bounds(struct event_profile *p, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < 2 * EVENT_USE_EVENTS && status == 0 && p->use.share > 0; i++) {
		const struct use *u = &uses[i / 2];
		char formula[64];
		size_t column;

		if (find(p, u->name) == SIZE_MAX || find(p, u->variance) == SIZE_MAX)
			continue;
		snprintf(formula, sizeof(formula), "%s.%s = %s", u->name, i % 2 ? "high" : "low",
			 u->name);
		status = events_column(p, formula, &column, err);
		if (status != 0)
			break;
		p->columns[column].bound = (unsigned)(1 + i);
		p->columns[column].variance = find(p, u->variance);
	}
	return status;
}

/* The most that the lines of a row can have cost; INFINITY: prefetchers have brought others. */
static double most_of(const struct event_profile *p, const struct use *u, const uint64_t *values)
{
	double lines = 0;

	for (size_t i = 0; i < p->measured; i++)
		if (strlen(p->columns[i].name) == 4 && strcmp(p->columns[i].name + 2, "pf") == 0)
			return INFINITY;
	for (size_t i = 0; i < 3; i++) {
		const size_t column = find(p, u->lines[i]);

		lines += column != SIZE_MAX ? 2 * (double)values[column] : 0;
	}
	return lines * u->most;
}

double event_use_bound(const struct event_profile *p, const struct event_column *c,
		       const uint64_t *values, double value)
{
	const size_t k = (c->bound - 1) / 2;
	const double usual = USUAL_LINES * p->use.unit[k];
	const double unit =
		((double)values[c->variance] + usual * p->use.unit[k]) / (value + usual);
	const double n = value / unit, middle = n + QUANTILE * QUANTILE / 2,
		     reach = QUANTILE * sqrt(n + QUANTILE * QUANTILE / 4);

	if (!(unit > 0))
		return value;
	if (c->bound % 2 == 1)
		return fmax(unit * (middle - reach), 0);
	return fmax(fmin(unit * (middle + reach), most_of(p, &uses[k], values)), value);
}
