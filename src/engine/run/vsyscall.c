/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of legacy system calls; see vsyscall.h. */
#include "engine/run/vsyscall.h"

#include <errno.h>
#include <signal.h>

#include "channel/sys.h"
#include "engine/run/signals.h"
#include "engine/run/syscalls/syscalls.h"

#define VSYSCALL_PAGE 0xffffffffff600000ull
#define CALL_BYTES    1024u

static const long numbers[] = {SYS_gettimeofday, SYS_time, SYS_getcpu};

#define CALLS (sizeof numbers / sizeof *numbers)

/* Calls time(NULL) through the page: faults if the kernel has none. */
static int call_time(void *arg)
{
	uint64_t at = VSYSCALL_PAGE + CALL_BYTES;

	(void)arg;
	__asm__ volatile("call *%0" : "+a"(at) : "D"(0) : "rcx", "r11", "memory");
	return 0;
}

static bool is_there(void)
{
	static int8_t known; /* 1: yes, -1: no */
	int8_t is = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (!is) {
		is = engine_guarded(call_time, 0) == 0 ? 1 : -1;
		__atomic_store_n(&known, is, __ATOMIC_RELAXED);
	}
	return is > 0;
}

bool vsyscall_run(struct thread *t)
{
	const uint64_t at = t->rip - VSYSCALL_PAGE;
	const long args[6] = {(long)t->regs[RDI], (long)t->regs[RSI]};
	uint64_t back;
	long r = -EFAULT;

	if (at >= PAGE || !is_there())
		return false;
	if (at % CALL_BYTES == 0 && at / CALL_BYTES < CALLS &&
	    engine_copy(&back, (const void *)(uintptr_t)t->regs[RSP], sizeof back) == 0)
		r = syscalls_pass(t, numbers[at / CALL_BYTES], args);
	if (r == RESTART_CALL) /* once the signal is delivered */
		return true;
	if (r == -EFAULT) {
		signals_raise_fault(t, SIGSEGV, SI_KERNEL, 0);
		return true;
	}
	t->regs[RAX] = (uint64_t)r;
	t->regs[RSP] += sizeof back;
	t->rip = back;
	return true;
}
