/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of simulating an access exactly, in nanoseconds of this machine:
 *
 *   bench_sim [--bar NS]
 *
 * A line for each pattern and policy. All patterns have 64 MB in lines of 64 bytes, and the caches
 * have 8 KB to 64 MB by powers of two. With --bar the exit status is 1 if LRU costs more than that
 * in any pattern.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/simulation/sim_heap.h"
#include "sim/base/bits.h"
#include "sim/curve/curve.h"

#define LINE	 64u
#define LINES	 ((uint64_t)1 << 20)
#define SIZES	 14
#define ACCESSES ((uint64_t)1 << 24)
#define BATCH	 4000u /* as many as a record of the stream has */
#define AHEAD	 12u

/* The address of access i. */
typedef uint64_t pattern(uint64_t i, uint64_t *random);

/* Eight bytes at a time. */
static uint64_t sweep(uint64_t i, uint64_t *random)
{
	(void)random;
	return i * 8 & (LINES * LINE - 1);
}

static uint64_t anywhere(uint64_t i, uint64_t *random)
{
	(void)i;
	return sim_random_below(random, LINES) * LINE;
}

/* As programs are: nine of ten accesses in 16 KB. */
static uint64_t mixed(uint64_t i, uint64_t *random)
{
	return sim_random_below(random, 10) > 0 ? sim_random_below(random, 2048) * 8
						: anywhere(i, random);
}

static const struct {
	const char *name;
	pattern *next;
} patterns[] = {{"sweep", sweep}, {"mixed", mixed}, {"anywhere", anywhere}};

static const char *const policies[] = {[SIM_RANDOM] = "random", [SIM_LRU] = "lru"};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The pattern is made in batches, whose making is not measured. */
static double run_pattern(pattern *next, struct sim_curve *c)
{
	static uint64_t batch[BATCH];
	uint64_t random = 88172645463325252u;
	double spent = 0, begin;

	for (uint64_t i = 0; i < ACCESSES; i += BATCH) {
		for (uint64_t k = 0; k < BATCH; k++)
			batch[k] = next(i + k, &random);
		begin = seconds();
		for (unsigned k = 0; k < BATCH; k++) {
			if (k + AHEAD < BATCH)
				sim_curve_prefetch(c, batch[k + AHEAD]);
			sim_curve_access(c, batch[k], 8);
		}
		spent += seconds() - begin;
	}
	return spent * 1e9 / (double)c->accesses;
}

static double measure(size_t which, enum sim_policy policy)
{
	uint64_t sizes[SIZES];
	struct sim_curve_config config = {
		.line_bytes = LINE, .size_lines = sizes, .size_count = SIZES, .seed = 1};
	struct sim_curve c;
	double ns;

	for (unsigned k = 0; k < SIZES; k++)
		sizes[k] = ((uint64_t)8192 << k) / LINE;
	config.policies[policy] = true;
	if (sim_curve_init(&c, &config, &sim_heap) != 0) {
		fprintf(stderr, "bench_sim: out of memory\n");
		exit(1);
	}
	ns = run_pattern(patterns[which].next, &c);
	printf("%-8s %-6s %6.1f ns an access\n", patterns[which].name, policies[policy], ns);
	sim_curve_release(&c);
	return ns;
}

int main(int argc, char **argv)
{
	double bar = argc == 3 && strcmp(argv[1], "--bar") == 0 ? strtod(argv[2], NULL) : 0;
	int status = 0;

	if (argc != 1 && bar <= 0) {
		fprintf(stderr, "usage: bench_sim [--bar NS]\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		double lru = measure(i, SIM_LRU);

		measure(i, SIM_RANDOM);
		if (bar > 0 && lru > bar)
			status = 1;
	}
	return status;
}
