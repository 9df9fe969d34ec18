/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data structures whose misses are known. "arrays": two arrays of 32 KB, 32 KB apart, are
 * multiplied 100 times. "list": a list of 2 MB in nodes of 128 bytes, and a stream of 1 MB, in
 * turns, 10 times. "clear": see clear.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 4096, ROUNDS = 100, NODES = 16384, STREAM = 131072, TURNS = 10 };

struct node {
	struct node *next;
	long value;
	char unused[112];
};

static double multiply(const double *left, const double *right)
{
	double sum = 0;

	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < CELLS; i++)
			sum += left[i] * right[i];
	return sum;
}

static double fight(void)
{
	double *left = aligned_alloc(65536, CELLS * sizeof(double));
	double *right = aligned_alloc(65536, CELLS * sizeof(double));
	double sum;

	for (int i = 0; i < CELLS; i++)
		left[i] = right[i] = i;
	sum = multiply(left, right);
	free(left);
	free(right);
	return sum;
}

static long follow(const struct node *list)
{
	long sum = 0;

	for (int i = 0; i < NODES; i++, list = list->next)
		sum += list->value;
	return sum;
}

static double add_up(const double *stream)
{
	double sum = 0;

	for (int i = 0; i < STREAM; i++)
		sum += stream[i];
	return sum;
}

static double take_turns(void)
{
	struct node *nodes = aligned_alloc(4096, NODES * sizeof(*nodes));
	double *stream = aligned_alloc(4096, STREAM * sizeof(*stream));
	double sum = 0;

	memset(stream, 0, STREAM * sizeof(*stream));
	for (int i = 0; i < NODES; i++)
		nodes[i] = (struct node){.next = &nodes[(i * 7919 + 1) % NODES], .value = i};
	for (int turn = 0; turn < TURNS; turn++) {
		sum += (double)follow(nodes) + add_up(stream);
		__asm__ volatile("" ::: "memory"); /* each turn anew */
	}
	free(nodes);
	free(stream);
	return sum;
}

/* 2000 blocks of 200 bytes come and go 60 times, as zeros; the program itself touches none. */
static double clear(void)
{
	enum { CLEARED = 2000, CLEAR_BYTES = 200, CLEARINGS = 60 };
	static void *blocks[CLEARED], *guard;

	for (int turn = 0; turn < CLEARINGS; turn++) {
		for (int i = 0; i < CLEARED; i++)
			blocks[i] = calloc(1, CLEAR_BYTES);
		if (turn == 0)
			guard = malloc(CLEAR_BYTES); /* memory behind it is never given back */
		for (int i = 0; i < CLEARED; i++)
			free(blocks[i]);
	}
	free(guard);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		double (*run)(void);
	} all[] = {{"list", take_turns}, {"clear", clear}, {"arrays", fight}};

	for (int i = 0; i < 3; i++)
		if (argc < 2 || strcmp(argv[1], all[i].name) == 0) {
			printf("%g\n", all[i].run());
			return 0;
		}
	return 1;
}
