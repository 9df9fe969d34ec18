/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two thousand threads that live at the same time, with small stacks. Then each in turn runs new
 * code, the last ones also that of the first. (The engine stores the tables of the first threads in
 * another way than those of later ones.) While all sleep, each has its stack and hardly anything
 * else. Of mappings, which the kernel limits, an engine may have two for each of the first thousand
 * threads, and a few more.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "check.h"

#define THREADS	    2000
#define STACK_BYTES (32 << 10)
#define KINDS	    64

#define MOST_MAPPINGS (2 * THREADS + 2 * 1024 + 2000)

static pthread_barrier_t all_there, all_done, all_seen;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static volatile long cell[KINDS];

/* So many accesses in a row: each kind is a tally of its own. */
#define ADD1(i)	 cell[(i) % KINDS] += 1;
#define ADD2(i)	 ADD1(i) ADD1((i) + 1)
#define ADD4(i)	 ADD2(i) ADD2((i) + 2)
#define ADD8(i)	 ADD4(i) ADD4((i) + 4)
#define ADD16(i) ADD8(i) ADD8((i) + 8)

static __attribute__((noinline)) void add(unsigned kind)
{
	if (kind & 1)
		ADD1(0)
	if (kind & 2) {
		ADD2(1)
	}
	if (kind & 4) {
		ADD4(3)
	}
	if (kind & 8) {
		ADD8(7)
	}
	if (kind & 16) {
		ADD16(15)
	}
}

static void *run(void *number)
{
	unsigned n = (unsigned)(uintptr_t)number;

	pthread_barrier_wait(&all_there);
	pthread_mutex_lock(&turn);
	for (unsigned kind = 0; kind <= n % 32; kind++)
		add(kind);
	pthread_mutex_unlock(&turn);
	pthread_barrier_wait(&all_done);
	pthread_barrier_wait(&all_seen);
	return NULL;
}

static int mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	int lines = 0, c;

	NEED(f);
	while ((c = getc(f)) != EOF)
		lines += c == '\n';
	fclose(f);
	return lines;
}

int main(void)
{
	static pthread_t thread[THREADS];
	long sum = 0, wanted = 0;
	pthread_attr_t small;

	NEED(pthread_attr_init(&small) == 0 && pthread_attr_setstacksize(&small, STACK_BYTES) == 0);
	NEED(pthread_barrier_init(&all_there, NULL, THREADS + 1) == 0);
	NEED(pthread_barrier_init(&all_done, NULL, THREADS + 1) == 0);
	NEED(pthread_barrier_init(&all_seen, NULL, THREADS + 1) == 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		NEED(pthread_create(&thread[i], &small, run, (void *)i) == 0);
	pthread_barrier_wait(&all_there);
	pthread_barrier_wait(&all_done);
	/* On a busy machine it takes a while until all of them sleep. */
	for (int i = 0; i < 50 && mappings() >= MOST_MAPPINGS; i++)
		usleep(100000);
	CHECK(mappings() < MOST_MAPPINGS);
	pthread_barrier_wait(&all_seen);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(thread[i], NULL) == 0);
	for (long i = 0; i < THREADS; i++)
		for (long kind = 0; kind <= i % 32; kind++)
			wanted += kind;
	for (int i = 0; i < KINDS; i++)
		sum += cell[i];
	CHECK_EQ(sum, wanted);
	return check_end();
}
