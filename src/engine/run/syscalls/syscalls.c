/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of system calls that the engine handles. A handler returns the result that the target
 * sees. Calls that are not in the table pass through.
 */
#define _GNU_SOURCE
#include "engine/run/syscalls/syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/membarrier.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "channel/sys.h"
#include "engine/codecache/pages.h"
#include "engine/core/lock.h"
#include "engine/core/proc.h"
#include "engine/core/program_limits.h"
#include "engine/core/publish.h"
#include "engine/core/records.h"
#include "engine/core/stuck.h"
#include "engine/core/util.h"
#include "engine/data/alloc.h"
#include "engine/drive/buffers.h"
#include "engine/drive/collect.h"
#include "engine/drive/ticker.h"
#include "engine/run/held.h"
#include "engine/run/native.h"
#include "engine/run/own_tracer.h"
#include "engine/run/process.h"
#include "engine/run/rest.h"
#include "engine/run/signal_frame.h"
#include "engine/run/signals.h"
#include "engine/run/syscalls/behind.h"
#include "engine/run/syscalls/descriptors.h"
#include "engine/run/syscalls/limit_calls.h"
#include "engine/run/syscalls/maps_view.h"
#include "engine/run/syscalls/removal.h"
#include "engine/run/syscalls/text_busy.h"
#include "engine/run/threads.h"
#include "engine/run/visits.h"
#include "engine/simulate/mode/scheduler.h"

typedef long handler(struct thread *t, long nr, const long args[6]);

static bool release_all_pages(void)
{
	bool any;

	lock_take(&engine.translate_lock);
	any = pages_release_range(0, 1ull << 47);
	lock_drop(&engine.translate_lock);
	return any;
}

long syscalls_pass(struct thread *t, long nr, const long args[6])
{
	enum ticker_hold hold = TICKS_FREE;
	uint64_t blocked = 0;
	bool rests = false;
	long r;

	if (ticker_could_interrupt(nr, args)) {
		rests = t->resting;
		if (!rests)
			hold = ticker_hold(t);
		blocked = held_block(t, nr);
	}
	r = engine_syscall(t, nr, args);
	/* the call may have reached a write-protected code page: repeat it without protection */
	if (r == -EFAULT && release_all_pages())
		r = engine_syscall(t, nr, args);
	if (!native_is_on(t)) { /* else there are no ticks, and a filter may forbid these calls */
		r = held_unblock(t, nr, blocked, r);
		ticker_let_go(t, hold);
		if (rests)
			r = rest_end_by_call(t, nr, r);
	}
	return r;
}

/* ---- Signals ---- */

static long do_sigaction(struct thread *t, long nr, const long a[6])
{
	(void)nr;
	return signals_action(t, (int)a[0], (uint64_t)a[1], (uint64_t)a[2], (uint64_t)a[3]);
}

static long do_sigprocmask(struct thread *t, long nr, const long a[6])
{
	(void)nr;
	return signals_mask(t, (int)a[0], (uint64_t)a[1], (uint64_t)a[2], (uint64_t)a[3]);
}

static long do_sigaltstack(struct thread *t, long nr, const long a[6])
{
	(void)nr;
	return signal_frame_altstack(t, (uint64_t)a[0], (uint64_t)a[1]);
}

static long do_sigreturn(struct thread *t, long nr, const long a[6])
{
	(void)nr;
	(void)a;
	signals_return(t);
	return SYSCALLS_NO_RESULT;
}

/* ---- Threads and processes ---- */

static long do_clone(struct thread *t, long nr, const long a[6])
{
	(void)nr;
	return threads_clone(t, a);
}

static long do_clone3(struct thread *t, long nr, const long a[6])
{
	(void)nr;
	return threads_clone3(t, a);
}

static long do_fork(struct thread *t, long nr, const long a[6])
{
	(void)a;
	return threads_fork(t, nr == SYS_vfork);
}

static long do_exit(struct thread *t, long nr, const long a[6])
{
	(void)nr;
	threads_exit(t, a[0]);
}

static long do_exit_group(struct thread *t, long nr, const long a[6])
{
	(void)nr;
	threads_exit_group(t, a[0]);
}

