/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash join: a table with chains is built from one relation, and another one is looked up. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BUCKETS 256
#define ROWS	400

struct row {
	uint32_t key, value;
};

struct entry {
	struct entry *next;
	const struct row *row;
};

static struct row orders[ROWS];
static struct entry *buckets[BUCKETS];

static uint32_t hash(uint32_t key)
{
	return key * 2654435761u >> 24;
}

static void build(const struct row *rows, int count)
{
	for (int i = 0; i < count; i++) {
		struct entry *e = malloc(sizeof(*e)), **b = &buckets[hash(rows[i].key)];

		*e = (struct entry){*b, &rows[i]};
		*b = e;
	}
}

static uint64_t probe(const struct row *rows, int count)
{
	uint64_t sum = 0;

	for (int i = 0; i < count; i++)
		for (const struct entry *e = buckets[hash(rows[i].key)]; e; e = e->next)
			if (e->row->key == rows[i].key)
				sum += (uint64_t)e->row->value * rows[i].value;
	return sum;
}

int main(void)
{
	struct row *items = malloc(ROWS * sizeof(*items));
	uint32_t random = 1;

	for (int i = 0; i < ROWS; i++) {
		random = random * 1664525 + 1013904223;
		orders[i] = (struct row){random >> 22, (uint32_t)i};
		items[i] = (struct row){random >> 12 & 1023, 1};
	}
	build(orders, ROWS);
	printf("%lu\n", (unsigned long)probe(items, ROWS));
	free(items);
	return 0;
}
