/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Synthetic programs; see traces.h. */
#include "traces.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void *trace_allocate(size_t bytes)
{
	void *p = calloc(1, bytes + 1);

	assert(p != NULL);
	return p;
}

uint64_t trace_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint32_t trace_below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)((trace_random(state) >> 32) * limit >> 32);
}

double trace_unit(uint64_t *state)
{
	return ((double)(trace_random(state) >> 11) + 0.5) / 9007199254740992.0;
}

static bool full(const struct trace *t)
{
	return t->count == t->room;
}

static void touch(struct trace *t, uint32_t line)
{
	if (full(t))
		return;
	t->line[t->count++] = line;
	if (line >= t->lines)
		t->lines = line + 1;
}

static uint32_t below(struct trace *t, uint32_t limit)
{
	return trace_below(&t->random, limit);
}

/* The stack and a few counters: what nearly every program touches in between. */
static void busy(struct trace *t, uint32_t times)
{
	while (times-- > 0)
		touch(t, below(t, 12));
}

/* `times` accesses to each line from `first` on, one line after another. */
static void sweep(struct trace *t, uint32_t first, uint32_t lines, uint32_t times)
{
	for (uint32_t i = 0; i < lines && !full(t); i++)
		for (uint32_t k = 0; k < times; k++)
			touch(t, first + i);
}

/* Loops over arrays of 12 KB to 12 MB, a while in each. */
static void loops(struct trace *t)
{
	while (!full(t))
		for (uint32_t size = 200; size < 250000 && !full(t); size *= 4)
			for (uint32_t round = 0; round < 1 + 40000 / size; round++) {
				sweep(t, 100 + size * 2, size, 4);
				busy(t, size);
			}
}

/* Two phases by turns: one that walks its own arrays, one that looks up at random. */
static void phases(struct trace *t, size_t period)
{
	while (!full(t)) {
		size_t end = t->count + period;

		while (t->count < end && !full(t))
			sweep(t, 100, 250, 2);
		end = t->count + period;
		while (t->count < end && !full(t)) {
			touch(t, 1000 + below(t, 2500));
			busy(t, 3);
		}
	}
}

static void phases_20k(struct trace *t)
{
	phases(t, 20000);
}

static void phases_200k(struct trace *t)
{
	phases(t, 200000);
}

static void phases_1m(struct trace *t)
{
	phases(t, 1000000);
}

/* Lines of a heap of 2 MB at random. */
static void uniform(struct trace *t)
{
	while (!full(t)) {
		touch(t, 100 + below(t, 32768));
		busy(t, 4);
	}
}

/* A hash table of 25 MB, its keys by Zipf's law. */
static void zipf(struct trace *t)
{
	const double lines = 400000;

	while (!full(t)) {
		double rank = exp(trace_unit(&t->random) * log(lines));
		uint32_t hash = (uint32_t)rank * 2654435761u;

		touch(t, 100 + (uint32_t)((uint64_t)hash * 400000 >> 32));
		busy(t, 5);
	}
}

/* Multigrid: sweeps over a grid of just over a megabyte, and grids an eighth as large each. */
static void multigrid(struct trace *t)
{
	static const uint32_t order[] = {0, 1, 2, 3, 2, 1, 0};

	while (!full(t))
		for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
			uint32_t lines = 16800u >> (3 * order[i]), first = 100 + order[i] * 20000;

			for (int pass = 0; pass < 2; pass++)
				for (uint32_t j = 40; j + 40 < lines && !full(t); j++)
					for (int k = 0; k < 4; k++) {
						touch(t, first + j - 40);
						touch(t, first + j);
						touch(t, first + j + 40);
						touch(t, 90000 + first + j);
						busy(t, 2);
					}
		}
}

/* Searches in a binary tree of 16 MB. */
static void tree(struct trace *t)
{
	while (!full(t)) {
		uint32_t node = 1;

		while (node < 1u << 18 && !full(t)) {
			touch(t, 100 + node);
			busy(t, 2);
			node = node * 2 + below(t, 2);
		}
	}
}

/* A vertex after the other with its neighbours, most of them close: a graph of 20 MB. */
static void graph(struct trace *t)
{
	const uint32_t vertices = 300000;

	while (!full(t))
		for (uint32_t v = 0; v < vertices && !full(t); v++) {
			uint64_t edges = v;

			touch(t, 100 + v / 8);
			for (int e = 0; e < 4; e++) {
				double u = trace_unit(&edges);
				uint32_t far = (uint32_t)(pow(u, 6) * vertices);

				touch(t, 50000 + (v + far) % vertices);
				busy(t, 2);
			}
		}
}

/* New memory all the time, a hot table, and a ring of 4 MB. */
static void stream(struct trace *t)
{
	uint32_t next = 200000;

	for (uint32_t i = 0; !full(t); i++) {
		if (i % 8 == 0)
			next++;
		touch(t, next);
		touch(t, 1000 + i / 4 % 65536);
		touch(t, 100 + below(t, 400));
		busy(t, 3);
	}
}

