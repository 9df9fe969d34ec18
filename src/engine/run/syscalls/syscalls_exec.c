/* SPDX-License-Identifier: GPL-2.0-or-later */
/* execve and execveat: the new program also runs under the engine, if it can. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>

#include "channel/launch.h"
#include "channel/sys.h"
#include "engine/core/proc.h"
#include "engine/core/program_limits.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/run/process.h"
#include "engine/run/signals.h"
#include "engine/run/syscalls/descriptors.h"
#include "engine/run/syscalls/limit_calls.h"
#include "engine/run/syscalls/syscalls.h"
#include "engine/run/traced.h"

#define VECTORS_BYTES (8ul << 20) /* the kernel's limit of arguments and variables */

struct attempt {
	struct launch launch;
	struct launch_request request;
};

static int prepare(void *arg)
{
	struct attempt *a = arg;

	return launch_prepare(&a->launch, &a->request);
}

/* A program without the engine must not inherit its descriptors. */
static void set_close_on_exec(const struct process *p, bool on)
{
	sys3(SYS_fcntl, p->channel_fd, F_SETFD, on ? FD_CLOEXEC : 0);
	sys3(SYS_fcntl, p->engine_fd, F_SETFD, on ? FD_CLOEXEC : 0);
}

static void say_why_native(const struct thread *t, const struct attempt *a)
{
	const struct launch_request *rq = &a->request;
	char path[1024];

	if (!a->launch.reason || t->process->channel_fd < 0)
		return;
	if (!rq->path[0]) /* fexecve names it by a descriptor alone */
		proc_name_of_fd(rq->dir_fd, path, sizeof path);
	say_note("process %lu: %s %s: it runs unprofiled", (uint64_t)t->process->pid,
		 rq->path[0] ? rq->path : path, a->launch.reason);
}

static long run_native(struct thread *t, const struct attempt *a)
{
	const struct launch_request *rq = &a->request;
	long r;

	say_why_native(t, a);
	records_native(1);
	set_close_on_exec(t->process, true);
	process_ending(t, END_EXEC, 0);
	signals_before_exec(t);
	program_limits_give(t->process, !a->launch.may_be_text);
	/* the same call as the program's, for a tracer */
	if (rq->dir_fd == AT_FDCWD && !rq->flags)
		r = sys3(SYS_execve, rq->path, rq->argv, rq->envp);
	else
		r = sys5(SYS_execveat, rq->dir_fd, rq->path, rq->argv, rq->envp, rq->flags);
	limit_calls_settle(t);
	signals_after_failed_exec(t);
	set_close_on_exec(t->process, false);
	records_native(-1); /* the exec failed */
	return r;
}

static long run_engine(struct thread *t, struct attempt *a)
{
	struct process *p = t->process;
	long r;

	/* a vfork child leaves these vectors in memory that it shares with its parent */
	p->launch_memory = a->launch.memory;
	p->launch_bytes = a->launch.memory_bytes;
	process_before_exec(t);
	signals_before_exec(t);
	program_limits_lift(p);
	r = sys5(SYS_execveat, p->engine_fd, "", a->launch.argv, a->launch.envp, AT_EMPTY_PATH);
	signals_after_failed_exec(t);
	process_after_failed_exec(t);
	limit_calls_settle(t);
	p->launch_memory = 0;
	launch_release(&a->launch);
	if (r == -E2BIG) { /* without three variables it may fit; if not, no message is needed */
		a->launch.reason = 0;
		return run_native(t, a);
	}
	if (r == -ENOENT) {
		/* the program exists: this root directory lacks the engine's loader */
		a->launch.reason = "cannot be profiled inside this root directory";
		return run_native(t, a);
	}
	return r;
}

static long execute(struct thread *t, int dir_fd, long path, long argv, long envp, long flags)
{
	struct attempt a = {
		.request = {.path = (const char *)path,
			    .dir_fd = dir_fd,
			    .flags = (int)flags,
			    .argv = (char *const *)argv,
			    .envp = (char *const *)envp,
			    .channel_fd = t->process->channel_fd,
			    .engine_fd = t->process->engine_fd,
			    .parent = t->process->order,
			    .cause = process_is_of(t) ? 2 : 1,
			    .limits = t->process->limits},
	};
	struct rlimit was;
	int verdict;

	if (syscalls_names_own_exe(t, (uint64_t)path))
		a.request.path = t->process->exe;
	verdict = engine_guarded(prepare, &a);
	engine_has_mapped(); /* the vectors */
	if (verdict == -ENOMEM && program_limits_make_room(VECTORS_BYTES))
		verdict = engine_guarded(prepare, &a);
	/* the exec itself needs no descriptor */
	if (verdict == -EMFILE && descriptors_raise(&was)) {
		verdict = engine_guarded(prepare, &a);
		descriptors_restore(&was);
	}

	if (verdict < 0)
		return verdict;
	if (verdict == LAUNCH_ENGINE && traced_by_run(t)) {
		launch_release(&a.launch);
		a.launch.reason = "is traced by another program";
		return run_native(t, &a);
	}
	if (verdict == LAUNCH_NATIVE || t->process->engine_fd < 0)
		return run_native(t, &a);
	return run_engine(t, &a);
}

long syscalls_execve(struct thread *t, long nr, const long a[6])
{
	(void)nr;
	return execute(t, AT_FDCWD, a[0], a[1], a[2], 0);
}

long syscalls_execveat(struct thread *t, long nr, const long a[6])
{
	(void)nr;
	return execute(t, (int)a[0], a[1], a[2], a[3], a[4]);
}
