/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An array of large structures, filled field by field, like ammp: each pass over the array
 * takes a new line for each element and uses 8 bytes of it. The cure is to fill one element after
 * the other. After section 5.2 of Berg and Hagersten (2005).
 *
 *   struct-init fields|elements
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATOMS  (100u << 10) /* 12.5 MB */
#define FIELDS 16	    /* 128 bytes an atom */
#define STEPS  30

struct atom {
	double field[FIELDS];
};

static struct atom atoms[ATOMS];

__attribute__((noinline)) static void fill_by_fields(double step)
{
	for (unsigned k = 0; k < FIELDS; k++)
		for (unsigned i = 0; i < ATOMS; i++)
			atoms[i].field[k] = step + k;
}

__attribute__((noinline)) static void fill_by_elements(double step)
{
	for (unsigned i = 0; i < ATOMS; i++)
		for (unsigned k = 0; k < FIELDS; k++)
			atoms[i].field[k] = step + k;
}

int main(int argc, char **argv)
{
	int by_fields = argc == 2 && strcmp(argv[1], "fields") == 0;

	if (!by_fields && (argc != 2 || strcmp(argv[1], "elements") != 0)) {
		fprintf(stderr, "usage: struct-init fields|elements\n");
		return 1;
	}
	for (int step = 0; step < STEPS; step++) {
		if (by_fields)
			fill_by_fields(step);
		else
			fill_by_elements(step);
	}
	printf("last %.0f\n", atoms[ATOMS - 1].field[FIELDS - 1]);
	return 0;
}
