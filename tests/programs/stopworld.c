/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What leak checkers do: a process that shares all memory stops this one's threads by ptrace and
 * reads their registers. In threads that wait in the kernel, these must be the program's values,
 * including the stack pointer. The same holds for the thread that created the process, which calls
 * sched_yield until it has ended.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "check.h"

#define MARK 0x5eedf00d00000000

enum { ROUNDS = 30 };

static struct {
	pid_t tid;
	pthread_t thread;
	uintptr_t low, high; /* of its stack */
	struct user_regs_struct regs;
	int status; /* of the last call that failed */
} waiting;

static struct {
	int is_done;
	struct user_regs_struct regs;
	int status;
} maker;

static char tracer_stack[65536] __attribute__((aligned(16)));
static int release[2];

/* read(fd, &byte, 1) with marks in all registers that calls leave alone. */
static long read_with_marks(long fd, char *byte)
{
	register long rdx __asm__("rdx") = 1;
	long result = 0;

	__asm__ volatile(
		"push %%rbx\n\tpush %%rbp\n\tpush %%r12\n\tpush %%r13\n\tpush %%r14\n\tpush "
		"%%r15\n\t"
		"mov %[mark], %%rbx\n\tlea 1(%%rbx), %%rbp\n\tlea 2(%%rbx), %%r12\n\tlea 3(%%rbx), "
		"%%r13\n\t"
		"lea 4(%%rbx), %%r14\n\tlea 5(%%rbx), %%r15\n\tsyscall\n\t"
		"pop %%r15\n\tpop %%r14\n\tpop %%r13\n\tpop %%r12\n\tpop %%rbp\n\tpop %%rbx"
		: "+a"(result)
		: "D"(fd), "S"(byte), "r"(rdx), [mark] "r"(MARK)
		: "rcx", "r11", "memory");
	return result;
}

static void *wait_in_kernel(void *arg)
{
	char byte;

	(void)arg;
	waiting.low = (uintptr_t)__builtin_frame_address(0) - 4096;
	waiting.high = waiting.low + 3 * 4096;
	__atomic_store_n(&waiting.tid, gettid(), __ATOMIC_SEQ_CST);
	CHECK_EQ(read_with_marks(release[0], &byte), 1);
	return NULL;
}

/* Nothing of libc here but system calls: its thread-local data are the parent's. */
static int stop(pid_t tid, struct user_regs_struct *regs)
{
	int status = 0, failed = 0;

	if (ptrace(PTRACE_ATTACH, tid, 0, 0) != 0)
		return 1;
	if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
		failed = 2;
	else if (ptrace(PTRACE_GETREGS, tid, 0, regs) != 0)
		failed = 3;
	ptrace(PTRACE_DETACH, tid, 0, 0);
	return failed;
}

static int stop_waiting(void *arg)
{
	(void)arg;
	waiting.status = stop(waiting.tid, &waiting.regs);
	return 0;
}

static int stop_maker(void *arg)
{
	(void)arg;
	maker.status = stop(getppid(), &maker.regs);
	__atomic_store_n(&maker.is_done, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static pid_t make_tracer(int (*trace)(void *))
{
	pid_t tracer = clone(trace, tracer_stack + sizeof tracer_stack,
			     CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED, NULL);

	NEED(tracer > 0);
	return tracer;
}

static void see_maker(void)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	int status;
	pid_t tracer;

	__atomic_store_n(&maker.is_done, 0, __ATOMIC_SEQ_CST);
	tracer = make_tracer(stop_maker);
	while (!__atomic_load_n(&maker.is_done, __ATOMIC_SEQ_CST))
		sched_yield();
	NEED(waitpid(tracer, &status, __WALL) == tracer);
	CHECK_EQ(maker.status, 0);
	CHECK(maker.regs.rsp <= here && here - maker.regs.rsp < 4096);
}

/* Until it sleeps in read. */
static void wait_for_sleep(void)
{
	char name[64], state[64];

	snprintf(name, sizeof name, "/proc/self/task/%d/syscall", waiting.tid);
	for (int i = 0; i < 2000; i++) {
		FILE *f = fopen(name, "re");

		NEED(f);
		NEED(fgets(state, sizeof state, f));
		fclose(f);
		if (strncmp(state, "0 ", 2) == 0)
			return;
		usleep(1000);
	}
	NEED(!"the thread sleeps");
}

int main(void)
{
	const struct user_regs_struct *r = &waiting.regs;
	int status;
	pid_t tracer;

	NEED(pipe(release) == 0);
	NEED(pthread_create(&waiting.thread, NULL, wait_in_kernel, NULL) == 0);
	while (!__atomic_load_n(&waiting.tid, __ATOMIC_SEQ_CST))
		sched_yield();
	wait_for_sleep();
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	tracer = make_tracer(stop_waiting);
	NEED(waitpid(tracer, &status, __WALL) == tracer);
	CHECK_EQ(waiting.status, 0);
	CHECK_EQ(r->rbx, MARK);
	CHECK_EQ(r->rbp, MARK + 1);
	CHECK_EQ(r->r12, MARK + 2);
	CHECK_EQ(r->r13, MARK + 3);
	CHECK_EQ(r->r14, MARK + 4);
	CHECK_EQ(r->r15, MARK + 5);
	CHECK(r->rsp > waiting.low && r->rsp < waiting.high);
	NEED(write(release[1], "x", 1) == 1);
	NEED(pthread_join(waiting.thread, NULL) == 0);
	for (int i = 0; i < ROUNDS; i++)
		see_maker();
	return check_end();
}
