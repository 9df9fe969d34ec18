/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often do 95 % intervals contain the exact miss ratio, and how wide are they?
 *
 *   interval_coverage [SEEDS]
 *
 * Samples each trace of the models' unit tests with this many seeds (50). Prints for each trace,
 * policy and kind of interval the share of covered sizes and seeds, and the mean width in
 * percentage points. The width is given for the whole interval, and for its sampling part alone:
 * without the bounds of the unseen, and without the allowance for the model's own error. The kinds
 * differ only in this part. It is compared with the deviation of the estimates over all seeds from
 * their mean.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/parts.h"
#include "traces.h"

#define MOST_SEEDS 1000
#define KINDS	   2

static const uint32_t cache_lines[] = {8, 32, 128, 512, 2048, 8192, 32768, 131072};
#define SIZES (sizeof(cache_lines) / sizeof(cache_lines[0]))

static const char *const kind_names[KINDS] = {
	[MODEL_STUDENT] = "student", [MODEL_BOOTSTRAP] = "bootstrap"};

struct answer {
	double ratio, low, high;       /* of the whole interval */
	double own, own_low, own_high; /* of its sampling part */
};

static void sampling_part(struct model *m, enum model_policy policy, uint32_t lines,
			  enum model_interval kind, struct answer *a)
{
	double *ratios = calloc(m->group_count, sizeof(*ratios));
	struct sets one;

	if (ratios == NULL)
		exit(1);
	sets_init(&one, 1, lines);
	if (policy == MODEL_LRU)
		lru_solve(m, &one, TAIL_SPREAD, ratios, NULL);
	else
		random_solve(m, lines, TAIL_SPREAD, ratios, NULL);
	a->own = interval_mean(m, ratios);
	if (kind == MODEL_STUDENT) {
		double half = interval_half_width(m, ratios, a->own);

		a->own_low = fmax(0, a->own - half);
		a->own_high = fmin(1, a->own + half);
	} else if (bootstrap_interval(m, ratios, a->own, 1, &a->own_low, &a->own_high) != 0) {
		exit(1);
	}
	free(ratios);
}

/* One seed: answers[policy][kind][size]. */
static void ask(const struct trace *t, uint64_t seed, struct answer answers[2][KINDS][SIZES])
{
	struct model_input input;
	struct model *m;

	trace_sample(t, &trace_default_sampling, seed * 1000, &input);
	m = model_new(&input, NULL);
	if (m == NULL)
		exit(1);
	for (int p = 0; p < 2; p++)
		for (int kind = 0; kind < KINDS; kind++)
			for (size_t i = 0; i < SIZES; i++) {
				struct answer *a = &answers[p][kind][i];
				struct model_ratio r;

				model_set_interval(m, (enum model_interval)kind);
				model_solve(m, (enum model_policy)p, cache_lines[i], &r);
				*a = (struct answer){
					.ratio = r.ratio, .low = r.low, .high = r.high};
				sampling_part(m, (enum model_policy)p, cache_lines[i],
					      (enum model_interval)kind, a);
			}
	model_free(m);
	trace_input_release(&input);
}

struct score {
	double covered, width, own_covered, own_width, count;
};

static void add(struct score *s, const struct answer *a, double exact, double mean)
{
	/* A thousandth of a point: rounding, where a ratio is the same in all seeds. */
	const double slack = 1e-5;

	s->covered += a->low - slack <= exact && exact <= a->high + slack;
	s->width += a->high - a->low;
	s->own_covered += a->own_low - slack <= mean && mean <= a->own_high + slack;
	s->own_width += a->own_high - a->own_low;
	s->count++;
}

static void print(const char *name, const char *policy, const char *kind, const struct score *s)
{
	printf("%-8s %-6s %-9s  covered %5.1f %%  width %6.3f   sampling: covered %5.1f %%  width "
	       "%6.3f\n",
	       name, policy, kind, 100 * s->covered / s->count, 100 * s->width / s->count,
	       100 * s->own_covered / s->count, 100 * s->own_width / s->count);
	fflush(stdout);
}

static void measure(const struct trace_kind *trace, uint64_t seeds, struct score all[KINDS])
{
	struct answer(*answers)[2][KINDS][SIZES] = calloc(seeds, sizeof(*answers));
	struct trace t;

	if (answers == NULL)
		exit(1);
	trace_make(&t, trace, 42);
	for (uint64_t seed = 0; seed < seeds; seed++)
		ask(&t, seed + 1, answers[seed]);
	for (int p = 0; p < 2; p++)
		for (int kind = 0; kind < KINDS; kind++) {
			struct score s = {0};

			for (size_t i = 0; i < SIZES; i++) {
				double exact =
					trace_exact(&t, (enum model_policy)p, cache_lines[i], 7);
				double mean = 0;

				for (uint64_t k = 0; k < seeds; k++)
					mean += answers[k][p][kind][i].own / (double)seeds;
				for (uint64_t k = 0; k < seeds; k++) {
					add(&s, &answers[k][p][kind][i], exact, mean);
					add(&all[kind], &answers[k][p][kind][i], exact, mean);
				}
			}
			print(trace->name, p == MODEL_LRU ? "LRU" : "random", kind_names[kind], &s);
		}
	trace_release(&t);
	free(answers);
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 50;
	struct score all[KINDS] = {{0}};

	if (argc > 2 || seeds < 2 || seeds > MOST_SEEDS) {
		fprintf(stderr, "usage: interval_coverage [SEEDS]   (2 to %d)\n", MOST_SEEDS);
		return 2;
	}
	for (size_t i = 0; i < TRACE_KINDS; i++)
		measure(&trace_kinds[i], seeds, all);
	for (int kind = 0; kind < KINDS; kind++)
		print("all", "", kind_names[kind], &all[kind]);
	return 0;
}
