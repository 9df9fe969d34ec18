/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that the program maps and divides itself, beside blocks of the C library. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define BYTES 65536

struct item {
	struct item *next;
	long value[5];
};

static char *arena;
static size_t used;

static void *get(size_t bytes)
{
	void *p = arena + used;

	used += bytes;
	return p;
}

int main(void)
{
	struct item *own = 0, *others = 0;
	long sum = 0;

	arena = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 400; i++) {
		struct item **list = i % 3 ? &own : &others;
		struct item *n = i % 3 ? get(sizeof(*n)) : malloc(sizeof(*n));

		*n = (struct item){*list, {i, 1, 2, 3, 4}};
		*list = n;
	}
	for (int round = 0; round < 4; round++) {
		for (const struct item *n = own; n; n = n->next)
			sum += n->value[round];
		for (const struct item *n = others; n; n = n->next)
			sum += n->value[4];
	}
	printf("%ld\n", sum);
	munmap(arena, BYTES);
	return 0;
}
