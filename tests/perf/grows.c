/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Something of which there is as much as asked for: grows KIND N. Its own cost is in proportion to
 * N, so that of profiling it should be, too (scaling.py).
 */
#include "grows.h"

#include <string.h>

volatile long sink;
const char *library;

void *must(void *p)
{
	if (!p || p == MAP_FAILED) {
		perror("grows");
		exit(1);
	}
	return p;
}

void *map(unsigned long bytes, int prot)
{
	return must(mmap(NULL, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

static const struct {
	const char *name;
	void (*run)(unsigned long n);
} kinds[] = {
#define ROW(kind) {#kind, kind},
	KINDS(ROW)};

int main(int argc, char **argv)
{
	library = argc > 3 ? argv[3] : NULL;
	for (unsigned i = 0; argc > 2 && i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i].name, argv[1]) == 0) {
			kinds[i].run(strtoul(argv[2], NULL, 10));
			return 0;
		}
	fprintf(stderr, "usage: grows KIND N [LIBRARY]\n");
	return 2;
}
