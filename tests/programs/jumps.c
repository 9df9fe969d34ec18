/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setjmp and longjmp over many frames; coroutines with makecontext and swapcontext, and by hand. */
#define _GNU_SOURCE
#include "check.h"
#include <setjmp.h>
#include <ucontext.h>

static jmp_buf target;

__attribute__((noinline)) static int dive(int n)
{
	volatile int local = n;

	if (n == 0)
		longjmp(target, 33);
	return dive(n - 1) + local;
}

#define COROUTINES 8
static ucontext_t main_context, contexts[COROUTINES];
static long sums[COROUTINES];
static int order[COROUTINES * 1000], steps;

static void coroutine(int me)
{
	for (int i = 0; i < 1000; i++) {
		sums[me] += me * 1000 + i;
		order[steps++] = me;
		/* to the next one, round in a circle; the last one returns to main */
		swapcontext(&contexts[me], &contexts[(me + 1) % COROUTINES]);
	}
	sums[me] = -sums[me];
}

static void check_contexts(void)
{
	for (int i = 0; i < COROUTINES; i++) {
		NEED(getcontext(&contexts[i]) == 0);
		contexts[i].uc_stack.ss_size = 65536;
		contexts[i].uc_stack.ss_sp = malloc(65536);
		contexts[i].uc_link = i + 1 < COROUTINES ? &contexts[i + 1] : &main_context;
		makecontext(&contexts[i], (void (*)(void))coroutine, 1, i);
	}
	NEED(swapcontext(&main_context, &contexts[0]) == 0);
	CHECK_EQ(steps, COROUTINES * 1000);
	for (int i = 0; i < COROUTINES; i++)
		CHECK_EQ(sums[i], -(i * 1000000l + 499500));
	for (int i = 0; i < steps; i++)
		CHECK(order[i] == i % COROUTINES);
	STEP("contexts");
}

/* A switch of stacks as hand-written coroutines do it: no kernel, no libc. */
void hand_switch(void **save, void *to);
asm(".text\nhand_switch: push %rbp\n\tpush %rbx\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush "
    "%r15\n"
    "\tmov %rsp, (%rdi)\n\tmov %rsi, %rsp\n\tpop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop "
    "%rbx\n\tpop %rbp\n\tret\n");

static void *main_stack, *other_stack;
static long hand_sum;

static void hand_body(void)
{
	for (long i = 0;; i++) {
		hand_sum += i;
		hand_switch(&other_stack, main_stack);
	}
}

static void check_by_hand(void)
{
	uint64_t *top = (uint64_t *)((char *)malloc(65536) + 65536 - 16) - 7;

	memset(top, 0, 6 * 8);
	top[6] = (uint64_t)hand_body;
	other_stack = top;
	for (int i = 0; i < 100000; i++)
		hand_switch(&main_stack, other_stack);
	CHECK_EQ(hand_sum, 100000l * 99999 / 2);
	STEP("by hand");
}

int main(void)
{
	volatile int times = 0;

	for (volatile int i = 0; i < 3000; i = i + 1) {
		int r = setjmp(target);

		if (r == 0)
			dive(i % 200);
		CHECK(r == 33);
		times = times + 1;
	}
	CHECK_EQ(times, 3000);
	STEP("longjmp");
	check_contexts();
	check_by_hand();
	return check_end();
}
