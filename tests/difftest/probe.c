/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See probe.h. */
#include "difftest/probe.h"

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

extern char probe_behind[];

static volatile sig_atomic_t signals;

/* Go on behind the instruction; from the second time on with a stack pointer that is an address. */
static void on_signal(int number, siginfo_t *info, void *context)
{
	greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	(void)info;
	if (signals++ > 0)
		g[REG_RSP] = 0;
	g[REG_RIP] = (greg_t)(uintptr_t)probe_behind;
}

int probe_any_stack(void)
{
	static const int which[] = {SIGILL, SIGSEGV, SIGBUS};
	static uint8_t memory[1 << 16];
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};

	if (sigaltstack(&stack, 0))
		return 0;
	for (unsigned int i = 0; i < sizeof(which) / sizeof(which[0]); i++)
		if (sigaction(which[i], &action, 0))
			return 0;
	__asm__ volatile("mov %%rsp, %%rbx\n\t"
			 "movabs $0x4000000020000ff0, %%rsp\n\t"
			 "ud2\n"
			 "probe_behind:\n\t"
			 "mov %%rbx, %%rsp"
			 :
			 :
			 : "rbx", "memory");
	return signals == 1;
}