static long do_rseq(struct thread *t, long nr, const long a[6])
{
	(void)t;
	(void)nr;
	(void)a;
	return -ENOSYS; /* its restart addresses are target code, not code in the cache */
}

/* Answers like a kernel without rseq, so that programs that ask here first do not try it. */
static long do_membarrier(struct thread *t, long nr, const long a[6])
{
	const long of_rseq = MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ |
			     MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ;
	long r;

	if (a[0] & of_rseq)
		return -EINVAL;
	r = syscalls_pass(t, nr, a);
	return a[0] == MEMBARRIER_CMD_QUERY && r > 0 ? r & ~of_rseq : r;
}

/* May the process lock any memory? */
static bool may_lock(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct caps[2] = {{0}};
	struct rlimit limit = {0};

	sys4(SYS_prlimit64, 0, RLIMIT_MEMLOCK, 0, &limit);
	sys2(SYS_capget, &header, caps);
	return limit.rlim_cur != 0 || caps[0].effective >> CAP_IPC_LOCK & 1;
}

/*
 * Locking all memory would include the engine's, much of which is reserved address space: the
 * kernel would fill the machine's memory with it. So nothing is locked, and the program gets the
 * usual answer.
 */
static long do_mlockall(struct thread *t, long nr, const long a[6])
{
	const long known = MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT;

	(void)t;
	(void)nr;
	if (!(a[0] & (MCL_CURRENT | MCL_FUTURE)) || (a[0] & ~known))
		return -EINVAL;
	return may_lock() ? 0 : -EPERM;
}

/* ---- /proc/self/exe is the target, not the engine ---- */

bool syscalls_names_own_exe(const struct thread *t, uint64_t path_at)
{
	char path[64] = {0};
	const char *p = path, *q;
	uint64_t number;

	/* Paths are short or end before an unmapped page: copy byte by byte. */
	for (uint32_t i = 0; i < sizeof path - 1; i++) {
		if (engine_copy(&path[i], (const void *)(uintptr_t)(path_at + i), 1) != 0)
			return false;
		if (!path[i])
			break;
		if (i == 5 && !text_behind(path, "/proc/"))
			return false;
	}
	p = text_behind(p, "/proc/");
	if (!p)
		return false;
	if ((q = text_behind(p, "self/")) || (q = text_behind(p, "thread-self/")))
		return (q = text_behind(q, "exe")) && *q == 0;
	q = text_decimal(p, &number);
	if (q == p || number != t->process->pid)
		return false;
	return (q = text_behind(q, "/exe")) && *q == 0;
}

static long answer_exe(struct thread *t, uint64_t buffer, uint64_t room)
{
	uint64_t n = 0;

	while (t->process->exe[n])
		n++;
	if ((int64_t)room <= 0)
		return -EINVAL;
	if (n > room)
		n = room;
	return engine_copy((void *)(uintptr_t)buffer, t->process->exe, n) ? -EFAULT : (long)n;
}

/* The link may have another name: a result that names the engine is replaced. */
static long readlink_result(struct thread *t, long r, uint64_t buffer, uint64_t room)
{
	char got[256];

	if (r <= 0 || r > (long)sizeof got || r != (long)engine.own_path_bytes ||
	    engine_copy(got, (const void *)(uintptr_t)buffer, (size_t)r) != 0 ||
	    memcmp(got, engine.own_path, (size_t)r) != 0)
		return r;
	return answer_exe(t, buffer, room);
}

static long do_readlink(struct thread *t, long nr, const long a[6])
{
	if (syscalls_names_own_exe(t, (uint64_t)a[0]))
		return answer_exe(t, (uint64_t)a[1], (uint64_t)a[2]);
	return readlink_result(t, syscalls_pass(t, nr, a), (uint64_t)a[1], (uint64_t)a[2]);
}

static long do_readlinkat(struct thread *t, long nr, const long a[6])
{
	if (syscalls_names_own_exe(t, (uint64_t)a[1]))
		return answer_exe(t, (uint64_t)a[2], (uint64_t)(int)a[3]);
	return readlink_result(t, syscalls_pass(t, nr, a), (uint64_t)a[2], (uint64_t)(int)a[3]);
}

