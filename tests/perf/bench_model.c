/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of one more design point, after a profile of 100,000 samples in 500 windows was read:
 *
 *   bench_model [--bar MS]
 *
 * A line for each kind of run and cache: the mean and the slowest of 20 sizes, in milliseconds.
 * With --bar the exit status is 1 if a mean is above it; the bootstrap has no bar.
 *
 *   alike     all windows are of one kind: their groups join as far as possible
 *   phases    sixteen kinds in turn
 *   unlike    each window is of its own kind: no groups join, which is the worst case
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/model.h"

enum { WINDOWS = 500, SAMPLES = 100000, STACKS = 2000, POINTS = 20 };

static uint64_t state = 5;

/* xorshift64* (Marsaglia, Vigna). */
static uint64_t draw(uint64_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint64_t)((unsigned __int128)(state * 0x2545f4914f6cdd1du) * below >> 64);
}

static const struct {
	const char *name;
	uint32_t kinds; /* of windows, by turns */
} runs[] = {{"alike", 1}, {"phases", 16}, {"unlike", WINDOWS}};

static const struct {
	const char *name;
	enum model_policy policy;
	uint64_t ways;
	enum model_interval interval;
} caches[] = {
	{"random", MODEL_RANDOM, 0, MODEL_STUDENT},
	{"lru", MODEL_LRU, 0, MODEL_STUDENT},
	{"random, 8 ways", MODEL_RANDOM, 8, MODEL_STUDENT},
	{"lru, 8 ways", MODEL_LRU, 8, MODEL_STUDENT},
	{"lru, 512 ways", MODEL_LRU, 512, MODEL_STUDENT},
	{"random, bootstrap", MODEL_RANDOM, 0, MODEL_BOOTSTRAP},
};

/* Near reuses of all lengths, some of whose lines were counted, and a share of far ones that depends on the kind of the window. */
static struct model *make(uint32_t kinds)
{
	static struct model_window w[WINDOWS];
	static struct model_sample s[SAMPLES];
	static struct model_stack stacks[STACKS];
	struct model_input in = {w, WINDOWS, s, SAMPLES, .footprint_pages = 50000, .line_bytes = 64,
				 .stacks = stacks, .stack_count = STACKS};

	for (uint32_t i = 0; i < WINDOWS; i++)
		w[i] = (struct model_window){10000000ull * i + 9000000, 1000000, 10000000, 50000};
	for (uint32_t i = 0; i < SAMPLES; i++) {
		uint32_t window = i / (SAMPLES / WINDOWS), kind = window * 7919u % kinds;
		uint64_t octave = draw(kinds) < kind ? 10 + draw(9) : draw(20);

		s[i] = (struct model_sample){.distance = (1ull << octave) + draw(1ull << octave),
					     .window = window,
					     .reused = draw(100) != 0,
					     .position = w[window].start + draw(500000)};
	}
	for (uint32_t i = 0; i < STACKS; i++) {
		uint64_t octave = draw(14), distance = (1ull << octave) + draw(1ull << octave);

		stacks[i] = (struct model_stack){(uint32_t)draw(WINDOWS), distance, distance / 4 + draw(distance / 4 + 1)};
	}
	return model_new(&in, NULL);
}

static double milliseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double measure(struct model *m, size_t run, size_t which)
{
	struct model_resolution resolution;
	double sum = 0, slowest = 0;
	struct model_ratio r;

	model_set_interval(m, caches[which].interval);
	for (uint64_t i = 0; i < POINTS; i++) {
		struct model_cache cache = {caches[which].ways > 0 ? caches[which].ways << i
								   : 1ull << i,
					    caches[which].ways};
		double begin = milliseconds(), each;

		model_solve_cache(m, caches[which].policy, &cache, &r);
		each = milliseconds() - begin;
		sum += each;
		slowest = fmax(slowest, each);
	}
	model_resolve(m, &resolution);
	printf("%-7s %4zu groups  %-18s mean %6.2f  slowest %6.2f ms\n", runs[run].name,
	       resolution.groups, caches[which].name, sum / POINTS, slowest);
	return sum / POINTS;
}

int main(int argc, char **argv)
{
	double bar = argc == 3 && strcmp(argv[1], "--bar") == 0 ? strtod(argv[2], NULL) : 0;
	int status = 0;

	if (argc != 1 && bar <= 0) {
		fprintf(stderr, "usage: bench_model [--bar MS]\n");
		return 2;
	}
	for (size_t run = 0; run < sizeof(runs) / sizeof(runs[0]); run++) {
		struct model *m = make(runs[run].kinds);

		if (m == NULL) {
			fprintf(stderr, "bench_model: out of memory\n");
			return 1;
		}
		for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
			double ms = measure(m, run, i);

			if (bar > 0 && ms > bar && caches[i].interval != MODEL_BOOTSTRAP)
				status = 1;
		}
		model_free(m);
	}
	return status;
}
