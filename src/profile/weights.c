/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Weights of samples and far reuses of which only some were kept; see weights.h. */
#include "profile/weights.h"

#include <stdlib.h>

/* Of a block: with 16, the bias of a ratio of sums is below a sixteenth of its variance. */
#define LEAST_IN_BLOCK 16

enum stratum stratum_of(const struct profile *p, const struct store_access *begin, bool is_reused,
			uint64_t distance)
{
	return is_reused && distance < STORE_NEAR &&
			       profile_lines_touched(begin, p->recorded_line) == 1
		       ? STRATUM_NEAR
		       : STRATUM_REST;
}

static enum stratum stratum_of_sample(const struct profile *p, const struct store_sample *x)
{
	return stratum_of(p, &x->begin, x->status == 0, x->distance);
}

double weights_one(const struct store_window *w)
{
	uint64_t chosen = w->chosen > w->samples ? w->chosen : w->samples;

	return chosen > 0 ? (double)w->length / (double)chosen : (double)w->length;
}

/* The samples kept of a window, by stratum. */
struct kept {
	uint64_t count[PROFILE_STRATA];
};

static void share_window(struct profile *p, size_t w, const struct kept *k)
{
	uint64_t kept = k->count[STRATUM_NEAR] + k->count[STRATUM_REST];
	uint64_t chosen = p->windows[w].chosen > kept && k->count[STRATUM_NEAR] > 0
				  ? p->windows[w].chosen
				  : kept;
	double rest;

	if (chosen == 0)
		return;
	rest = (double)p->windows[w].length * (double)k->count[STRATUM_REST] / (double)chosen;
	p->strata[STRATUM_REST][w] = rest;
	p->strata[STRATUM_NEAR][w] = (double)p->windows[w].length - rest;
}

static int weigh(struct profile *p, struct kept *kept)
{
	if (kept == NULL || p->weights == NULL || p->strata[0] == NULL || p->strata[1] == NULL)
		return -1;
	for (size_t i = 0; i < p->sample_count; i++) {
		const struct store_sample *x = &p->samples[i];

		kept[profile_window(p, x->window)].count[stratum_of_sample(p, x)]++;
	}
	for (size_t w = 0; w < p->window_count; w++)
		share_window(p, w, &kept[w]);
	for (size_t i = 0; i < p->sample_count; i++) {
		int64_t w = profile_window(p, p->samples[i].window);
		enum stratum s = stratum_of_sample(p, &p->samples[i]);

		p->weights[i] = p->strata[s][w] / (double)kept[w].count[s];
	}
	return 0;
}

int weights_of_samples(struct profile *p, struct err *err)
{
	struct kept *kept = calloc(p->window_count + 1, sizeof(*kept));
	int status;

	p->weights = calloc(p->sample_count + 1, sizeof(*p->weights));
	for (size_t k = 0; k < PROFILE_STRATA; k++)
		p->strata[k] = calloc(p->window_count + 1, sizeof(double));
	status = weigh(p, kept);
	free(kept);
	return status == 0 ? 0 : err_set(err, "not enough memory for %zu samples", p->sample_count);
}

/* ---- Blocks ---- */

/* Of a window: what is known and what its items say, weighted by what the window stands for. */
struct sums {
	double known, said, factor;
	size_t count;
};

static double stands_for(const struct store_window *w)
{
	return w->length > 0 ? (double)w->stands_for / (double)w->length : 0;
}

static void set_factor(struct sums *windows, size_t begin, size_t end)
{
	double known = 0, said = 0;

	for (size_t w = begin; w < end; w++) {
		known += windows[w].known;
		said += windows[w].said;
	}
	for (size_t w = begin; w < end; w++)
		windows[w].factor = known > 0 && said > 0 ? known / said : 1;
}

/* What is left over at the end belongs to the last block. */
static void set_factors(struct sums *windows, size_t count)
{
	size_t begin = 0, next = 0, items = 0;

	for (size_t w = 0; w < count; w++) {
		items += windows[w].count;
		if (items < LEAST_IN_BLOCK)
			continue;
		begin = next;
		next = w + 1;
		items = 0;
		set_factor(windows, begin, next);
	}
	set_factor(windows, begin, count);
}

int weights_fit(const struct profile *p, enum stratum stratum, const double *known,
		struct weighed *items, size_t count, struct err *err)
{
	struct sums *windows = calloc(p->window_count + 1, sizeof(*windows));

	if (windows == NULL)
		return err_set(err, "not enough memory for %zu windows", p->window_count);
	for (size_t w = 0; w < p->window_count; w++)
		windows[w].known = known[w] * stands_for(&p->windows[w]);
	for (size_t i = 0; i < count; i++) {
		struct sums *w = &windows[items[i].window];

		if (items[i].stratum != stratum)
			continue;
		w->said += items[i].weight * stands_for(&p->windows[items[i].window]);
		w->count++;
	}
	set_factors(windows, p->window_count);
	for (size_t i = 0; i < count; i++)
		if (items[i].stratum == stratum)
			items[i].weight *= windows[items[i].window].factor;
	free(windows);
	return 0;
}
