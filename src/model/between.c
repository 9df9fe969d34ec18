/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many lines the accesses between the touches of a near reuse touch. It was counted for some
 * reuses; each near reuse takes the lines for each access of those of about its distance (half an
 * octave) that lie in its window or next to it.
 *
 * Where none were counted, as with lines shorter than those that are, the expectation is taken: an
 * access in between touches a line of its own if it is not touched again until the end of the
 * reuse, so there are sum_{k<d} P(distance > k) (expected.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts.h"

#include "base/search.h"

struct pair {
	uint32_t bin, window;
	float ratio; /* lines / distance */
};

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->bin != y->bin)
		return (x->bin > y->bin) - (x->bin < y->bin);
	return (x->window > y->window) - (x->window < y->window);
}

static struct pair *sort_pairs(const struct model_input *in, size_t first[EXPECTED_BINS + 1])
{
	struct pair *pairs = malloc((in->stack_count + 1) * sizeof(*pairs));

	memset(first, 0, (EXPECTED_BINS + 1) * sizeof(*first));
	if (pairs == NULL)
		return NULL;
	for (size_t i = 0; i < in->stack_count; i++) {
		double distance = (double)in->stacks[i].distance;

		pairs[i] = (struct pair){
			expected_bin(distance), in->stacks[i].window,
			(float)(distance > 0 ? (double)in->stacks[i].lines / distance : 0)};
		first[pairs[i].bin + 1]++;
	}
	for (uint32_t bin = 0; bin < EXPECTED_BINS; bin++)
		first[bin + 1] += first[bin];
	qsort(pairs, in->stack_count, sizeof(*pairs), compare_pairs);
	return pairs;
}

/* The pairs nearest to a window, among those from `low` to `high`, which are in its order. */
static void take_nearest(const struct pair *pairs, size_t low, size_t high, uint32_t window,
			 double distance, float *out)
{
	size_t from = low + SEARCH_FIRST(i, high - low, pairs[low + i].window >= window);
	size_t to = from;

	for (unsigned i = 0; i < MODEL_PAIRS; i++) {
		bool below = from > low, above = to < high;

		if (!below && !above) { /* there are fewer: these count again */
			out[i] = out[i - (high - low)];
			continue;
		}
		if (below &&
		    (!above || window - pairs[from - 1].window < pairs[to].window - window))
			out[i] = pairs[--from].ratio * (float)distance;
		else
			out[i] = pairs[to++].ratio * (float)distance;
	}
}

int between_measure(struct model *m, const struct model_input *in)
{
	size_t first[EXPECTED_BINS + 1];
	struct pair *pairs = sort_pairs(in, first);
	struct expected e;

	m->between = malloc((in->near_count * MODEL_PAIRS + 1) * sizeof(*m->between));
	if (pairs == NULL || m->between == NULL) {
		free(pairs);
		return -1;
	}
	expected_measure(&e, m);
	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];
		float *out = &m->between[(size_t)r->source * MODEL_PAIRS];
		uint32_t bin = expected_bin(r->distance);

		if (r->kind > REUSE_NEAR)
			continue;
		if (first[bin] < first[bin + 1])
			take_nearest(pairs, first[bin], first[bin + 1], r->cell / MODEL_CELLS,
				     r->distance, out);
		else
			for (unsigned k = 0; k < MODEL_PAIRS; k++)
				out[k] = (float)expected_lines(&e, r->distance);
	}
	free(pairs);
	return 0;
}
