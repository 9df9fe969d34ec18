/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of a model, and of one more design point, with 30,000 samples and 40,000 far reuses in
 * 400 windows:
 *
 *   bench_model [--bar MS]
 *
 * A line for each kind of cache: the mean and the slowest of 20 sizes, in milliseconds. With --bar
 * the exit status is 1 if a mean of fully associative caches is above it, one of caches with sets
 * above three times that (one is solved as three or four), or the model takes ten times as long.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/model.h"

enum { WINDOWS = 400, NEAR = 30000, FAR = 40000, STACKS = 2000, POINTS = 20, LENGTH = 500000 };

static uint64_t state = 5;

/* xorshift64* (Marsaglia, Vigna). */
static uint64_t draw(uint64_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint64_t)((unsigned __int128)(state * 0x2545f4914f6cdd1du) * below >> 64);
}

/* Of all lengths, as many of each octave. */
static uint64_t draw_distance(unsigned from, unsigned octaves)
{
	uint64_t octave = from + draw(octaves);

	return (1ull << octave) + draw(1ull << octave);
}

static const struct {
	const char *name;
	enum model_policy policy;
	uint64_t ways;
} caches[] = {
	{"random", MODEL_RANDOM, 0},	     {"lru", MODEL_LRU, 0},
	{"random, 8 ways", MODEL_RANDOM, 8}, {"lru, 8 ways", MODEL_LRU, 8},
	{"lru, 512 ways", MODEL_LRU, 512},
};

static struct model *make(void)
{
	static struct model_window w[WINDOWS];
	static struct model_near near[NEAR];
	static struct model_far far[FAR];
	static struct model_stack stacks[STACKS];
	struct model_input in = {w,
				 WINDOWS,
				 near,
				 NEAR,
				 far,
				 FAR,
				 stacks,
				 STACKS,
				 .far_lines = 10000,
				 .far_line_weight = 32,
				 .line_bytes = 64};

	for (uint32_t i = 0; i < WINDOWS; i++)
		w[i] = (struct model_window){(uint64_t)LENGTH * i, LENGTH, LENGTH};
	for (uint32_t i = 0; i < NEAR; i++) {
		uint32_t window = i / (NEAR / WINDOWS);
		uint64_t distance = draw_distance(0, 15);

		near[i] = (struct model_near){.position = w[window].start + draw(LENGTH),
					      .distance = distance,
					      .weight = (double)LENGTH / (NEAR / WINDOWS),
					      .window = window,
					      .touches = 1,
					      .is_far = distance >= MODEL_FAR};
	}
	for (uint32_t i = 0; i < FAR; i++) {
		uint32_t window = i / (FAR / WINDOWS);
		uint64_t distance = draw_distance(14, 14);

		far[i] = (struct model_far){.position = w[window].start + draw(LENGTH),
					    .distance = distance,
					    .lines = distance / 8,
					    .weight = LENGTH / 15.0 / (FAR / WINDOWS),
					    .window = window,
					    .is_first = i % 40 == 0};
	}
	for (uint32_t i = 0; i < STACKS; i++) {
		uint64_t distance = draw_distance(0, 14);

		stacks[i] = (struct model_stack){(uint32_t)draw(WINDOWS), distance,
						 distance / 4 + draw(distance / 4 + 1)};
	}
	return model_new(&in, NULL);
}

static double milliseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double measure(struct model *m, size_t which)
{
	double sum = 0, slowest = 0;
	struct model_ratio r;

	for (uint64_t i = 0; i < POINTS; i++) {
		uint64_t ways = caches[which].ways, lines = (ways > 0 ? ways : 1) << i;
		double begin = milliseconds(), each;

		model_solve(m, caches[which].policy, &(struct model_cache){lines, ways}, &r);
		each = milliseconds() - begin;
		sum += each;
		slowest = fmax(slowest, each);
	}
	printf("%-18s mean %6.2f  slowest %6.2f ms\n", caches[which].name, sum / POINTS, slowest);
	return sum / POINTS;
}

int main(int argc, char **argv)
{
	double bar = argc == 3 && strcmp(argv[1], "--bar") == 0 ? strtod(argv[2], NULL) : 0;
	double begin, each;
	struct model *m;
	int status = 0;

	if (argc != 1 && bar <= 0) {
		fprintf(stderr, "usage: bench_model [--bar MS]\n");
		return 2;
	}
	begin = milliseconds();
	m = make();
	if (m == NULL) {
		fprintf(stderr, "bench_model: out of memory\n");
		return 1;
	}
	each = milliseconds() - begin;
	printf("%-18s      %6.2f ms\n", "model", each);
	if (bar > 0 && each > 10 * bar)
		status = 1;
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++)
		if (measure(m, i) > (caches[i].ways > 0 ? 3 : 1) * bar && bar > 0)
			status = 1;
	model_free(m);
	return status;
}
