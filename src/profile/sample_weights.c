/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Weights of samples of which only some were kept; see sample_weights.h. */
#include "profile/sample_weights.h"

#include <math.h>
#include <stdlib.h>

/* Of a window: number of near samples, and of others. */
struct strata {
	uint64_t near, far;
};

bool sample_is_near(const struct profile *p, const struct store_sample *x)
{
	/* The model reports a line of no bytes. */
	return x->status == 0 && x->distance < STORE_NEAR && p->recorded_line > 0 &&
	       profile_lines_touched(&x->begin, p->recorded_line) == 1;
}

/* If all samples were kept, `chosen` is their number, or 0. */
static uint32_t near_weight(const struct store_window *w, const struct strata *s)
{
	double weight;

	if (s->near == 0 || w->chosen <= s->near + s->far)
		return PROFILE_WEIGHT_ONE;
	weight = nearbyint(PROFILE_WEIGHT_ONE * (double)(w->chosen - s->far) / (double)s->near);
	return weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX;
}

int sample_weights(struct profile *p, struct err *err)
{
	struct strata *strata = calloc(p->window_count + 1, sizeof(*strata));

	p->weights = calloc(p->sample_count + 1, sizeof(*p->weights));
	if (strata == NULL || p->weights == NULL) {
		free(strata);
		return err_set(err, "not enough memory for %zu samples", p->sample_count);
	}
	for (size_t i = 0; i < p->sample_count; i++) {
		int64_t w = profile_window(p, p->samples[i].window);

		if (w >= 0)
			(*(sample_is_near(p, &p->samples[i]) ? &strata[w].near : &strata[w].far))++;
	}
	for (size_t i = 0; i < p->sample_count; i++) {
		int64_t w = profile_window(p, p->samples[i].window);

		p->weights[i] = w >= 0 && sample_is_near(p, &p->samples[i])
					? near_weight(&p->windows[w], &strata[w])
					: PROFILE_WEIGHT_ONE;
	}
	free(strata);
	return 0;
}
