/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thread-local variables at negative offsets from %fs: with and without an index, in the first
 * thread, in others, in a forked child, and in one that clone gave its own variables. There are
 * enough accesses for all run modes, and for windows, to see them.
 */
#define _GNU_SOURCE
#include "check.h"
#include <asm/prctl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define ENTRIES 512u

static __thread volatile uint64_t table[ENTRIES];
static __thread volatile uint32_t steps;

static uint64_t work(uint64_t seed, uint32_t rounds)
{
	uint64_t sum = 0;

	steps = 0;
	for (uint32_t i = 0; i < ENTRIES; i++)
		table[i] = seed + i;
	for (uint32_t r = 0; r < rounds; r++) {
		table[r * 7 % ENTRIES] += r;
		steps++;
	}
	for (uint32_t i = 0; i < ENTRIES; i++)
		sum += table[i];
	return sum;
}

static uint64_t expected(uint64_t seed, uint32_t rounds)
{
	return ENTRIES * seed + (uint64_t)ENTRIES * (ENTRIES - 1) / 2 +
	       (uint64_t)rounds * (rounds - 1) / 2;
}

static void check_work(uint64_t seed, uint32_t rounds)
{
	CHECK_EQ(work(seed, rounds), expected(seed, rounds));
	CHECK_EQ(steps, rounds);
}

static void *in_thread(void *seed)
{
	for (uint32_t k = 0; k < 4; k++)
		check_work((uint64_t)seed + k, 1000000);
	return NULL;
}

/*
 * A process of its own whose %fs is elsewhere from the start: at the end of a block that is
 * cleared.
 */
static void check_settls(void)
{
	static uint8_t block[2 * 4096] __attribute__((aligned(64)));
	uint64_t *own = (uint64_t *)(block + sizeof block - 64);
	uint64_t mine;
	int status;
	long child;

	own[0] = own[2] = (uint64_t)own;
	asm volatile("mov %%fs:40, %0" : "=r"(mine));
	own[5] = mine; /* the canary of functions that have begun already */
	child = syscall(SYS_clone, CLONE_SETTLS | SIGCHLD, 0, 0, 0, own);
	if (child == 0) {
		uint64_t last, sum = 0;

		for (uint64_t i = 0; i < 1000000; i++)
			asm volatile("add %1, %%fs:-8\n\tmov %%fs:-8, %0"
				     : "=r"(last)
				     : "r"(i)
				     : "memory", "cc");
		sum = own[-1];
		syscall(SYS_exit_group, sum == 499999500000ull && last == sum ? 0 : 1);
	}
	NEED(child > 0);
	CHECK(waitpid((pid_t)child, &status, 0) == child && status == 0);
}

int main(void)
{
	pthread_t thread[2];
	int status;
	pid_t child;

	check_work(1, 3000000);
	for (uint64_t i = 0; i < 2; i++)
		NEED(pthread_create(&thread[i], NULL, in_thread, (void *)(100 * i)) == 0);
	check_work(7, 1000000);
	for (int i = 0; i < 2; i++)
		NEED(pthread_join(thread[i], NULL) == 0);
	child = fork();
	if (child == 0) {
		check_work(11, 3000000);
		_exit(check_failures != 0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	check_settls();
	return check_end();
}
