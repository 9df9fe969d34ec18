/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thousands of mappings that cannot be joined, created and released in several orders: each must
 * cost about the same, whatever their number. And a mapping of 64 GB of which little is touched.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define FEW	      1000
#define MANY	      12000
#define PAGE	      4096l
#define HUGE_BYTES    (64l << 30)
#define SECONDS	      20
#define TIMES_AS_LONG 6 /* where each cost as much as there were others it was ten and more */

static char *page[MANY];

static char *map(long bytes, int prot)
{
	char *p =
		mmap(NULL, (size_t)bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	NEED(p != MAP_FAILED);
	return p;
}

static void make(int count)
{
	for (int i = 0; i < count; i++) {
		page[i] = map(PAGE, i % 2 ? PROT_READ | PROT_WRITE : PROT_READ);
		if (i % 2)
			page[i][0] = (char)i;
	}
	for (int i = 1; i < count; i += 2)
		CHECK(page[i][0] == (char)i);
}

/* The step has no factor in common with count. */
static void give_back(int count, int step)
{
	for (int i = 0; i < count; i++)
		CHECK(munmap(page[(long)i * step % count], PAGE) == 0);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds for each of so many. */
static double cost(int count)
{
	double begin = cpu_seconds();

	make(count);
	give_back(count, 1);
	make(count);
	give_back(count, 7919);
	return (cpu_seconds() - begin) / count;
}

static void divide(void)
{
	char *all = map(FEW * PAGE, PROT_READ | PROT_WRITE);

	for (int i = 0; i < FEW; i += 2) {
		all[i * PAGE] = 1;
		CHECK(mprotect(all + i * PAGE, PAGE, PROT_READ) == 0);
	}
	for (int i = FEW; i-- > 0;)
		CHECK(munmap(all + i * PAGE, PAGE) == 0);
}

static void move(void)
{
	make(FEW);
	for (int i = 1; i < FEW; i += 2) {
		page[i] = mremap(page[i], PAGE, 2 * PAGE, MREMAP_MAYMOVE);
		NEED(page[i] != MAP_FAILED);
		CHECK(page[i][0] == (char)i);
		CHECK(munmap(page[i] + PAGE, PAGE) == 0);
	}
	give_back(FEW, FEW - 1);
}

static void touch_little(void)
{
	char *all = map(HUGE_BYTES, PROT_READ | PROT_WRITE);
	static long table[1 << 12];
	long sum = 0;

	map(HUGE_BYTES, PROT_NONE);
	for (long i = 0; i < 200; i++)
		all[i * 79193 * PAGE % HUGE_BYTES] = 1;
	for (long i = 0; i < 1000000; i++)
		sum += table[i * 37 & 4095]++;
	CHECK(sum != 0);
}

int main(void)
{
	double few;

	alarm(SECONDS);
	cost(FEW / 10);
	few = cost(FEW);
	CHECK(cost(MANY) < TIMES_AS_LONG * few);
	divide();
	move();
	touch_little();
	return check_end();
}
