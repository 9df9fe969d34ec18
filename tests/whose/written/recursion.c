/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Deep recursion with arrays on the stack, beside variables. */
#include <stdio.h>
#include <string.h>

static int numbers[600], merged[600];

static void sort(int *at, int count)
{
	int half = count / 2, i = 0, j = half;

	if (count < 2)
		return;
	sort(at, half);
	sort(at + half, count - half);
	for (int k = 0; k < count; k++)
		merged[k] = j == count || (i < half && at[i] <= at[j]) ? at[i++] : at[j++];
	memcpy(at, merged, (size_t)count * sizeof(int));
}

static int fold(int depth)
{
	volatile int room[40];

	for (int i = 0; i < 40; i++)
		room[i] = depth + i;
	return depth == 0 ? 0 : room[depth % 40] + fold(depth - 1) + room[1];
}

int main(void)
{
	for (int i = 0; i < 600; i++)
		numbers[i] = i * 7919 % 601;
	sort(numbers, 600);
	printf("%d %d\n", numbers[300], fold(60));
	return 0;
}
