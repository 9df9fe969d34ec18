/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that traces its children: breakpoints, single steps, registers, memory, system calls.
 * The child is a copy of it, or another program, and asks to be traced or is seized. The parent
 * must see the program, not the engine.
 */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

static volatile int total;

__attribute__((noinline)) static int traced_function(int a)
{
	total += a;
	return a * 2;
}

static long peek(pid_t pid, uint64_t at)
{
	errno = 0;
	return ptrace(PTRACE_PEEKTEXT, pid, at, NULL);
}

static int wait_for(pid_t pid)
{
	int status = 0;

	NEED(waitpid(pid, &status, __WALL) == pid);
	return status;
}

static void breakpoint(void)
{
	const uint64_t at = (uint64_t)(uintptr_t)traced_function;
	struct user_regs_struct r;
	pid_t pid = fork();

	if (pid == 0) {
		NEED(ptrace(PTRACE_TRACEME, 0, 0, 0) == 0);
		raise(SIGSTOP);
		for (int i = 0; i < 3; i++)
			traced_function(i + 40);
		_exit(total);
	}
	int status = wait_for(pid);

	CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	const long was = peek(pid, at);

	CHECK_EQ(was, *(long *)(uintptr_t)at);
	for (int i = 0; i < 3; i++) {
		NEED(ptrace(PTRACE_POKETEXT, pid, at, (was & ~0xffl) | 0xcc) == 0);
		NEED(ptrace(PTRACE_CONT, pid, 0, 0) == 0);
		status = wait_for(pid);
		CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
		NEED(ptrace(PTRACE_GETREGS, pid, 0, &r) == 0);
		CHECK_EQ(r.rip, at + 1);
		CHECK_EQ(r.rdi, i + 40);
		NEED(ptrace(PTRACE_POKETEXT, pid, at, was) == 0);
		r.rip = at;
		NEED(ptrace(PTRACE_SETREGS, pid, 0, &r) == 0);
		NEED(ptrace(PTRACE_SINGLESTEP, pid, 0, 0) == 0);
		status = wait_for(pid);
		CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
		NEED(ptrace(PTRACE_GETREGS, pid, 0, &r) == 0);
		CHECK(r.rip > at && r.rip < at + 16);
	}
	NEED(ptrace(PTRACE_CONT, pid, 0, 0) == 0);
	status = wait_for(pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 40 + 41 + 42);
	STEP("breakpoint");
}

/*
 * The system calls of a traced program, from its first instruction on: how many getppid, and what
 * it writes.
 */
static void follow(pid_t pid)
{
	int asked = 0, status = 0;

	for (int n = 0; n < 100000; n++) {
		NEED(ptrace(PTRACE_SYSCALL, pid, 0, 0) == 0);
		status = wait_for(pid);
		if (WIFEXITED(status))
			break;
		struct user_regs_struct r;

		NEED(ptrace(PTRACE_GETREGS, pid, 0, &r) == 0);
		asked += r.orig_rax == SYS_getppid && (long)r.rax == -ENOSYS;
	}
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 6);
	CHECK_EQ(asked, 3);
}

static void executed(const char *self, int vforks)
{
	pid_t pid = vforks ? vfork() : fork();

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execl(self, self, "asks", NULL);
		_exit(99);
	}
	int status = wait_for(pid);

	CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	follow(pid);
	STEP("executed by %s", vforks ? "vfork" : "fork");
}

/* As strace begins: the child stops, is seized, and executes. */
static void seized(const char *self)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		raise(SIGSTOP);
		execl(self, self, "asks", NULL);
		_exit(99);
	}
	NEED(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
	NEED(ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) == 0);
	NEED(kill(pid, SIGCONT) == 0);
	for (int n = 0; n < 10; n++) {
		status = wait_for(pid);
		if (WIFEXITED(status) || status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
			break;
		ptrace(PTRACE_CONT, pid, 0,
		       WSTOPSIG(status) == SIGCONT && status >> 16 == 0 ? SIGCONT : 0);
	}
	CHECK(!WIFEXITED(status));
	follow(pid);
	STEP("seized");
}

int main(int argc, char **argv)
{
	char self[4096];

	alarm(20);
	if (argc > 1) {
		for (int i = 0; i < 3; i++)
			syscall(SYS_getppid);
		return 6;
	}
	NEED(realpath(argv[0], self));
	breakpoint();
	executed(self, 0);
	executed(self, 1);
	seized(self);
	return check_end();
}
