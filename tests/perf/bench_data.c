/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small programs for bench_data.py, each of which misses in its own way:
 *
 *   tree    nodes of 24 bytes, one by one; inserted, summed up and looked for
 *   blocks  many small blocks that come and go, in any order
 *   join    rows of one block, found by a hash table
 *   matrix  the product of two matrices, by columns
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES  100000
#define BLOCKS 20000
#define ROUNDS 1000000
#define ROWS   100000
#define SLOTS  262144
#define SIDE   300

static unsigned long state = 88172645463325252ul;

static unsigned long any(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* ---- A tree ---- */

struct node {
	struct node *less, *more;
	unsigned long key;
};

static struct node **place_of(struct node **tree, unsigned long key)
{
	while (*tree && (*tree)->key != key)
		tree = key < (*tree)->key ? &(*tree)->less : &(*tree)->more;
	return tree;
}

static unsigned long sum(const struct node *n)
{
	return n ? n->key + sum(n->less) + sum(n->more) : 0;
}

static unsigned long tree(void)
{
	struct node *root = NULL;
	unsigned long total = 0;

	for (int i = 0; i < NODES; i++) {
		const unsigned long key = any();
		struct node **place = place_of(&root, key);

		*place = calloc(1, sizeof(**place));
		if (*place == NULL)
			abort();
		(*place)->key = key;
	}
	for (int i = 0; i < 5; i++)
		total += sum(root);
	for (int i = 0; i < 2 * NODES; i++)
		total += *place_of(&root, any()) != NULL;
	return total;
}

/* ---- Blocks ---- */

static unsigned long blocks(void)
{
	static unsigned char *all[BLOCKS];
	unsigned long total = 0;

	for (int i = 0; i < ROUNDS; i++) {
		unsigned char **p = &all[any() % BLOCKS];
		const size_t bytes = 16 + any() % 200;

		total += *p ? (*p)[0] : 0;
		free(*p);
		*p = malloc(bytes);
		if (*p == NULL)
			abort();
		memset(*p, i, bytes);
	}
	return total;
}

/* ---- A join ---- */

struct row {
	unsigned long key, a, b;
	struct row *next;
};

static struct row **slot_of(struct row **slots, unsigned long key)
{
	return &slots[key * 0x9e3779b97f4a7c15ul >> 20 & (SLOTS - 1)];
}

static unsigned long join(void)
{
	struct row *rows = calloc(ROWS, sizeof(*rows)), **slots = calloc(SLOTS, sizeof(*slots));
	unsigned long total = 0;

	for (int i = 0; i < ROWS; i++) {
		struct row **slot = slot_of(slots, rows[i].key = any() % ROWS);

		rows[i].next = *slot;
		*slot = &rows[i];
	}
	for (int i = 0; i < 5 * ROWS; i++) {
		const unsigned long key = any() % ROWS;

		for (const struct row *r = *slot_of(slots, key); r; r = r->next)
			total += r->key == key;
	}
	return total;
}

/* ---- Matrices ---- */

static unsigned long matrix(void)
{
	static double a[SIDE][SIDE], b[SIDE][SIDE];
	double total = 0;

	for (int i = 0; i < SIDE * SIDE; i++) {
		a[i / SIDE][i % SIDE] = i % 7;
		b[i / SIDE][i % SIDE] = i % 5;
	}
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			for (int k = 0; k < SIDE; k++)
				total += a[i][k] * b[k][j];
	return (unsigned long)total;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		unsigned long (*run)(void);
	} programs[] = {{"tree", tree}, {"blocks", blocks}, {"join", join}, {"matrix", matrix}};

	for (size_t i = 0; argc == 2 && i < sizeof(programs) / sizeof(*programs); i++)
		if (strcmp(argv[1], programs[i].name) == 0)
			return printf("%lu\n", programs[i].run()) < 0;
	return 2;
}
