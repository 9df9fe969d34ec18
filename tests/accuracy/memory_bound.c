/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that wait for memory, for comparison with estimates. Most of their reuses are longer
 * than a sampling window, so the result depends mainly on the model of unseen reuses. The accesses
 * are the same in each run.
 *
 *   memory_bound chase BYTES ROUNDS    follow pointers through all lines, in random order
 *   memory_bound gather BYTES N        read N elements of an array by lists of random indices
 *   memory_bound column BYTES PASSES   sum up a square matrix column by column
 *   memory_bound mapped BYTES PASSES   sum up a file that is mapped read-only
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LINE_BYTES 64
#define LIST	   ((uint64_t)1 << 16) /* indices that gather makes at a time */

/* xorshift64* (Marsaglia, Vigna), scaled to 0..limit-1. */
static uint64_t random_below(uint64_t *state, uint64_t limit)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint64_t)((unsigned __int128)(*state * 0x2545f4914f6cdd1dull) * limit >> 64);
}

/* Never zero: a program of which a part is missing must not look like one that ran. */
static void *allocate(uint64_t bytes)
{
	void *memory = malloc(bytes);

	if (memory == NULL) {
		fprintf(stderr, "memory_bound: no memory for %llu bytes\n",
			(unsigned long long)bytes);
		exit(1);
	}
	return memory;
}

struct node {
	struct node *next;
	uint64_t value;
	char rest[LINE_BYTES - sizeof(struct node *) - sizeof(uint64_t)];
};

/* Sattolo's shuffle: of all permutations, one that is a single cycle. */
static void link_cycle(struct node *nodes, uint64_t count)
{
	uint64_t random = 88172645463325252u;

	for (uint64_t i = 0; i < count; i++)
		nodes[i] = (struct node){.next = &nodes[i], .value = i};
	for (uint64_t i = count - 1; i > 0; i--) {
		struct node *other = &nodes[random_below(&random, i)], *next = other->next;

		other->next = nodes[i].next;
		nodes[i].next = next;
	}
}

static uint64_t chase(uint64_t bytes, uint64_t rounds)
{
	uint64_t count = bytes / sizeof(struct node), sum = 0;
	struct node *nodes = allocate(count * sizeof(*nodes)), *at = nodes;

	link_cycle(nodes, count);
	for (uint64_t i = 0; i < rounds * count; i++) {
		sum += at->value * (i & 7);
		at = at->next;
	}
	free(nodes);
	return sum;
}

static uint64_t gather(uint64_t bytes, uint64_t n)
{
	static uint32_t indices[LIST];
	uint64_t count = bytes / sizeof(uint64_t), random = 1234567890123u, sum = 0, part;
	uint64_t *elements = allocate(count * sizeof(*elements));

	for (uint64_t i = 0; i < count; i++)
		elements[i] = i * i;
	for (; n > 0; n -= part) {
		part = n < LIST ? n : LIST;
		for (uint64_t i = 0; i < part; i++)
			indices[i] = (uint32_t)random_below(&random, count);
		for (uint64_t i = 0; i < part; i++)
			sum += elements[indices[i]];
	}
	free(elements);
	return sum;
}

static uint64_t column(uint64_t bytes, uint64_t passes)
{
	uint64_t rows = 1, sum = 0, *matrix;

	while ((rows + 1) * (rows + 1) * sizeof(*matrix) <= bytes)
		rows++;
	matrix = allocate(rows * rows * sizeof(*matrix));
	for (uint64_t i = 0; i < rows * rows; i++)
		matrix[i] = i % 7;
	for (uint64_t pass = 0; pass < passes; pass++)
		for (uint64_t k = 0; k < rows; k++)
			for (uint64_t row = 0; row < rows; row++)
				sum += matrix[row * rows + k] ^ pass;
	free(matrix);
	return sum;
}

/* A file without a name, written with few accesses; NULL when it cannot be had. */
static const uint64_t *map_file(uint64_t bytes)
{
	static uint64_t piece[LIST];
	FILE *file = tmpfile();
	void *data = MAP_FAILED;

	for (uint64_t i = 0; i < LIST; i++)
		piece[i] = i;
	for (uint64_t at = 0; file != NULL && at < bytes; at += sizeof(piece))
		fwrite(piece, sizeof(piece), 1, file);
	if (file != NULL && fflush(file) == 0)
		data = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fileno(file), 0);
	if (file != NULL)
		fclose(file);
	return data == MAP_FAILED ? NULL : data;
}

static uint64_t mapped(uint64_t bytes, uint64_t passes)
{
	const uint64_t *data = map_file(bytes);
	uint64_t sum = 0;

	if (data == NULL) {
		fprintf(stderr, "memory_bound: no file of %llu bytes\n", (unsigned long long)bytes);
		exit(1);
	}
	for (uint64_t pass = 0; pass < passes; pass++)
		for (uint64_t i = 0; i < bytes / sizeof(*data); i++)
			sum += data[i] ^ pass;
	return sum;
}

static const struct {
	const char *name;
	uint64_t (*run)(uint64_t bytes, uint64_t length);
} modes[] = {
	{"chase", chase},
	{"gather", gather},
	{"column", column},
	{"mapped", mapped},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 4 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		uint64_t bytes = strtoull(argv[2], NULL, 10), length = strtoull(argv[3], NULL, 10);

		if (strcmp(argv[1], modes[i].name) != 0 || bytes < 1024 || bytes > 1ull << 32 ||
		    length == 0)
			continue;
		printf("%s %llu\n", argv[1], (unsigned long long)modes[i].run(bytes, length));
		return 0;
	}
	fprintf(stderr, "usage: memory_bound chase|gather|column|mapped BYTES LENGTH   (BYTES from "
			"1024 to 4 GB)\n");
	return 2;
}
