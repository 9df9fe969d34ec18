/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data structures with known fields, for fields.py. Each function misses on one field of one of
 * them: every loop walks over more memory than the caches hold. "names": two halves of an array
 * have names.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/dwell.h"

#define COUNT  20000
#define ROUNDS 4

struct point {
	float x, y;
};

struct node {
	struct node *next;
	long key;
	char name[24];
	struct point at[2];
	unsigned low : 4, high : 12;
};

struct particle {
	double mass;
	double position[3];
	struct {
		float heat, charge;
	};
	union {
		int number;
		float weight;
	} tag;
	struct point corner;
	int neighbours[4];
};

_Static_assert(sizeof(struct node) == 64 && sizeof(struct particle) == 72, "layout");

struct particle particles[COUNT];
struct {
	double x[COUNT], y[COUNT];
} columns;
long sink;

static void add_mass(void)
{
	double sum = 0;

	for (size_t i = 0; i < COUNT; i++)
		sum += particles[i].mass;
	sink += (long)sum;
}

static void add_corner(void)
{
	float sum = 0;

	for (size_t i = 0; i < COUNT; i++)
		sum += particles[i].corner.y;
	sink += (long)sum;
}

static void add_second(void)
{
	double sum = 0;

	for (size_t i = 0; i < COUNT; i++)
		sum += particles[i].position[1];
	sink += (long)sum;
}

static void add_tag(void)
{
	long sum = 0;

	for (size_t i = 0; i < COUNT; i++)
		sum += particles[i].tag.number;
	sink += sum;
}

static void add_heat(void)
{
	float sum = 0;

	for (size_t i = 0; i < COUNT; i++)
		sum += particles[i].heat;
	sink += (long)sum;
}

static void add_column(void)
{
	double sum = 0;

	for (size_t i = 0; i < COUNT; i++)
		sum += columns.y[i];
	sink += (long)sum;
}

static struct node *make_list(void)
{
	struct node *list = NULL;

	for (size_t i = 0; i < COUNT; i++) {
		struct node *n = malloc(sizeof(*n));

		if (n == NULL)
			exit(1);
		n->next = list;
		n->key = (long)i;
		list = n;
	}
	return list;
}

static void follow(const struct node *list)
{
	for (; list != NULL; list = list->next)
		sink++;
}

static struct particle *make_array(void)
{
	struct particle *a = calloc(COUNT, sizeof(*a));

	if (a == NULL)
		exit(1);
	return a;
}

static void add_neighbours(const struct particle *a)
{
	long sum = 0;

	for (size_t i = 0; i < COUNT; i++)
		sum += a[i].neighbours[2];
	sink += sum;
}

struct cell {
	double rest[9], key;
};

struct table {
	size_t count;
	struct cell *cells;
};

static void add_keys(const struct table *t)
{
	double sum = 0;

	for (size_t i = 0; i < t->count; i++)
		sum += t->cells[i].key;
	sink += (long)sum;
}

/* The allocator's result goes to a member of a structure on the stack. */
static void use_table(void)
{
	struct table t = {.count = COUNT};

	t.cells = malloc(COUNT * sizeof(*t.cells));
	if (t.cells == NULL)
		exit(1);
	for (size_t i = 0; i < COUNT; i++)
		t.cells[i].key = (double)i;
	for (int i = 0; i < ROUNDS; i++)
		add_keys(&t);
	free(t.cells);
}

/* The second half of the array, and a part of a variable, have the same name. */
static void use_names(void)
{
	const size_t half = COUNT * sizeof(double) / 2;
	double *array = malloc(2 * half), sum = 0;

	if (array == NULL)
		exit(1);
	DWELL_NAME(array, half, "left");
	DWELL_NAME(array + COUNT / 2, half, "right");
	DWELL_NAME(columns.y, sizeof(columns.y), "right");
	for (int i = 0; i < ROUNDS; i++) {
		for (size_t k = 0; k < COUNT; k++)
			array[k] = (double)k;
		for (size_t k = 0; k < COUNT; k++)
			sum += columns.x[k] + columns.y[k];
	}
	DWELL_UNNAME(array, half);
	for (size_t k = 0; k < COUNT / 2; k++)
		sum += array[k];
	printf("%g\n", sum);
}

int main(int argc, char **argv)
{
	struct particle *array;
	struct node *list;

	if (argc > 1 && strcmp(argv[1], "names") == 0) {
		use_names();
		return 0;
	}
	array = make_array();
	list = make_list();
	for (int i = 0; i < ROUNDS; i++) {
		add_mass();
		add_corner();
		add_second();
		add_tag();
		add_heat();
		add_column();
		follow(list);
		add_neighbours(array);
	}
	use_table();
	printf("%ld\n", sink);
	return 0;
}