/* Calls that follow a link, with the path as argument 0 or 1. */
static long with_path(struct thread *t, long nr, const long a[6], int which)
{
	long changed[6] = {a[0], a[1], a[2], a[3], a[4], a[5]};

	if (syscalls_names_own_exe(t, (uint64_t)a[which]))
		changed[which] = (long)(uintptr_t)t->process->exe;
	return syscalls_pass(t, nr, changed);
}

static long do_path0(struct thread *t, long nr, const long a[6])
{
	return with_path(t, nr, a, 0);
}

static long do_path1(struct thread *t, long nr, const long a[6])
{
	if (nr == SYS_newfstatat && (a[3] & AT_EMPTY_PATH) && descriptors_are_ours(t, a[0]))
		return -EBADF;
	if ((nr == SYS_newfstatat && (a[3] & AT_SYMLINK_NOFOLLOW)) ||
	    (nr == SYS_statx && (a[2] & AT_SYMLINK_NOFOLLOW)))
		return syscalls_pass(t, nr, a);
	return with_path(t, nr, a, 1);
}

/* Does the call refuse to follow links of the kind of /proc/self/exe? */
static bool refuses_links(long nr, const long a[6])
{
	struct open_how how = {.flags = (uint64_t)a[nr == SYS_open ? 1 : 2]};

	if (nr == SYS_openat2 && engine_copy(&how, (const void *)a[2], sizeof how) != 0)
		return true;
	return (how.flags & O_NOFOLLOW) || (how.resolve & ~(uint64_t)RESOLVE_CACHED);
}

/* Calls that open or truncate, and may write to the file of the path. */
static long do_writable(struct thread *t, long nr, const long a[6])
{
	const int which = nr == SYS_openat || nr == SYS_openat2;
	long changed[6] = {a[0], a[1], a[2], a[3], a[4], a[5]}, r;

	if ((nr == SYS_truncate || nr == SYS_creat || !refuses_links(nr, a)) &&
	    syscalls_names_own_exe(t, (uint64_t)a[which]))
		changed[which] = (long)(uintptr_t)t->process->exe;
	r = text_busy(nr, changed);
	return r ? r : syscalls_pass(t, nr, changed);
}

static long do_open(struct thread *t, long nr, const long a[6])
{
	long fd = do_writable(t, nr, a);

	maps_view_opened(t, fd);
	return fd;
}

static handler *const table[] = {
	[SYS_mmap] = syscalls_mmap,
	[SYS_munmap] = syscalls_munmap,
	[SYS_shmat] = syscalls_shmat,
	[SYS_shmdt] = syscalls_shmdt,
	[SYS_mprotect] = syscalls_mprotect,
	[SYS_pkey_mprotect] = syscalls_mprotect,
	[SYS_mremap] = syscalls_mremap,
	[SYS_brk] = syscalls_brk,
	[SYS_madvise] = syscalls_madvise,
	[SYS_msync] = syscalls_msync,
	[SYS_mincore] = syscalls_until_hole,
	[SYS_mlock] = syscalls_until_hole,
	[SYS_mlock2] = syscalls_until_hole,
	[SYS_munlock] = syscalls_until_hole,
	[SYS_rt_sigaction] = do_sigaction,
	[SYS_rt_sigprocmask] = do_sigprocmask,
	[SYS_sigaltstack] = do_sigaltstack,
	[SYS_rt_sigreturn] = do_sigreturn,
	[SYS_rt_sigsuspend] = syscalls_sigsuspend,
	[SYS_rt_sigpending] = syscalls_sigpending,
	[SYS_kill] = syscalls_kill,
	[SYS_rt_sigtimedwait] = syscalls_sigtimedwait,
	[SYS_ppoll] = syscalls_ppoll,
	[SYS_pselect6] = syscalls_pselect,
	[SYS_epoll_pwait] = syscalls_epoll_pwait,
	[SYS_epoll_pwait2] = syscalls_epoll_pwait,
	[SYS_io_pgetevents] = syscalls_pselect,
	[SYS_io_uring_enter] = syscalls_io_uring_enter,
	[SYS_clone] = do_clone,
	[SYS_clone3] = do_clone3,
	[SYS_fork] = do_fork,
	[SYS_vfork] = do_fork,
	[SYS_execve] = syscalls_execve,
	[SYS_execveat] = syscalls_execveat,
	[SYS_exit] = do_exit,
	[SYS_exit_group] = do_exit_group,
	[SYS_sched_yield] = own_tracer_yield,
	[SYS_rseq] = do_rseq,
	[SYS_membarrier] = do_membarrier,
	[SYS_mlockall] = do_mlockall,
	[SYS_arch_prctl] = syscalls_arch_prctl,
	[SYS_prctl] = syscalls_prctl,
	[SYS_ptrace] = syscalls_ptrace,
	[SYS_process_vm_writev] = visits_writev,
	[SYS_seccomp] = syscalls_seccomp,
	[SYS_readlink] = do_readlink,
	[SYS_readlinkat] = do_readlinkat,
	[SYS_open] = do_open,
	[SYS_creat] = do_writable,
	[SYS_truncate] = do_writable,
	[SYS_stat] = do_path0,
	[SYS_unlink] = removal_unlink,
	[SYS_unlinkat] = removal_unlink,
	[SYS_rename] = removal_rename,
	[SYS_renameat] = removal_rename,
	[SYS_renameat2] = removal_rename,
	[SYS_access] = do_path0,
	[SYS_openat] = do_open,
	[SYS_openat2] = do_open,
	[SYS_newfstatat] = do_path1,
	[SYS_statx] = do_path1,
	[SYS_faccessat] = do_path1,
	[SYS_faccessat2] = do_path1,
	[SYS_setrlimit] = limit_calls_handle,
	[SYS_getrlimit] = limit_calls_handle,
	[SYS_prlimit64] = limit_calls_handle,
	[SYS_close] = descriptors_call,
	[SYS_fstat] = descriptors_call,
	[SYS_fcntl] = descriptors_call,
	[SYS_dup] = descriptors_call,
	[SYS_close_range] = descriptors_close_range,
	[SYS_dup2] = descriptors_dup2,
	[SYS_dup3] = descriptors_dup2,
};

