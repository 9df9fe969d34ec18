/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The misses of far reuses by distance; see far_misses.h. */
#include "estimate/far_misses.h"

#include <math.h>
#include <stdlib.h>

#define DRAWN	   1.0 /* average reuses, added to those found at a place */
#define SEARCH	   60  /* bisection steps */
#define LEAST_RATE 1e-16
#define MOST_RATE  1.0

struct far {
	const struct share_reuse *reuses;
	size_t count;
	const double *trust; /* by place, in [0, 1) */
	enum model_policy policy;
};

/*
 * The probability of a miss, by the rate of misses that evict the line. With LRU, all reuses beyond
 * the distance 1 / rate would miss; but distances count accesses, not lines, and touches between
 * windows were not seen.
 */
static double chance(enum model_policy policy, double distance, double rate)
{
	double x = distance * rate;

	return policy == MODEL_LRU ? 1 - 1 / (1 + x * x * x * x) : -expm1(-x);
}

/* Misses of the trusted reuses at this rate. */
static double misses_at(const struct far *f, double rate)
{
	double sum = 0;

	for (size_t i = 0; i < f->count; i++)
		sum += f->trust[f->reuses[i].end] * f->reuses[i].is.accesses *
		       chance(f->policy, (double)f->reuses[i].distance, rate);
	return sum;
}

/* The rate at which a share `ratio` of the trusted reuses misses. */
static double find_rate(const struct far *f, double ratio)
{
	double low = log(LEAST_RATE), high = log(MOST_RATE), wanted = 0;

	for (size_t i = 0; i < f->count; i++)
		wanted += ratio * f->trust[f->reuses[i].end] * f->reuses[i].is.accesses;
	for (int i = 0; i < SEARCH; i++) {
		double middle = (low + high) / 2;

		*(misses_at(f, exp(middle)) < wanted ? &low : &high) = middle;
	}
	return exp((low + high) / 2);
}

/* If no rate fits, as some distances are 0, move all reuses by the same part of their range. */
static void make_exact(struct share_reuse *far, size_t count, double ratio)
{
	double accesses = 0, misses = 0, wanted, up, down;

	for (size_t i = 0; i < count; i++) {
		accesses += far[i].is.accesses;
		misses += far[i].is.misses;
	}
	wanted = ratio * accesses;
	up = misses < wanted && misses < accesses ? (wanted - misses) / (accesses - misses) : 0;
	down = misses > wanted ? wanted / misses : 1;
	for (size_t i = 0; i < count; i++)
		far[i].is.misses =
			down * far[i].is.misses + up * (far[i].is.accesses - far[i].is.misses);
}

int far_misses_share(struct share_reuse *far, size_t met, size_t count, double ratio,
		     enum model_policy policy, size_t locations, struct err *err)
{
	double *trust = calloc(locations + 1, sizeof(*trust)), rate;
	struct far f = {far, met, trust, policy};

	if (trust == NULL)
		return err_set(err, "not enough memory for %zu locations", locations);
	for (size_t i = 0; i < met; i++)
		trust[far[i].end]++;
	for (size_t i = 0; i <= locations; i++)
		trust[i] /= trust[i] + DRAWN;
	rate = find_rate(&f, ratio);
	for (size_t i = 0; i < count; i++) {
		double sure = i < met ? trust[far[i].end] : 0;
		double miss =
			sure * chance(policy, (double)far[i].distance, rate) + (1 - sure) * ratio;

		far[i].is.misses = far[i].is.accesses * miss;
	}
	make_exact(far, count, ratio);
	free(trust);
	return 0;
}
