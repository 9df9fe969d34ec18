// SPDX-License-Identifier: GPL-2.0-or-later

package main

/*
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int answer(void)
{
	int n[1000];

	for (int i = 0; i < 1000; i++)
		n[i] = i * 7919 % 1000;
	qsort(n, 1000, sizeof n[0], compare);
	return n[42];
}
*/
import "C"

func answer() int { return int(C.answer()) }
