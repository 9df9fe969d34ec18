/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model against caches that are simulated, on synthetic programs that are seen as the engine
 * sees them:
 *
 *   model_simulated [-s SEEDS] [-d DENSE] [-w WAYS] [-n TIMES] [-c DIR] [-v] [PROGRAM...]
 *
 *   -d  accesses in windows side by side, then 60 windows for each doubling
 *   -w  ways of the caches; without, they are fully associative
 *   -n  so many times as many samples and far lines
 *   -c  where exact ratios are kept from call to call
 *   -v  a line for each cache
 *
 * Errors in points. near: within a tenth, or 0.1 points. bias: mean from 256 KB to 16 MB. held: the
 * interval holds the exact ratio; width: of the interval.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces.h"

enum { SIZES = 12, SMALLEST = 128, BIASED = 5 };

struct sums {
	double points, error, most, near, bias, biased, held, width;
};

static struct {
	unsigned seeds;
	uint32_t ways;
	const char *cache;
	bool verbose;
	struct trace_sampling sampling;
} options = {.seeds = 1};

static void exact_ratios(const struct trace *t, enum model_policy policy, double *ratios)
{
	if (policy == MODEL_LRU && options.ways == 0) {
		trace_exact_lru(t, SMALLEST, SIZES, ratios);
		return;
	}
	for (size_t i = 0; i < SIZES; i++)
		ratios[i] = trace_exact(t, policy, SMALLEST << i, options.ways);
}

static void exact(const struct trace *t, const char *name, enum model_policy policy, double *ratios)
{
	char path[4096];
	size_t bytes = SIZES * sizeof(*ratios);
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s-%d-%u", options.cache != NULL ? options.cache : "",
		 name, (int)policy, options.ways);
	f = options.cache != NULL ? fopen(path, "rb") : NULL;
	if (f != NULL && fread(ratios, 1, bytes, f) == bytes) {
		fclose(f);
		return;
	}
	exact_ratios(t, policy, ratios);
	f = options.cache != NULL ? fopen(path, "wb") : NULL;
	if (f != NULL) {
		fwrite(ratios, 1, bytes, f);
		fclose(f);
	}
}

static void compare(struct sums *s, size_t size, double exact, const struct model_ratio *r)
{
	double error = 100 * (r->ratio - exact);

	s->points++;
	s->error += fabs(error);
	s->most = fabs(error) > fabs(s->most) ? error : s->most;
	s->near += fabs(error) <= fmax(0.1, 10 * exact);
	if (size >= BIASED) {
		s->bias += error;
		s->biased++;
	}
	s->held += exact >= r->low - 1e-12 && exact <= r->high + 1e-12;
	s->width += 100 * (r->high - r->low);
}

static void print(const char *name, const char *policy, const struct sums *s)
{
	printf("%-11s %-6s error %.3f most %+6.2f near %5.1f %% bias %+.3f held %5.1f %% width "
	       "%.2f\n",
	       name, policy, s->error / s->points, s->most, 100 * s->near / s->points,
	       s->bias / s->biased, 100 * s->held / s->points, s->width / s->points);
}

static void try(const struct trace *t, const char *name, const double exact[2][SIZES],
		uint64_t seed, struct sums sums[2])
{
	struct model_input in;
	struct model *m;

	trace_sample(t, &options.sampling, seed, &in);
	m = model_new(&in, NULL);
	if (m == NULL)
		exit(1);
	if (options.verbose)
		printf("%s: %zu windows, %zu near, %zu far, %zu counted, %lu far lines\n", name,
		       in.window_count, in.near_count, in.far_count, in.stack_count,
		       (unsigned long)in.far_lines);
	for (int policy = 0; policy < 2; policy++)
		for (size_t i = 0; i < SIZES; i++) {
			struct model_cache cache = {SMALLEST << i, options.ways};
			struct model_ratio r;

			model_solve(m, (enum model_policy)policy, &cache, &r);
			compare(&sums[policy], i, exact[policy][i], &r);
			if (options.verbose)
				printf("  %-6s %6d KB exact %7.3f said %7.3f [%7.3f, %7.3f] "
				       "%+.3f%s\n",
				       policy == MODEL_LRU ? "lru" : "random", 8 << i,
				       100 * exact[policy][i], 100 * r.ratio, 100 * r.low,
				       100 * r.high, 100 * (r.ratio - exact[policy][i]),
				       exact[policy][i] < r.low || exact[policy][i] > r.high
					       ? " OUT"
					       : "");
		}
	model_free(m);
	trace_input_release(&in);
}

static void run(const struct trace_program *p, struct sums all[2])
{
	static const char *const names[] = {"random", "lru"};
	struct sums sums[2] = {0};
	double ratios[2][SIZES];
	struct trace t;

	trace_make(&t, p, 0);
	for (int policy = 0; policy < 2; policy++)
		exact(&t, p->name, (enum model_policy)policy, ratios[policy]);
	for (unsigned seed = 1; seed <= options.seeds; seed++)
		try(&t, p->name, ratios, seed, sums);
	for (int policy = 0; policy < 2; policy++) {
		double *to = (double *)&all[policy], *from = (double *)&sums[policy];

		print(p->name, names[policy], &sums[policy]);
		fflush(stdout);
		sums[policy].bias = fabs(sums[policy].bias);
		for (size_t i = 0; i < sizeof(*all) / sizeof(double); i++)
			to[i] += from[i];
		all[policy].most =
			fmax(all[policy].most - sums[policy].most, fabs(sums[policy].most));
	}
	trace_release(&t);
}

int main(int argc, char **argv)
{
	struct sums all[2] = {0};
	int option;

	options.sampling = trace_default_sampling;
	while ((option = getopt(argc, argv, "s:d:w:n:c:v")) != -1)
		switch (option) {
		case 's':
			options.seeds = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'd':
			options.sampling.dense = strtoull(optarg, NULL, 10);
			break;
		case 'w':
			options.ways = (uint32_t)strtoul(optarg, NULL, 10);
			break;
		case 'n':
			options.sampling.samples *= strtod(optarg, NULL);
			options.sampling.far *= strtod(optarg, NULL);
			break;
		case 'c':
			options.cache = optarg;
			break;
		case 'v':
			options.verbose = true;
			break;
		default:
			return 2;
		}
	for (size_t i = 0; i < trace_program_count; i++) {
		bool asked = optind == argc;

		for (int k = optind; k < argc; k++)
			asked |= strcmp(argv[k], trace_programs[i].name) == 0;
		if (asked)
			run(&trace_programs[i], all);
	}
	print("all", "random", &all[MODEL_RANDOM]);
	print("all", "lru", &all[MODEL_LRU]);
	return 0;
}
