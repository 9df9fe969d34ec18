/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of an access to a simulated hierarchy, in nanoseconds of this machine:
 *
 *   bench_hierarchy [--bar NS]
 *
 * A line for each pattern and kind of hierarchy: an L1 of 32 KB and an LL of 8 MB with LRU, and the
 * same with one more feature. With --bar the exit status is 1 if a simple access costs more than
 * that, or if one that misses in the L1 of the first kind and hits in its LL costs more than ten
 * times as much.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/simulation/sim_heap.h"
#include "sim/base/bits.h"
#include "sim/system/hierarchy.h"

#define ACCESSES ((uint64_t)1 << 21)
#define BATCH	 4096u
#define ROUNDS	 3 /* the quickest counts: others may be at work */

/* ---- Patterns and hierarchies ---- */

static const struct {
	const char *name;
	uint64_t reach; /* bytes that the accesses lie in, at random */
	uint64_t step;	/* or one after another, 0: at random */
} patterns[] = {
	{"plain", 32, 8},	  /* the same line again and again */
	{"L1 hit", 16 << 10, 0},  /* another line of the set, most often */
	{"L1 miss", 1 << 20, 64}, /* LL hit */
	{"LL miss", (uint64_t)64 << 20, 64},
	{"mixed", (uint64_t)1 << 16, 8}, /* one in eight is an L1 miss */
};

enum { PLAIN = 0, L1_MISS = 2 }; /* places in the table */

#define FIRST                                                       \
	{                                                           \
		.size_bytes = 32 << 10, .ways = 8, .line_bytes = 64 \
	}
#define LAST                                                        \
	{                                                           \
		.size_bytes = 8 << 20, .ways = 16, .line_bytes = 64 \
	}

static const struct {
	const char *name;
	struct sim_geometry geometry;
} kinds[] = {
	{"lru", {.levels = {FIRST, LAST}, .level_count = 2}},
	{"write-backs", {.levels = {FIRST, LAST}, .level_count = 2, .write_backs = true}},
	{"tlb", {.levels = {FIRST, LAST}, .level_count = 2, .data_tlb = {64, 4, 4096}}},
	{"line-use", {.levels = {FIRST, LAST}, .level_count = 2, .line_use = true}},
};

/* ---- Measuring ---- */

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void run_batch(struct sim_hierarchy *h, const uint64_t *batch, uint64_t *events)
{
	for (unsigned k = 0; k < BATCH; k++)
		if (!sim_core_data_is_noop(&h->core, batch[k], 8, SIM_LOAD))
			sim_core_data(&h->core, batch[k], 8, SIM_LOAD, events);
}

static double run_pattern(struct sim_hierarchy *h, unsigned which, uint64_t *random)
{
	static uint64_t batch[BATCH];
	uint64_t events[SIM_MAX_EVENTS] = {0}, reach = patterns[which].reach;
	double spent = 0, begin;

	for (uint64_t i = 0; i < ACCESSES; i += BATCH) {
		for (uint64_t k = 0; k < BATCH; k++)
			batch[k] = patterns[which].step > 0
					   ? (i + k) * patterns[which].step % reach
					   : sim_random_below(random, reach / 8) * 8;
		begin = seconds();
		run_batch(h, batch, events);
		spent += seconds() - begin;
	}
	return spent * 1e9 / (double)ACCESSES;
}

static double measure(unsigned kind, unsigned which)
{
	static struct sim_hierarchy h;
	uint64_t random = 88172645463325252u;
	double best = 1e9;

	if (sim_hierarchy_init(&h, &kinds[kind].geometry, true, &sim_heap) != 0) {
		fprintf(stderr, "bench_hierarchy: out of memory\n");
		exit(1);
	}
	for (unsigned round = 0; round < ROUNDS; round++) {
		double ns = run_pattern(&h, which, &random);

		best = ns < best ? ns : best;
	}
	sim_hierarchy_release(&h);
	printf("%-12s %-8s %6.1f ns an access\n", kinds[kind].name, patterns[which].name, best);
	return best;
}

int main(int argc, char **argv)
{
	double bar = argc == 3 && strcmp(argv[1], "--bar") == 0 ? strtod(argv[2], NULL) : 0;
	int status = 0;

	if (argc != 1 && bar <= 0) {
		fprintf(stderr, "usage: bench_hierarchy [--bar NS]\n");
		return 2;
	}
	for (unsigned kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		for (unsigned which = 0; which < sizeof(patterns) / sizeof(patterns[0]); which++) {
			double ns = measure(kind, which);

			if (bar > 0 && kind == 0 &&
			    ((which == PLAIN && ns > bar) || (which == L1_MISS && ns > 10 * bar)))
				status = 1;
		}
	}
	return status;
}
