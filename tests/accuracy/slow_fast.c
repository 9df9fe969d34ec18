/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two functions in turn with the same number of accesses, one of them in a thirtieth of the other's
 * time. Sampling by time would nearly always see the slow one. Each access must have the same
 * chance, so each function must have half of the samples.
 *
 *   slow_fast TURNS LOADS        LOADS of each function in each of TURNS
 *   slow_fast TURNS LOADS rep    the fast function is one string instruction
 *   slow_fast TURNS LOADS rep N  it is many, of N stores each
 */
#include <stdio.h>
#include <stdlib.h>

#define WORDS 2048u

static volatile unsigned long words[WORDS];

__attribute__((noinline)) static void go_fast(unsigned long loads)
{
	for (unsigned long i = 0; i < loads; i++)
		(void)words[i % WORDS];
}

__attribute__((noinline)) static void go_slow(unsigned long loads)
{
	unsigned long a, d;

	for (unsigned long i = 0; i < loads; i++) {
		a = words[i % WORDS] | 1;
		/* Divisions that wait for each other, and touch no memory. */
		for (int k = 0; k < 4; k++) {
			d = 0;
			__asm__ volatile("div %2" : "+a"(a), "+d"(d) : "r"(3ul) : "cc");
		}
	}
}

/* The same number of loads in one instruction. */
__attribute__((noinline)) static void go_fast_by_string(const char *from, unsigned long loads)
{
	__asm__ volatile("rep lodsb" : "+S"(from), "+c"(loads) : : "rax", "memory");
}

/* The same number of stores, `piece` in an instruction. */
__attribute__((noinline)) static void go_fast_by_strings(char *to, unsigned long stores,
							 unsigned long piece)
{
	for (; stores >= piece; stores -= piece) {
		unsigned long count = piece;
		char *p = to;

		__asm__ volatile("rep stosb" : "+D"(p), "+c"(count) : "a"(0) : "memory");
	}
}

int main(int argc, char **argv)
{
	unsigned long turns = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long piece = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
	char *by_string = NULL;
	unsigned long loads = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (turns == 0 || loads == 0) {
		fprintf(stderr, "usage: slow_fast TURNS LOADS\n");
		return 2;
	}
	if (argc > 3 && (by_string = calloc(loads, 1)) == NULL)
		return 1;
	while (turns-- > 0) {
		if (piece != 0)
			go_fast_by_strings(by_string, loads, piece);
		else if (by_string != NULL)
			go_fast_by_string(by_string, loads);
		else
			go_fast(loads);
		go_slow(loads);
	}
	free(by_string);
	return 0;
}