/* Compresses: a window of 64 KB that moves on through 8 MB, a hash table of 512 KB. */
static void compress(struct trace *t)
{
	for (uint32_t at = 0; !full(t); at++) {
		uint32_t place = at / 16 % 131072;

		touch(t, 20000 + place);
		if (at % 2 == 0)
			touch(t, 100 + below(t, 8192));
		for (uint32_t hops = below(t, 4); hops > 0; hops--)
			touch(t, 20000 + (place + 131072 - below(t, 1024)) % 131072);
		busy(t, 4);
	}
}

/* An alignment by rows: two rows of 96 KB and a table of 20 MB that is written once, read once. */
static void align(struct trace *t)
{
	while (!full(t)) {
		for (uint32_t row = 0; row < 220 && !full(t); row++)
			for (uint32_t i = 0; i < 1500; i++) {
				for (uint32_t k = 0; k < 4; k++) {
					touch(t, 100 + (row % 2) * 2000 + i);
					touch(t, 100 + (1 - row % 2) * 2000 + i);
					busy(t, 1);
				}
				touch(t, 5000 + row * 1500 + i);
			}
		for (uint32_t i = 0; i < 60000; i++)
			touch(t, 5000 + (219 - i / 300) * 1500 + below(t, 1500));
	}
}

/* Random replacement's hardest: loops of just the size of caches, and a little more. */
static void cliffs(struct trace *t)
{
	while (!full(t)) {
		for (int i = 0; i < 60; i++)
			sweep(t, 100, 500, 3);
		for (int i = 0; i < 20; i++)
			sweep(t, 2000, 4300, 3);
		for (int i = 0; i < 5; i++)
			sweep(t, 10000, 33500, 3);
	}
}

/* An interpreter: objects that live shortly, some that live long, by turns over 6 MB. */
static void objects(struct trace *t)
{
	uint32_t young = 0;

	while (!full(t)) {
		uint32_t first = 1000 + young % 98304, old = 110000 + below(t, 300) * below(t, 300);

		for (int i = 0; i < 30; i++) {
			touch(t, first + below(t, 40));
			busy(t, 3);
			if (i % 5 == 0)
				touch(t, old);
		}
		young += 10 + below(t, 20);
	}
}

/* A compiler: each function's data for a while, passes over it, then the next. */
static void passes(struct trace *t)
{
	uint32_t function = 0;

	while (!full(t)) {
		uint32_t size = 300 + below(t, 6000), first = 30000 + function;

		for (uint32_t pass = 0; pass < 12 && !full(t); pass++) {
			for (uint32_t i = 0; i < size; i++) {
				touch(t, first + (pass % 3 == 0 ? below(t, size) : i));
				touch(t, 100 + pass * 1500 + below(t, 1200));
				busy(t, 4);
			}
		}
		function = (function + size) % 150000;
	}
}

/* Pages that are touched in large strides: columns of a matrix of 12 MB. */
static void columns(struct trace *t)
{
	while (!full(t))
		for (uint32_t column = 0; column < 1000; column++)
			for (uint32_t row = 0; row < 1500; row++) {
				touch(t, 100 + row * 125 + column / 8);
				busy(t, 2);
			}
}

#define MILLION 1000000u

const struct trace_program trace_programs[] = {
	{"loops", loops, 40 * MILLION},
	{"phases20k", phases_20k, 20 * MILLION},
	{"phases200k", phases_200k, 20 * MILLION},
	{"phases1m", phases_1m, 30 * MILLION},
	{"uniform", uniform, 20 * MILLION},
	{"zipf", zipf, 40 * MILLION},
	{"multigrid", multigrid, 30 * MILLION},
	{"tree", tree, 60 * MILLION},
	{"graph", graph, 50 * MILLION},
	{"stream", stream, 30 * MILLION},
	{"compress", compress, 40 * MILLION},
	{"align", align, 40 * MILLION},
	{"cliffs", cliffs, 30 * MILLION},
	{"objects", objects, 40 * MILLION},
	{"passes", passes, 60 * MILLION},
	{"columns", columns, 30 * MILLION},
};

const size_t trace_program_count = sizeof(trace_programs) / sizeof(trace_programs[0]);

void trace_make(struct trace *t, const struct trace_program *program, size_t accesses)
{
	*t = (struct trace){.room = accesses > 0 ? accesses : program->accesses, .random = 11};
	t->line = trace_allocate(t->room * sizeof(*t->line));
	program->run(t);
}

void trace_release(struct trace *t)
{
	free(t->line);
}

const struct trace_program *trace_find(const char *name)
{
	for (size_t i = 0; i < trace_program_count; i++)
		if (strcmp(trace_programs[i].name, name) == 0)
			return &trace_programs[i];
	return NULL;
}
