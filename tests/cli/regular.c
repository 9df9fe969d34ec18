/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs whose miss-ratio curves are known, for lines.py:
 *
 *   regular cycle LINES ROUNDS [STRIDE]: touches LINES lines in a cycle, STRIDE lines apart
 *   regular stay LINES ROUNDS TIMES: in a cycle, too, each so many times before the next one
 *   regular random LINES TOUCHES: touches lines at random
 *   regular copies LINES ROUNDS: copies by string instructions, and unaligned copies
 *   regular family LINES ROUNDS: the first, in a forked child, too, and in two threads of it
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE 64

static unsigned char *memory;
static uint64_t lines, rounds, stride = 1;

static void cycle(void)
{
	volatile unsigned char *at = memory;

	for (uint64_t r = 0; r < rounds; r++)
		for (uint64_t i = 0; i < lines; i++)
			(void)at[i * stride * LINE];
}

/* No two accesses in a row are to one line. */
static void stay(void)
{
	volatile unsigned char *at = memory;

	for (uint64_t r = 0; r < rounds; r++)
		for (uint64_t i = 0; i + 1 < lines; i++)
			for (uint64_t k = 0; k < stride; k++)
				(void)at[(i + k % 2) * LINE];
}

static void touch_at_random(void)
{
	volatile unsigned char *at = memory;
	uint64_t x = 1;

	for (uint64_t i = 0; i < rounds; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		(void)at[(x >> 33) % lines * LINE];
	}
}

static void copy(void)
{
	const uint64_t half = lines / 2 * LINE;

	for (uint64_t r = 0; r < rounds; r++) {
		void *to = memory + half, *from = memory;
		uint64_t words = half / 8;

		__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
		for (uint64_t i = 3; i + 16 < half; i += 16)
			memcpy(memory + half + i, memory + i + 5, 8);
	}
}

static void *of_thread(void *unused)
{
	cycle();
	return unused;
}

static void family(void)
{
	pthread_t thread;
	pid_t child = fork();

	cycle();
	if (child != 0) {
		waitpid(child, NULL, 0);
		return;
	}
	pthread_create(&thread, NULL, of_thread, NULL);
	cycle();
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {{"cycle", cycle},
		     {"stay", stay},
		     {"random", touch_at_random},
		     {"copies", copy},
		     {"family", family}};

	if (argc < 4)
		return 2;
	lines = strtoull(argv[2], NULL, 10);
	rounds = strtoull(argv[3], NULL, 10);
	if (argc > 4)
		stride = strtoull(argv[4], NULL, 10);
	memory = aligned_alloc(4096, (lines * stride * LINE + 4095) / 4096 * 4096);
	if (memory == NULL)
		return 1;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(argv[1], kinds[i].name) == 0)
			kinds[i].run();
	return 0;
}