/* Calls whose handlers change what the simulation knows. */
static bool changes_simulation(long nr)
{
	static const uint16_t calls[] = {
		SYS_mmap,	SYS_munmap,	SYS_mprotect,	  SYS_pkey_mprotect, SYS_mremap,
		SYS_brk,	SYS_madvise,	SYS_rt_sigreturn, SYS_clone,	     SYS_clone3,
		SYS_fork,	SYS_vfork,	SYS_execve,	  SYS_execveat,	     SYS_exit,
		SYS_exit_group, SYS_arch_prctl, SYS_prctl,	  SYS_seccomp,	     SYS_ptrace,
	};

	for (uint32_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (nr == calls[i])
			return true;
	return false;
}

static long call(struct thread *t, long nr, const long args[6])
{
	if (t->stuck_at)
		stuck_await_call(t);
	if ((uint64_t)nr < sizeof table / sizeof *table && table[nr])
		return table[nr](t, nr, args);
	return syscalls_pass(t, nr, args);
}

void syscalls_handle(struct thread *t)
{
	const uint64_t *r = t->regs;
	const long args[6] = {(long)r[RDI], (long)r[RSI], (long)r[RDX],
			      (long)r[R10], (long)r[R8],  (long)r[R9]};
	long nr = (long)r[RAX], result;
	bool began;
	uint64_t after = t->rip;

	/* The instruction leaves the return address and the flags in rcx and r11. */
	t->regs[RCX] = after;
	t->regs[R11] = t->rflags;
	collect_settle(t);
	publish_report(t);
	buffers_park(t);
	threads_before_call(t, nr, args);
	scheduler_before_call(t, nr, args);
	behind_before_call(t, nr, args);
	began = scheduler_is_held_by(t) && !changes_simulation(nr) && scheduler_enter_call(t);
	result = call(t, nr, args);
	if ((result == -EMFILE && descriptors_make_way(t)) ||
	    (result == -ENOMEM && limit_calls_may_help(nr) && limit_calls_settle(t)))
		result = call(t, nr, args);
	if (began)
		scheduler_leave_call(t);
	scheduler_after_call(t, nr, args, result);
	behind_after_call(t, nr, args, result);
	if (result == SYSCALLS_NO_RESULT)
		return;
	if (result == RESTART_CALL) {
		t->rip = after - SYSCALLS_INSN_BYTES;
		return;
	}
	t->regs[RAX] = (uint64_t)result;
}
