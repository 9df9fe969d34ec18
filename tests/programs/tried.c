/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses that fault and are made again: neighbours on both sides of the end of a page, pushes,
 * calls. The handler evicts lines of small caches.
 */
#define _GNU_SOURCE
#include "check.h"
#include <signal.h>
#include <sys/mman.h>

#define PAGES 96

static volatile int faults;
static char stack[65536], junk[4096];

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	faults = faults + 1;
	for (int i = 0; i < 4096; i += 64 * (1 + faults % 3))
		junk[i]++;
	NEED(mprotect((void *)((uint64_t)info->si_addr & ~4095ull), 4096, PROT_READ | PROT_WRITE) ==
	     0);
}

/* Neighbours: translated code may look for their lines together. */
static void store_five(char *to, uint64_t value)
{
	asm volatile("movq %1, -16(%0)\n\tmovq %1, -8(%0)\n\tmovq %1, (%0)\n\tmovq %1, 8(%0)\n\t"
		     "movq %1, 16(%0)\n\taddq 8(%0), %1"
		     : "+D"(to), "+S"(value)::"memory");
}

static void push_and_call(char *top)
{
	asm volatile("mov %%rsp, %%rbx\n\tmov %0, %%rsp\n\tpush %%rax\n\tpushq (%%rsp)\n\tcall "
		     "1f\n1:\tpop %%rcx\n\t"
		     "mov %%rbx, %%rsp" ::"D"(top)
		     : "memory", "rbx", "rcx");
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t ss = {.ss_sp = stack, .ss_size = sizeof stack};
	char *p = mmap(NULL, (PAGES + 1) * 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(p != MAP_FAILED && sigaltstack(&ss, NULL) == 0 && sigaction(SIGSEGV, &sa, NULL) == 0);
	for (int i = 1; i < PAGES; i++) {
		char *page = p + i * 4096;

		NEED(mprotect(page, 4096, i % 4 < 2 ? PROT_NONE : PROT_READ) == 0);
		store_five(page + (i % 2 ? 4096 : 0), (uint64_t)i);
		CHECK_EQ(faults, 2 * i - 1);
		CHECK_EQ(*(uint64_t *)(page + (i % 2 ? 4096 : 0) + 16), i);
		NEED(mprotect(page, 4096, PROT_READ) == 0);
		push_and_call(page + 2048 + i % 3 * 64 + 8 * (i & 4));
		CHECK_EQ(faults, 2 * i);
	}
	STEP("%d faults", faults);
	return check_end();
}
