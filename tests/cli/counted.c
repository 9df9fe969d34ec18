// SPDX-License-Identifier: GPL-2.0-or-later
/* A program to count: recursion, a cycle of calls, a loop with a branch, several callers. */
#include <stdio.h>
#include <stdlib.h>

#define NUMBERS 500

static int numbers[NUMBERS];

__attribute__((noinline)) static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__attribute__((noinline)) static int is_odd(int n);

__attribute__((noinline)) static int is_even(int n)
{
	int odd = n == 0 ? 0 : is_odd(n - 1);

	__asm__ volatile("");
	return n == 0 || !odd;
}

__attribute__((noinline)) static int is_odd(int n)
{
	int even = n == 0 ? 1 : is_even(n - 1);

	__asm__ volatile("");
	return n != 0 && !even;
}

__attribute__((noinline)) static int count_above(int limit)
{
	int count = 0, i;

	for (i = 0; i < NUMBERS; i++) {
		if (numbers[i] > limit)
			count++;
		__asm__ volatile("");
	}
	return count;
}

__attribute__((noinline)) static int rarely(void)
{
	return count_above(NUMBERS / 4);
}

__attribute__((noinline)) static int often(void)
{
	int sum = 0, i;

	for (i = 0; i < 9; i++)
		sum += count_above(i * 10);
	return sum;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int main(void)
{
	int i;

	for (i = 0; i < NUMBERS; i++)
		numbers[i] = i * 7919 % NUMBERS;
	qsort(numbers, NUMBERS, sizeof(numbers[0]), compare);
	printf("%d %d %d %d\n", fibonacci(10), is_even(20), rarely(), often());
	return 0;
}
