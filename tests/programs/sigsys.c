/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGSYS for a system call: what a filter traps ("trap"), and what Syscall User Dispatch does
 * ("dispatch"). The handler sees the call, and where it was made, and answers it.
 */
#define _GNU_SOURCE
#include "check.h"
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define SET_DISPATCH 59
#define BY_FILTER    1
#define BY_DISPATCH  2

extern char behind_call[];
static volatile int count, code;
static volatile char selector; /* 0: calls pass */

static void on_call(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	selector = 0;
	count = count + 1;
	CHECK(sig == SIGSYS && info->si_code == code && info->si_syscall == SYS_getpriority);
	CHECK_EQ(info->si_arch, AUDIT_ARCH_X86_64);
	CHECK_EQ((uint64_t)info->si_call_addr, (uint64_t)behind_call);
	CHECK_EQ(uc->uc_mcontext.gregs[REG_RIP], (uint64_t)behind_call);
	CHECK_EQ(uc->uc_mcontext.gregs[REG_RAX], SYS_getpriority);
	CHECK_EQ(uc->uc_mcontext.gregs[REG_RDI], 77);
	uc->uc_mcontext.gregs[REG_RAX] = 4711;
}

__attribute__((noinline, noclone)) static long call(void)
{
	long r = SYS_getpriority;

	asm volatile("syscall\n\t.globl behind_call\nbehind_call:"
		     : "+a"(r)
		     : "D"(77L), "S"(0L)
		     : "rcx", "r11", "memory");
	return r;
}

static void trap(void)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpriority, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = {.len = 4, .filter = f};

	code = BY_FILTER;
	NEED(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	NEED(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) == 0);
	for (int i = 0; i < 100; i++)
		CHECK_EQ(call(), 4711);
	CHECK_EQ(count, 100);
	STEP("trapped");
}

static void dispatch(void)
{
	code = BY_DISPATCH;
	if (prctl(SET_DISPATCH, 1, 0, 0, &selector) != 0) {
		STEP("dispatched"); /* not every kernel can */
		return;
	}
	for (int i = 0; i < 100; i++) {
		selector = 1;
		CHECK_EQ(call(), 4711);
	}
	CHECK_EQ(count, 100);
	NEED(prctl(SET_DISPATCH, 0, 0, 0, 0) == 0);
	STEP("dispatched");
}

int main(int argc, char **argv)
{
	struct sigaction sa = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};

	NEED(sigaction(SIGSYS, &sa, NULL) == 0);
	if (argc > 1 && strcmp(argv[1], "dispatch") == 0)
		dispatch();
	else
		trap();
	return check_end();
}
