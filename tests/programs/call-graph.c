/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Known numbers of calls, with all ways to enter and leave functions: recursion, tail calls,
 * longjmp, signal handlers, threads, switched stacks. tests/cli/call_graph.py knows the number of
 * each.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

#include "check.h"

#define APART __attribute__((noinline, noclone))

static volatile unsigned sink; /* added to behind a call, that is none in the place of a return */

APART static void leaf(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}

/* 67 calls in all for 8, all but the first one from itself. */
APART static unsigned fibonacci(unsigned n)
{
	unsigned sum = n;

	if (n >= 2)
		sum = fibonacci(n - 1) + fibonacci(n - 2);
	sink++;
	return sum;
}

APART static void tail_target(unsigned n)
{
	leaf(n);
	sink++;
}

/* With -foptimize-sibling-calls it jumps. */
APART static void tail_caller(unsigned n)
{
	sink++;
	tail_target(n);
}

static jmp_buf back;

APART static void throw_at(unsigned depth)
{
	if (depth == 0)
		longjmp(back, 1);
	throw_at(depth - 1);
	sink++;
}

APART static void jump_back(void)
{
	if (setjmp(back) == 0)
		throw_at(5);
	leaf(3);
	sink++;
}

APART static void on_signal(int number)
{
	(void)number;
	leaf(2);
	sink++;
}

APART static void *in_thread(void *argument)
{
	leaf((unsigned)(uintptr_t)argument);
	return NULL;
}

static ucontext_t first, second;

APART static void other_stack(void)
{
	for (int i = 0; i < 10; i++) {
		leaf(100);
		swapcontext(&second, &first);
	}
}

APART static void switch_stacks(void)
{
	static char stack[64 << 10];

	NEED(getcontext(&second) == 0);
	second.uc_stack.ss_sp = stack;
	second.uc_stack.ss_size = sizeof stack;
	second.uc_link = NULL;
	makecontext(&second, other_stack, 0);
	for (int i = 0; i < 10; i++)
		swapcontext(&first, &second);
}

APART static void one(void)
{
	leaf(10);
	sink++;
}

APART static void two(void)
{
	leaf(20);
	sink++;
}

int main(void)
{
	pthread_t thread;

	CHECK_EQ(fibonacci(8), 21);
	for (unsigned i = 0; i < 20; i++)
		tail_caller(4);
	for (unsigned i = 0; i < 30; i++)
		jump_back();
	signal(SIGUSR1, on_signal);
	for (unsigned i = 0; i < 7; i++)
		raise(SIGUSR1);
	NEED(pthread_create(&thread, NULL, in_thread, (void *)(uintptr_t)1000) == 0);
	pthread_join(thread, NULL);
	switch_stacks();
	for (unsigned i = 0; i < 5; i++) {
		one();
		two();
	}
	return check_end();
}
