/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls that may end translation: they set %gs, install seccomp filters, or ask to be
 * traced.
 */
#include <asm/prctl.h>
#include <errno.h>
#include <linux/prctl.h>
#include <linux/ptrace.h>
#include <linux/seccomp.h>
#include <sys/wait.h>

#include "channel/sys.h"
#include "engine/core/lock.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/core/xstate.h"
#include "engine/data/alloc.h"
#include "engine/drive/ticker.h"
#include "engine/run/native.h"
#include "engine/run/process.h"
#include "engine/run/rest.h"
#include "engine/run/syscalls/sandbox.h"
#include "engine/run/syscalls/syscalls.h"

/* Leave the engine; the process makes this call natively then. */
static bool go_native(struct thread *t, const char *note)
{
	if (!native_begin(t, note))
		return false;
	t->rip -= SYSCALLS_INSN_BYTES;
	return true;
}

#define REQUEST_XSTATE 0x1023 /* ARCH_REQ_XCOMP_PERM */

long syscalls_arch_prctl(struct thread *t, long nr, const long a[6])
{
	long r;

	if (a[0] == ARCH_SET_GS && a[1] &&
	    go_native(t, "the program uses %gs: profiling of it ended")) {
		say_note("process %lu: the program uses %%gs, which dwell needs itself: it runs "
			 "unprofiled from here",
			 (uint64_t)t->process->pid);
		return SYSCALLS_NO_RESULT;
	}
	if (a[0] == ARCH_SET_GS)
		return a[1] == 0 ? 0 : -EPERM; /* %gs is the engine's */
	if (a[0] == ARCH_GET_GS) {
		uint64_t zero = 0;

		return engine_copy((void *)a[1], &zero, 8) ? -EFAULT : 0;
	}
	r = syscalls_pass(t, nr, a);
	if (a[0] == REQUEST_XSTATE && r == 0)
		xstate_look();
	if (a[0] == ARCH_SET_FS && r == 0) {
		t->fs_base = (uint64_t)a[1];
		alloc_first_locals(t, (uint64_t)a[1]);
	}
	return r;
}

/*
 * The filter may forbid calls that the engine's reports need: profiling ends, the target continues.
 */
static void end_profiling(struct thread *t, const char *why)
{
	engine.quiet = true;
	lock_end_owners();
	engine.config.objects = 0;
	if (!t->process->profiling)
		return;
	records_message(t->process, why);
	process_ending(t, END_DETACHED, 0);
	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o; o = o->next_thread)
		ticker_end(o);
	lock_drop(&engine.world_lock);
}

enum sandbox { SANDBOX_NONE, SANDBOX_WIDE, SANDBOX_RESTLESS, SANDBOX_TIGHT };

/*
 * Classifies a filter. NONE: the kernel will refuse it, as programs do to test for seccomp. WIDE:
 * it allows all that the engine needs. RESTLESS: all but rests from signals. TIGHT: not enough.
 */
static enum sandbox look_at_filter(uint64_t at)
{
	struct sock_fprog p;
	struct sock_filter *copy;
	enum sandbox found = SANDBOX_NONE;
	uint64_t bytes;

	if (engine_copy(&p, (const void *)(uintptr_t)at, sizeof p) != 0 || p.len == 0 ||
	    p.len > BPF_MAXINSNS)
		return SANDBOX_NONE;
	bytes = round_up(p.len * sizeof *copy, PAGE);
	copy = pages_get(bytes);
	if (!copy)
		return SANDBOX_TIGHT;
	if (engine_copy(copy, p.filter, p.len * sizeof *copy) == 0)
		found = !sandbox_lets_by(copy, p.len)	     ? SANDBOX_TIGHT
			: sandbox_lets_rests_by(copy, p.len) ? SANDBOX_WIDE
							     : SANDBOX_RESTLESS;
	pages_put(copy, bytes);
	return found;
}

/*
 * If the filter forbids what the engine needs, the process continues without it. Else it stays,
 * because the next program may be worth profiling.
 */
static long under_seccomp(struct thread *t, long nr, const long a[6], bool strict, uint64_t filter)
{
	static const char note[] = "the program installed a seccomp filter: profiling of it ended";
	enum sandbox s = strict ? SANDBOX_TIGHT : look_at_filter(filter);

	if (s == SANDBOX_NONE)
		return syscalls_pass(t, nr, a);
	/* without rests a program with such signals would make no progress */
	if (s == SANDBOX_RESTLESS && rest_has_timers(t))
		s = SANDBOX_TIGHT;
	if (s == SANDBOX_TIGHT && go_native(t, note))
		return SYSCALLS_NO_RESULT;
	if (s != SANDBOX_WIDE)
		rest_end_all(t);
	util_no_tsc |= strict;
	end_profiling(t, note);
	return syscalls_pass(t, nr, a);
}

#define SET_USER_DISPATCH 59 /* PR_SET_SYSCALL_USER_DISPATCH, which not all headers have */

long syscalls_prctl(struct thread *t, long nr, const long a[6])
{
	if (a[0] == PR_SET_TSC && a[1] == PR_TSC_SIGSEGV)
		util_no_tsc = 1;
	/* its handler would also get the engine's calls */
	if (a[0] == SET_USER_DISPATCH && a[1] != 0 &&
	    go_native(t, "the program dispatches system calls itself: profiling of it ended")) {
		say_note("process %lu: the program dispatches system calls itself: it runs "
			 "unprofiled "
			 "from here",
			 (uint64_t)t->process->pid);
		return SYSCALLS_NO_RESULT;
	}
	if (a[0] == PR_SET_SECCOMP)
		return under_seccomp(t, nr, a, a[1] == SECCOMP_MODE_STRICT, (uint64_t)a[2]);
	return syscalls_pass(t, nr, a);
}

long syscalls_seccomp(struct thread *t, long nr, const long a[6])
{
	if (a[0] == SECCOMP_SET_MODE_STRICT || a[0] == SECCOMP_SET_MODE_FILTER)
		return under_seccomp(t, nr, a, a[0] == SECCOMP_SET_MODE_STRICT, (uint64_t)a[2]);
	return syscalls_pass(t, nr, a);
}

/*
 * Does the call attach to a process that will not execute first? Tracers seize their own child
 * before it executes.
 */
static bool attaches(const long a[6])
{
	const long how = WNOHANG | WNOWAIT | WEXITED;

	return a[0] == PTRACE_ATTACH ||
	       (a[0] == PTRACE_SEIZE && sys5(SYS_waitid, P_PID, a[1], 0, how, 0) == -ECHILD);
}

/*
 * Traced programs run without the engine: a child that requests it from here on, a vfork child from
 * its exec on. Others that a tracer attaches to leave at their next exec (traced.h).
 */
long syscalls_ptrace(struct thread *t, long nr, const long a[6])
{
	const uint64_t pid = t->process->pid;

	if (a[0] == PTRACE_TRACEME && go_native(t, "its parent traces it: profiling of it ended")) {
		say_note("process %lu: its parent traces it: it runs unprofiled from here", pid);
		return SYSCALLS_NO_RESULT;
	}
	if (a[0] == PTRACE_TRACEME)
		t->process->is_traced = true;
	if (attaches(a) && records_has_process(t->process, (uint32_t)a[1]))
		say_note("process %lu: it traces process %lu, which runs under dwell: what it sees "
			 "is "
			 "the engine's "
			 "code and registers",
			 pid, (uint64_t)a[1]);
	return syscalls_pass(t, nr, a);
}
