/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that have ended leave nothing: after 1,000 of them the process has about as many mappings
 * and as much memory as after the first 50. An argument gives another number of threads.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "check.h"

#define FIRST	      50
#define MORE_MAPPINGS 40
#define MORE_KB	      12288

static void *run(void *depth)
{
	volatile int sum = 0;

	for (int i = 0; i < 3000; i++)
		sum += i;
	return depth;
}

static void make(int threads)
{
	pthread_t t;

	for (int i = 0; i < threads; i++) {
		NEED(pthread_create(&t, 0, run, 0) == 0);
		NEED(pthread_join(t, 0) == 0);
	}
}

static int mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	int c, lines = 0;

	NEED(f);
	while ((c = getc(f)) != EOF)
		lines += c == '\n';
	fclose(f);
	return lines;
}

static long resident_kb(void)
{
	char line[256];
	long kb = 0;
	FILE *f = fopen("/proc/self/status", "r");

	NEED(f);
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "VmRSS: %ld", &kb) == 1)
			break;
	fclose(f);
	return kb;
}

int main(int argc, char **argv)
{
	const int threads = argc > 1 ? atoi(argv[1]) : 1000;
	int before, after;
	long kb_before, kb_after;

	make(FIRST);
	before = mappings();
	kb_before = resident_kb();
	make(threads);
	after = mappings();
	kb_after = resident_kb();
	if (after - before >= MORE_MAPPINGS || kb_after - kb_before >= MORE_KB)
		printf("%d and %d mappings, %ld and %ld kB\n", before, after, kb_before, kb_after);
	CHECK(after - before < MORE_MAPPINGS);
	CHECK(kb_after - kb_before < MORE_KB);
	return check_end();
}
