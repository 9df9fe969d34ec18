/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layouts of data in C, for layouts.py: each function misses on one field of one of them, again and
 * again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT  2000
#define ROUNDS 4
#define WALK   __attribute__((noinline, noclone)) static void

static volatile long sink;
static volatile double sum;

/* An array that is a member of a variable. */
struct item {
	int code, x;
	char pad[64];
};
static struct {
	int count;
	struct item items[COUNT];
} shelf;

WALK walk_member_array(void)
{
	for (int i = 0; i < COUNT; i++)
		sink += shelf.items[i].x;
}

/* Arrays that are members of the elements of another; their sizes share no factor but 8. */
struct cell {
	long key, weight, rest;
};
struct row {
	long count;
	struct cell cells[5];
	long end[3];
};
static struct row rows[COUNT];

WALK walk_nested_array(void)
{
	for (int i = 0; i < COUNT; i++)
		for (int j = 0; j < 5; j++)
			sink += rows[i].cells[j].weight;
}

/* The same in a block. */
static struct row *table;

WALK walk_nested_block(void)
{
	for (int i = 0; i < COUNT; i++)
		for (int j = 0; j < 5; j++)
			sink += table[i].cells[j].rest;
}

/* Members of a union: each of another size, or of another type. */
struct value {
	long kind;
	union {
		double number;
		float ratio;
		int index;
		short small;
		char letter;
		void *next;
	} u;
	char pad[64];
};
static struct value *values;

WALK walk_union_double(void)
{
	for (int i = 0; i < COUNT; i++)
		sum += values[i].u.number;
}

WALK walk_union_float(void)
{
	for (int i = 0; i < COUNT; i++)
		sum += (double)values[i].u.ratio;
}

WALK walk_union_int(void)
{
	for (int i = 0; i < COUNT; i++)
		sink += values[i].u.index;
}

WALK walk_union_char(void)
{
	for (int i = 0; i < COUNT; i++)
		sink += values[i].u.letter;
}

/* A union without a name, of structs. */
struct shape {
	int kind;
	union {
		struct {
			float x, y, radius;
		} circle;
		struct {
			int left, top, wide;
		} box;
	};
	char pad[60];
};
static struct shape shapes[COUNT];

WALK walk_circles(void)
{
	for (int i = 0; i < COUNT; i++)
		sum += (double)shapes[i].circle.radius;
}

WALK walk_boxes(void)
{
	for (int i = 0; i < COUNT; i++)
		sink += shapes[i].box.wide;
}

/* Bit-fields, and a struct without a name. */
struct flags {
	unsigned low : 4, high : 12, rest : 16;
	struct {
		int inner, outer;
	};
	char pad[64];
};
static struct flags *flags;

WALK walk_bits(void)
{
	for (int i = 0; i < COUNT; i++)
		sink += flags[i].rest;
}

WALK walk_unnamed(void)
{
	for (int i = 0; i < COUNT; i++)
		sink += flags[i].outer;
}

/* An array without a length at the end of each block, from an allocator of the program. */
struct packet {
	long length;
	int data[];
};
static struct packet *packets[COUNT];

__attribute__((noinline)) static void *must_allocate(size_t bytes)
{
	void *p = malloc(bytes);

	if (p == NULL)
		abort();
	return p;
}

__attribute__((noinline)) static void make_packets(struct packet **f)
{
	for (int i = 0; i < COUNT; i++) {
		f[i] = must_allocate(sizeof(struct packet) +
				     (size_t)(20 + i % 3 * 2) * sizeof(int));
		f[i]->length = 20;
		memset(f[i]->data, 1, 20 * sizeof(int));
	}
}

WALK walk_flexible(void)
{
	for (int i = 0; i < COUNT; i++)
		for (int j = 0; j < 20; j++)
			sink += packets[i]->data[j];
}

/* Rows of a matrix, allocated one by one. */
static double **matrix;

WALK walk_matrix(void)
{
	for (int j = 0; j < 64; j++)
		for (int i = 0; i < COUNT / 8; i++)
			sum += matrix[i][j];
}

/* A matrix inside of a struct. */
struct grid {
	int id;
	double at[4][6];
};
static struct grid *grids;

WALK walk_grid(void)
{
	for (int i = 0; i < COUNT; i++)
		for (int j = 0; j < 4; j++)
			sum += grids[i].at[j][5];
}

/* The same place in a struct, through a pointer that a struct has. */
struct owner {
	char name[100];
	struct item *kept;
	size_t room;
};
static struct owner owner;

WALK walk_kept(void)
{
	for (size_t i = 0; i < owner.room; i++)
		sink += owner.kept[i].code;
}

/* A tree whose nodes have arrays of pointers. */
struct tree {
	struct tree *kids[2];
	long key;
	char pad[80];
};
static struct tree *root;

__attribute__((noinline)) static void add_key(struct tree **at, long key)
{
	while (*at != NULL)
		at = &(*at)->kids[key > (*at)->key];
	*at = calloc(1, sizeof(struct tree));
	(*at)->key = key;
}

WALK walk_tree(void)
{
	for (long key = 0; key < COUNT; key++) {
		const struct tree *t = root;

		while (t != NULL && t->key != key * 7919 % COUNT)
			t = t->kids[key * 7919 % COUNT > t->key];
	}
}

static void make(void)
{
	memset(&shelf, (int)(sink & 0), sizeof(shelf));
	memset(rows, (int)(sink & 0), sizeof(rows));
	memset(shapes, (int)(sink & 0), sizeof(shapes));
	table = calloc(COUNT, sizeof(*table));
	values = calloc(COUNT, sizeof(*values));
	flags = malloc(COUNT * sizeof(struct flags));
	memset(flags, 0, COUNT * sizeof(struct flags));
	make_packets(packets);
	matrix = malloc(COUNT / 8 * sizeof(double *));
	for (int i = 0; i < COUNT / 8; i++)
		matrix[i] = calloc(64, sizeof(double));
	grids = calloc(COUNT, sizeof(struct grid));
	for (size_t room = 16; room <= COUNT; room *= 2) {
		owner.kept = realloc(owner.kept, room * sizeof(struct item));
		memset(owner.kept, 0, room * sizeof(struct item));
		owner.room = room;
	}
	for (long key = 0; key < COUNT; key++)
		add_key(&root, key * 7919 % COUNT);
}

int main(void)
{
	static void (*const walks[])(void) = {
		walk_member_array, walk_nested_array, walk_nested_block, walk_union_double,
		walk_union_float,  walk_union_int,    walk_union_char,	 walk_circles,
		walk_boxes,	   walk_bits,	      walk_unnamed,	 walk_flexible,
		walk_matrix,	   walk_grid,	      walk_kept,	 walk_tree,
	};

	make();
	for (size_t i = 0; i < sizeof(walks) / sizeof(walks[0]); i++)
		for (int round = 0; round < ROUNDS; round++)
			walks[i]();
	printf("%ld\n", sink);
	return 0;
}
