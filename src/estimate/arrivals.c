/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums up window first touches by location; see arrivals.h. */
#include "estimate/arrivals.h"

#include <math.h>
#include <stdlib.h>

double arrivals_weight(const struct profile *p, const struct store_arrival *x)
{
	int64_t window = profile_window(p, x->window);

	if (window < 0 || p->windows[window].length == 0)
		return 0;
	return (double)x->weight * (double)p->windows[window].stands_for /
	       ((double)p->windows[window].length / 2);
}

/* A location's sum in the current window. */
struct in_window {
	double sum;
	uint32_t window;
};

static void close_window(struct arrivals *a, size_t i, struct in_window *w)
{
	a->variance[i] += w->sum * w->sum;
	w->sum = 0;
}

/* Turn sums into shares. The variance is that of a sum over windows. */
static void divide(struct arrivals *a, const struct profile *p, double all)
{
	for (size_t i = 0; i <= p->location_count && all > 0; i++) {
		double share = a->share[i] / all;

		a->share[i] = share;
		a->variance[i] = fmax(0, a->variance[i] / (all * all) -
						 share * share / (double)(p->window_count + 1));
	}
}

int arrivals_measure(struct arrivals *a, const struct profile *p, struct err *err)
{
	size_t count = p->location_count + 1;
	struct in_window *windows = calloc(count, sizeof(*windows));
	double all = 0;

	*a = (struct arrivals){.share = calloc(count, sizeof(*a->share)),
			       .variance = calloc(count, sizeof(*a->variance))};
	if (windows == NULL || a->share == NULL || a->variance == NULL) {
		free(windows);
		arrivals_release(a);
		return err_set(err, "not enough memory for %zu locations", count);
	}
	for (size_t k = 0; k < p->arrival_count; k++) {
		const struct store_arrival *x = &p->arrivals[k];
		const struct store_location *l = profile_location(p, x->end.location);
		size_t i = l != NULL ? (size_t)(l - p->locations) : p->location_count;
		double weight = arrivals_weight(p, x);

		if (weight <= 0)
			continue;
		if (windows[i].window != x->window)
			close_window(a, i, &windows[i]);
		windows[i].window = x->window;
		windows[i].sum += weight;
		a->share[i] += weight;
		all += weight;
		a->count++;
	}
	for (size_t i = 0; i < count; i++)
		close_window(a, i, &windows[i]);
	divide(a, p, all);
	a->all = all;
	free(windows);
	return 0;
}

void arrivals_release(struct arrivals *a)
{
	free(a->share);
	free(a->variance);
	*a = (struct arrivals){0};
}
