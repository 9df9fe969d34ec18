/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signal frames that cannot be written, or not be read when the handler returns: the thread gets
 * SIGSEGV, which it may handle on another stack.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "check.h"

static uint8_t other_stack[131072] __attribute__((aligned(4096)));
static sigjmp_buf back;
static siginfo_t got;

static void on_bad_frame(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	got = *info;
	siglongjmp(back, 1);
}

static void bad_mxcsr(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)signal;
	(void)info;
	uc->uc_mcontext.fpregs->mxcsr = 0x80000000;
	sigaddset(&uc->uc_sigmask, SIGHUP);
}

static void do_nothing(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
}

/* The signal comes while rsp leads nowhere. */
static void send_without_stack(void)
{
	long nr = SYS_tgkill;

	__asm__ volatile("mov %%rsp, %%rbx\n"
			 "mov $0x1000, %%esp\n"
			 "syscall\n"
			 "mov %%rbx, %%rsp\n"
			 : "+a"(nr)
			 : "D"(getpid()), "S"(gettid()), "d"(SIGUSR1)
			 : "rbx", "rcx", "r11", "memory");
}

static void send_plainly(void)
{
	syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1);
}

static uint64_t mask_now(void)
{
	uint64_t mask = 0;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, &mask, 8);
	return mask;
}

static void try(const char *name, void (*act)(int, siginfo_t *, void *), int flags,
		size_t stack_bytes, void (*sending)(void))
{
	struct sigaction a = {.sa_sigaction = act, .sa_flags = SA_SIGINFO | flags};
	struct sigaction bad = {.sa_sigaction = on_bad_frame, .sa_flags = SA_SIGINFO};
	stack_t ss = {.ss_sp = other_stack, .ss_size = stack_bytes};
	volatile int handled = 0;

	if (!(flags & SA_ONSTACK))
		bad.sa_flags |= SA_ONSTACK;
	sigaction(SIGUSR1, &a, 0);
	sigaction(SIGSEGV, &bad, 0);
	CHECK(sigaltstack(&ss, 0) == 0);
	memset(&got, 0, sizeof got);
	if (sigsetjmp(back, 1) == 0)
		sending();
	else
		handled = 1;
	printf("%s: handled %d signal %d code %d address %lx mask %llx\n", name, handled,
	       got.si_signo, got.si_code, (unsigned long)(uintptr_t)got.si_addr,
	       (unsigned long long)mask_now());
}

int main(void)
{
	try("no stack", do_nothing, 0, sizeof other_stack, send_without_stack);
	try("small stack", do_nothing, SA_ONSTACK, 2048, send_plainly);
	try("bad mxcsr", bad_mxcsr, 0, sizeof other_stack, send_plainly);
	try("bad mxcsr on a stack", bad_mxcsr, SA_ONSTACK, sizeof other_stack, send_plainly);
	try("good", do_nothing, 0, sizeof other_stack, send_plainly);
	return check_end();
}
