/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Post-stratifies the samples of each window; see line_weights.h. */
#include "profile/line_weights.h"

#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/sort.h"
#include "profile/sample_weights.h"

#define CHOSEN_IN_PART 4		   /* average */
#define LEAST_CHOSEN   2		   /* with fewer, a stratum's own weight would be random */
#define FAR	       ((uint64_t)1 << 61) /* beyond all distances of near samples */
#define UNRESOLVED     ((uint64_t)1 << 62) /* beyond all distances */
#define NOT_CHOSEN     SIZE_MAX

struct stratifying {
	const struct profile *p;
	struct sort_item *order; /* p's samples, by window, then by distance */
	size_t *chosen_of;	 /* for each of p's samples, its index among the chosen */
	const uint32_t *weights;
	double *factor; /* by chosen sample */
};

/* A stratum, or a whole window. */
struct stratum {
	size_t begin, end; /* in `order` */
	size_t chosen;
	double all;    /* weight of all its samples */
	double weight; /* weight of the chosen, as samples */
	double now;    /* weight of the chosen, as given */
};

static uint64_t begin_key(const struct store_sample *x)
{
	return x->position << 8 ^ x->begin.thread;
}

static int find_chosen(struct stratifying *s, const struct store_sample *chosen, size_t count)
{
	struct map index = {0};
	int status = 0;

	for (size_t i = 0; i < count && status == 0; i++)
		status = map_set(&index, begin_key(&chosen[i]), i);
	for (size_t i = 0; i < s->p->sample_count && status == 0; i++) {
		uint64_t found;

		s->chosen_of[i] = NOT_CHOSEN;
		if (map_get(&index, begin_key(&s->p->samples[i]), &found) &&
		    chosen[found].window == s->p->samples[i].window)
			s->chosen_of[i] = found;
	}
	map_release(&index);
	return status;
}

/* Sort by window, then near samples first, then by distance; the sort is stable. */
static int sort_samples(struct stratifying *s)
{
	const struct profile *p = s->p;

	for (size_t i = 0; i < p->sample_count; i++) {
		const struct store_sample *x = &p->samples[i];

		s->order[i] = (struct sort_item){x->distance + (x->status != 0	       ? UNRESOLVED
								: sample_is_near(p, x) ? 0
										       : FAR),
						 i};
	}
	if (sort_by_key(s->order, p->sample_count) != 0)
		return -1;
	for (size_t i = 0; i < p->sample_count; i++)
		s->order[i].key = p->samples[s->order[i].index].window;
	return sort_by_key(s->order, p->sample_count);
}

static struct stratum stratum_at(size_t begin)
{
	return (struct stratum){.begin = begin, .end = begin};
}

static void take_next(const struct stratifying *s, struct stratum *x)
{
	size_t i = s->order[x->end++].index, c = s->chosen_of[i];

	x->all += s->p->weights[i];
	if (c == NOT_CHOSEN)
		return;
	x->chosen++;
	x->weight += (double)s->weights[c] * s->p->weights[i];
	x->now += s->weights[c];
}

/* Give the chosen of the stratum the share that the stratum has of all samples of the window. */
static void set_factors(struct stratifying *s, const struct stratum *x,
			const struct stratum *window)
{
	double share = x->all / window->all;

	for (size_t i = x->begin; i < x->end; i++) {
		size_t at = s->order[i].index, c = s->chosen_of[at];

		if (c != NOT_CHOSEN)
			s->factor[c] = share * window->now * s->p->weights[at] / x->weight;
	}
}

/* Tell whether two samples belong to the same distance. */
static bool is_same_kind(const struct stratifying *s, size_t i, size_t k)
{
	const struct store_sample *a = &s->p->samples[s->order[i].index];
	const struct store_sample *b = &s->p->samples[s->order[k].index];

	return a->status == b->status && a->distance == b->distance;
}

/*
 * Divide a range of the window's samples into equal strata. Their borders must not depend on which
 * samples were chosen, or those at the borders would get too much weight. Only strata with hardly
 * any chosen ones are joined with the next.
 */
static void stratify(struct stratifying *s, const struct stratum *range,
		     const struct stratum *window)
{
	size_t parts = range->chosen / CHOSEN_IN_PART, all = range->end - range->begin;
	size_t left = range->chosen;
	struct stratum x = stratum_at(range->begin);

	if (parts == 0 && range->chosen > 0)
		parts = 1;
	for (size_t k = 1; k <= parts; k++) {
		size_t end = range->begin + k * all / parts;

		while (x.end < end || (x.end < range->end && is_same_kind(s, x.end - 1, x.end)))
			take_next(s, &x);
		if (x.end < range->end &&
		    (x.chosen < LEAST_CHOSEN || left - x.chosen < LEAST_CHOSEN))
			continue;
		left -= x.chosen;
		if (x.chosen > 0)
			set_factors(s, &x, window);
		x = stratum_at(x.end);
	}
}

static bool is_near(const struct stratifying *s, size_t at)
{
	return sample_is_near(s->p, &s->p->samples[s->order[at].index]);
}

/*
 * Near samples of the window were chosen with another probability than the others, so they are
 * separate ranges.
 */
static void stratify_window(struct stratifying *s, const struct stratum *window)
{
	struct stratum near = stratum_at(window->begin), far;

	while (near.end < window->end && is_near(s, near.end))
		take_next(s, &near);
	far = stratum_at(near.end);
	while (far.end < window->end)
		take_next(s, &far);
	if (near.chosen == 0 || far.chosen == 0) {
		if (window->chosen >= CHOSEN_IN_PART)
			stratify(s, window, window);
		return;
	}
	stratify(s, &near, window);
	stratify(s, &far, window);
}

static void stratify_all(struct stratifying *s)
{
	size_t count = s->p->sample_count;

	for (size_t at = 0; at < count;) {
		struct stratum window = stratum_at(at);

		while (window.end < count && s->order[window.end].key == s->order[at].key)
			take_next(s, &window);
		stratify_window(s, &window);
		at = window.end;
	}
}

static uint32_t calibrated(uint32_t weight, double factor)
{
	double w = nearbyint(factor * weight * PROFILE_WEIGHT_ONE);

	return w < 1 ? 1 : w < UINT32_MAX ? (uint32_t)w : UINT32_MAX;
}

int line_weights_calibrate(const struct profile *p, const struct store_sample *chosen,
			   uint32_t *weights, size_t count, struct err *err)
{
	struct stratifying s = {.p = p,
				.order = calloc(p->sample_count + 1, sizeof(*s.order)),
				.chosen_of = calloc(p->sample_count + 1, sizeof(*s.chosen_of)),
				.weights = weights,
				.factor = calloc(count + 1, sizeof(*s.factor))};
	int status = -1;

	if (s.order == NULL || s.chosen_of == NULL || s.factor == NULL ||
	    find_chosen(&s, chosen, count) != 0 || sort_samples(&s) != 0) {
		err_set(err, "not enough memory for %zu samples", p->sample_count);
		goto out;
	}
	for (size_t i = 0; i < count; i++)
		s.factor[i] = 1;
	stratify_all(&s);
	for (size_t i = 0; i < count; i++)
		weights[i] = calibrated(weights[i], s.factor[i]);
	status = 0;
out:
	free(s.order);
	free(s.chosen_of);
	free(s.factor);
	return status;
}
