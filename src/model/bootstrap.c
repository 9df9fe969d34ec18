/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bootstrap (Efron, 1979): windows are drawn with replacement, as many as there are, and the
 * run's ratio is taken anew. A window has the ratio of its group; what the choice of its samples
 * does, which the group has averaged away, is drawn for it (a smoothed bootstrap). The interval
 * is BCa's (Efron, Better bootstrap confidence intervals, 1987), which minds the bias and the
 * skewness of what was drawn.
 */
#include <math.h>
#include <stdlib.h>

#include "model/parts.h"

#define ROUNDS_MOST  2000
#define ROUNDS_LEAST 400
#define DRAWS	     500000 /* of windows, about, in all rounds together */
#define TAIL	     0.025

/* splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Normal, near enough within 3 standard deviations: eight bytes added up (Irwin and Hall). */
static double draw_normal(uint64_t *state)
{
	uint64_t z = draw(state);
	unsigned sum = 0;

	for (int i = 0; i < 8; i++, z >>= 8)
		sum += (unsigned)(z & 255);
	return ((double)sum - 1020) / 209.02;
}

/* What is drawn from. */
struct urn {
	const struct model *m;
	const double *ratios;
	uint32_t *group_of; /* of each window */
	size_t windows;
	uint32_t *count; /* of each group's windows, in a round */
	uint64_t random;
};

static double draw_round(struct urn *u)
{
	double sum = 0, weight = 0;

	for (size_t g = 0; g < u->m->group_count; g++)
		u->count[g] = 0;
	for (size_t i = 0; i < u->windows; i++)
		u->count[u->group_of[(draw(&u->random) >> 32) * u->windows >> 32]]++;
	for (size_t g = 0; g < u->m->group_count; g++) {
		const struct group *group = &u->m->groups[g];
		double looks = fmax(1, (double)group->windows), share, ratio = u->ratios[g];
		double spread = interval_chance(group, ratio) * looks;

		if (u->count[g] == 0)
			continue;
		ratio += sqrt(spread / u->count[g]) * draw_normal(&u->random);
		share = group->share / looks * u->count[g];
		sum += share * fmin(1, fmax(0, ratio));
		weight += share;
	}
	return weight > 0 ? sum / weight : 0;
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The normal distribution, and its inverse by halving. */
static double normal(double z)
{
	return erfc(-z / sqrt(2)) / 2;
}

static double normal_quantile(double p)
{
	double low = -8, high = 8;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (normal(middle) < p)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* From how the ratio changes when a window is left out: the skewness, a sixth of it. */
static double acceleration(const struct urn *u, double centre)
{
	double square = 0, cube = 0;

	for (size_t g = 0; g < u->m->group_count; g++) {
		const struct group *group = &u->m->groups[g];
		double looks = fmax(1, (double)group->windows);
		double influence = group->share / looks * (u->ratios[g] - centre);

		square += looks * influence * influence;
		cube += looks * influence * influence * influence;
	}
	return square > 0 ? cube / (6 * pow(square, 1.5)) : 0;
}

/* The end of the interval that leaves `tail` outside. */
static double end_of(const double *sorted, size_t rounds, double bias, double skew, double tail)
{
	double z = bias + normal_quantile(tail);
	double at = normal(bias + z / fmax(0.1, 1 - skew * z)) * (double)rounds;
	size_t i = at <= 0 ? 0 : (size_t)at;

	return sorted[i < rounds ? i : rounds - 1];
}

static int fill_urn(struct urn *u)
{
	size_t at = 0;

	for (size_t g = 0; g < u->m->group_count; g++)
		u->windows += u->m->groups[g].windows;
	u->group_of = calloc(u->windows + 1, sizeof(*u->group_of));
	u->count = calloc(u->m->group_count + 1, sizeof(*u->count));
	if (u->group_of == NULL || u->count == NULL)
		return -1;
	for (size_t g = 0; g < u->m->group_count; g++)
		for (size_t i = 0; i < u->m->groups[g].windows; i++)
			u->group_of[at++] = (uint32_t)g;
	return 0;
}

int bootstrap_interval(const struct model *m, const double *ratios, double centre, uint64_t seed,
		       double *low, double *high)
{
	struct urn u = {.m = m, .ratios = ratios, .random = seed};
	size_t rounds, below = 0;
	double *drawn = NULL, bias, skew;
	int status = -1;

	if (fill_urn(&u) != 0)
		goto out;
	*low = 0;
	*high = 1;
	status = 0;
	if (u.windows < 2)
		goto out;
	rounds = DRAWS / u.windows;
	rounds = rounds < ROUNDS_LEAST ? ROUNDS_LEAST : rounds > ROUNDS_MOST ? ROUNDS_MOST : rounds;
	drawn = calloc(rounds, sizeof(*drawn));
	if (drawn == NULL) {
		status = -1;
		goto out;
	}
	for (size_t i = 0; i < rounds; i++) {
		drawn[i] = draw_round(&u);
		below += drawn[i] < centre;
	}
	qsort(drawn, rounds, sizeof(*drawn), compare_numbers);
	bias = normal_quantile(fmin(0.99, fmax(0.01, (double)below / (double)rounds)));
	skew = acceleration(&u, centre);
	*low = end_of(drawn, rounds, bias, skew, TAIL);
	*high = end_of(drawn, rounds, bias, skew, 1 - TAIL);
out:
	free(u.group_of);
	free(u.count);
	free(drawn);
	return status;
}
