/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leaves a piece of code with many branches at each of its places in turn: by a fault, by a signal
 * to itself, by a call, or at its end. The choice depends on fixed numbers, so the executed code is
 * always the same. This program checks where it continues; tests/cli/count_ways.py compares the
 * counts.
 */
#include "check.h"
#include <setjmp.h>
#include <signal.h>

#define ROUNDS 3000

static sigjmp_buf back;
static volatile int faults, signals, calls;
static volatile int *volatile nowhere;

static void on_fault(int signal)
{
	(void)signal;
	faults++;
	siglongjmp(back, 1);
}

static void on_signal(int signal)
{
	(void)signal;
	signals++;
}

__attribute__((noinline)) static uint32_t call(uint32_t x)
{
	calls++;
	return x >> 3;
}

/* Each bit of x is a branch. */
__attribute__((noinline)) static uint32_t walk(uint32_t x, uint32_t stop)
{
	uint32_t sum = 1;

	for (uint32_t i = 0; i < 8; i++) {
		if (x & 1)
			sum += i;
		if (i == stop && x & 2)
			sum += (uint32_t)*nowhere;
		if (x & 4 && sum & 1)
			sum ^= call(x);
		else if (i == stop)
			kill(getpid(), SIGUSR1);
		if (x & 8)
			sum = sum * 3 + 1;
		x >>= 1;
	}
	return sum;
}

int main(void)
{
	volatile uint32_t x = 1, expected_faults = 0, sum = 0;

	signal(SIGSEGV, on_fault);
	signal(SIGUSR1, on_signal);
	for (volatile uint32_t round = 0; round < ROUNDS; round++) {
		const uint32_t stop = round % 9;

		x = x * 1103515245 + 12345;
		expected_faults += stop < 8 && (x >> 8 >> stop & 2);
		if (sigsetjmp(back, 1) == 0)
			sum += walk(x >> 8, stop);
	}
	CHECK_EQ(faults, expected_faults);
	CHECK(signals > 100);
	CHECK(calls > 1000);
	printf("%u %d %d\n", sum, signals, calls);
	return check_end();
}
