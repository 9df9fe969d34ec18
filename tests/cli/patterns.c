/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses whose strides and links are known, for patterns.py: `patterns WHAT`, the name of a
 * function below. The structure in question is a global, or a block from the function.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE  128u
#define COUNT (SIDE * SIDE)
#define TURNS 60u

struct node {
	struct node *next;
	uint64_t value, unused[2];
};

struct tree {
	struct tree *left, *right;
	uint64_t key;
};

struct point {
	double x, y;
	uint32_t kind, unused;
	double z;
};

static double sum;
/* Not static: a compiler would know that they stay 0. */
double line[COUNT], square[SIDE][SIDE];
static uint32_t order[COUNT];

static uint64_t next_random(void)
{
	static uint64_t x = 1;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static void shuffle(void)
{
	for (uint32_t i = 0; i < COUNT; i++)
		order[i] = i;
	for (uint32_t i = COUNT - 1; i > 0; i--) {
		const uint32_t k = next_random() % (i + 1), x = order[i];

		order[i] = order[k];
		order[k] = x;
	}
}

static void *blocks(size_t n, size_t bytes)
{
	void *p = calloc(n, bytes);

	if (p == NULL)
		abort();
	return p;
}

static void stream(void)
{
	for (uint32_t i = 0; i < TURNS * COUNT; i++)
		sum += line[i % COUNT];
}

static void rows(void)
{
	for (uint32_t turn = 0; turn < TURNS; turn++)
		for (uint32_t i = 0; i < SIDE; i++)
			for (uint32_t k = 0; k < SIDE; k++)
				sum += square[i][k];
}

static void columns(void)
{
	for (uint32_t turn = 0; turn < TURNS; turn++)
		for (uint32_t i = 0; i < SIDE; i++)
			for (uint32_t k = 0; k < SIDE; k++)
				sum += square[k][i];
}

static void hash(void)
{
	uint32_t *table = blocks(COUNT, sizeof(*table));

	for (uint32_t i = 0; i < TURNS * COUNT; i++)
		table[next_random() % COUNT] += i;
	sum += table[0];
}

/* At first in the order of memory, or not. */
static void follow(const uint32_t *places)
{
	struct node **nodes = malloc(COUNT * sizeof(struct node *)), *n;

	if (nodes == NULL)
		abort();
	for (uint32_t i = 0; i < COUNT; i++)
		nodes[i] = blocks(1, sizeof(struct node));
	for (uint32_t i = 0; i < COUNT; i++)
		nodes[places ? places[i] : i]->next =
			nodes[places ? places[(i + 1) % COUNT] : (i + 1) % COUNT];
	n = nodes[0];
	for (uint32_t i = 0; i < TURNS * COUNT; i++, n = n->next)
		sum += (double)n->value;
}

static void list(void)
{
	follow(NULL);
}

static void shuffled(void)
{
	follow(order);
}

static struct tree *make_tree(uint64_t low, uint64_t high)
{
	struct tree *t;

	if (low >= high)
		return NULL;
	t = blocks(1, sizeof(*t));
	t->key = (low + high) / 2;
	t->left = make_tree(low, t->key);
	t->right = make_tree(t->key + 1, high);
	return t;
}

static void tree(void)
{
	const struct tree *root = make_tree(0, COUNT);

	for (uint32_t i = 0; i < 2 * COUNT; i++) {
		const uint64_t key = next_random() % COUNT;
		const struct tree *t = root;

		while (t->key != key)
			t = key < t->key ? t->left : t->right;
		sum += 1;
	}
}

static void pointers(void)
{
	double **to = malloc(COUNT * sizeof(double *)), *all = blocks(COUNT, sizeof(*all));

	if (to == NULL)
		abort();
	for (uint32_t i = 0; i < COUNT; i++)
		to[i] = &all[order[i]];
	for (uint32_t i = 0; i < TURNS * COUNT; i++)
		sum += *to[i % COUNT];
}

static void gather(void)
{
	for (uint32_t i = 0; i < TURNS * COUNT; i++)
		sum += line[order[i % COUNT]];
}

static void points(void)
{
	struct point *p = malloc(COUNT * sizeof(*p));

	if (p == NULL)
		abort();
	for (uint32_t i = 0; i < COUNT; i++)
		p[i] = (struct point){.kind = i};
	for (uint32_t i = 0; i < TURNS * COUNT; i++)
		if (p[i % COUNT].kind != COUNT)
			sum += p[i % COUNT].x + p[i % COUNT].y;
}

/* Rows that were allocated one by one: of a type, with a row or a column in the inner loop. */
static double **make_matrix(void)
{
	double **m = malloc(SIDE * sizeof(*m));

	for (uint32_t i = 0; m != NULL && i < SIDE; i++) {
		m[i] = malloc(SIDE * sizeof(*m[i]));
		if (m[i] == NULL)
			abort();
		memset(m[i], 0, SIDE * sizeof(*m[i]));
	}
	if (m == NULL)
		abort();
	return m;
}

static void apart(void)
{
	double **m = make_matrix();

	for (uint32_t turn = 0; turn < TURNS; turn++)
		for (uint32_t i = 0; i < SIDE; i++)
			for (uint32_t k = 0; k < SIDE; k++)
				sum += m[i][k];
}

static void apart_columns(void)
{
	double **m = make_matrix();

	for (uint32_t turn = 0; turn < TURNS; turn++)
		for (uint32_t i = 0; i < SIDE; i++)
			for (uint32_t k = 0; k < SIDE; k++)
				sum += m[k][i];
}

/* Without a type: the caller of `untyped` gets it as bytes. */
__attribute__((noinline)) static unsigned char *untyped(size_t bytes)
{
	unsigned char *p = malloc(bytes);

	if (p == NULL)
		abort();
	memset(p, 1, bytes);
	return p;
}

static void untyped_rows(void)
{
	void **rows = blocks(SIDE, sizeof(*rows));

	for (uint32_t i = 0; i < SIDE; i++)
		rows[i] = untyped(SIDE * sizeof(uint32_t));
	for (uint32_t turn = 0; turn < TURNS; turn++)
		for (uint32_t i = 0; i < SIDE; i++)
			for (uint32_t k = 0; k < SIDE; k++)
				sum += ((uint32_t *)rows[i])[k];
}

/* No rows: records, of which one field is read. */
static void records(void)
{
	struct point **p = malloc(COUNT * sizeof(*p));

	for (uint32_t i = 0; p != NULL && i < COUNT; i++) {
		p[i] = malloc(sizeof(*p[i]));
		if (p[i] == NULL)
			abort();
		*p[i] = (struct point){.kind = i};
	}
	if (p == NULL)
		abort();
	for (uint32_t i = 0; i < TURNS * COUNT; i++)
		sum += p[i % COUNT]->x;
}

/* No rows: buffers that never live together, though another structure holds the address. */
static void buffers(void)
{
	static unsigned char *buffer;

	for (uint32_t i = 0; i < TURNS * 8; i++) {
		buffer = untyped(4096);
		for (uint32_t k = 0; k < 4096; k++)
			sum += buffer[k];
		free(buffer);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {{"stream", stream},
		   {"rows", rows},
		   {"columns", columns},
		   {"hash", hash},
		   {"list", list},
		   {"shuffled", shuffled},
		   {"tree", tree},
		   {"pointers", pointers},
		   {"gather", gather},
		   {"points", points},
		   {"apart", apart},
		   {"apart-columns", apart_columns},
		   {"untyped", untyped_rows},
		   {"records", records},
		   {"buffers", buffers}};

	shuffle();
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && argc == 2; i++)
		if (strcmp(argv[1], all[i].name) == 0)
			all[i].run();
	printf("%g\n", sum);
	return 0;
}
