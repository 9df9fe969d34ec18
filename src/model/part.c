/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The miss ratio of a part of the accesses, and how well the windows know it: by bootstrap. */
#include <math.h>
#include <stdlib.h>

#include "model/parts.h"

#define ROUNDS 200
#define TAIL   (ROUNDS * 25 / 1000) /* rounds beyond each end of a 95 % interval */
#define SEED   0x5eedull

/* Samples of one window are alike: their mean varies as that of so many times fewer. */
#define CLUSTERS 3.0

/* Steele, Lea and Flood's splitmix64. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/*
 * How often one of many windows is drawn when as many are drawn as there are: Poisson with mean 1.
 * So windows that know nothing of the part need not be drawn, and need not be given.
 */
static unsigned times_drawn(uint64_t *state)
{
	static const double below[] = {0.367879441, 0.735758882, 0.919698603, 0.981011843,
				       0.996340153, 0.999405815, 0.999916759, 0.999989750};
	double u = (double)(next_random(state) >> 11) / 9007199254740992.0;
	unsigned n = 0;

	while (n < sizeof(below) / sizeof(below[0]) && u >= below[n])
		n++;
	return n;
}

static double ratio_of(double misses, double accesses)
{
	return fmin(1, fmax(0, misses / accesses));
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void bootstrap(const struct model_sums *windows, size_t count, struct model_ratio *out)
{
	double ratios[ROUNDS];
	uint64_t state = SEED;
	size_t rounds = 0;

	for (int round = 0; round < ROUNDS; round++) {
		double accesses = 0, misses = 0;

		for (size_t i = 0; i < count; i++) {
			double times = times_drawn(&state);

			accesses += times * windows[i].accesses;
			misses += times * windows[i].misses;
		}
		if (accesses > 0) /* none of the part was drawn: that says nothing of its ratio */
			ratios[rounds++] = ratio_of(misses, accesses);
	}
	if (rounds <= 2 * TAIL)
		return;
	qsort(ratios, rounds, sizeof(*ratios), compare);
	out->low = fmin(out->low, ratios[TAIL]);
	out->high = fmax(out->high, ratios[rounds - 1 - TAIL]);
}

/* Wilson's interval for so many independent looks, which does not close up at 0 and 1. */
static void wilson(double ratio, double looks, struct model_ratio *out)
{
	const double z = 1.959964;
	double n = fmax(looks, 1e-3), scale = 1 + z * z / n;
	double centre = (ratio + z * z / (2 * n)) / scale;
	double half = z / scale * sqrt(ratio * (1 - ratio) / n + z * z / (4 * n * n));

	out->low = fmin(out->low, centre - half);
	out->high = fmax(out->high, centre + half);
}

void model_part(const struct model_sums *windows, size_t count, struct model_ratio *out)
{
	double accesses = 0, misses = 0, samples = 0, widen;

	*out = (struct model_ratio){.high = 1, .bound_high = 1};
	for (size_t i = 0; i < count; i++) {
		accesses += windows[i].accesses;
		misses += windows[i].misses;
		samples += (double)windows[i].samples;
	}
	if (accesses <= 0)
		return;
	out->known = true;
	out->ratio = out->low = out->high = ratio_of(misses, accesses);
	bootstrap(windows, count, out);
	wilson(out->ratio, samples / CLUSTERS, out);
	widen = fmax(MODEL_ERROR_ABSOLUTE, MODEL_ERROR_RELATIVE * out->ratio);
	out->low = out->bound_low = fmax(0, out->low - widen);
	out->high = out->bound_high = fmin(1, out->high + widen);
}
