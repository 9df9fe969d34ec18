/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrays that grow and shrink in turn, so that they stay, move, and leave their memory to others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAYS 6

static int *array[ARRAYS];
static size_t used[ARRAYS], room[ARRAYS];

static void append(int which, int value)
{
	if (used[which] == room[which]) {
		room[which] = room[which] ? room[which] * 3 / 2 : 4;
		array[which] = realloc(array[which], room[which] * sizeof(int));
	}
	array[which][used[which]++] = value;
}

static void shrink(int which)
{
	used[which] /= 4;
	room[which] = used[which] + 1;
	array[which] = reallocarray(array[which], room[which], sizeof(int));
}

static long sum(int which)
{
	long s = 0;

	for (size_t i = 0; i < used[which]; i++)
		s += array[which][i];
	return s;
}

int main(void)
{
	long total = 0;

	for (int i = 0; i < 1500; i++) {
		append(i * i % ARRAYS, i);
		if (i % 97 == 96)
			shrink(i / 97 % ARRAYS);
		if (i % 60 == 59)
			total += sum(i / 60 % ARRAYS);
	}
	for (int i = 0; i < ARRAYS; i++)
		free(array[i]);
	printf("%ld\n", total);
	return 0;
}
