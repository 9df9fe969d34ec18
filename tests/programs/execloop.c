/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that executes itself again and again while it computes: with other threads that compute
 * or wait, from a thread that is not the first, after a failed attempt, and from a vfork child.
 * Pending work of a profiler for the old program must not reach the new one.
 *
 *   execloop [rounds]
 */
#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#define WORDS 65536

extern char **environ;
static volatile uint64_t table[WORDS];

static void compute(uint64_t steps)
{
	static __thread uint64_t at = 88172645463325252u;

	for (uint64_t i = 0; i < steps; i++)
		table[check_random(&at) % WORDS] += i;
}

static void *busy(void *arg)
{
	for (;;)
		compute(10000);
	return arg;
}

static void *idle(void *arg)
{
	compute(50000);
	for (;;)
		pause();
	return arg;
}

static void again(long left)
{
	char number[24];
	char *argv[] = {"execloop", number, "on", NULL};

	snprintf(number, sizeof number, "%ld", left);
	execv("/proc/self/exe", argv);
	NEED(!"reached");
}

static void *executes(void *left)
{
	compute(20000);
	again((long)left);
	return NULL;
}

/* An exec that fails leaves everything as it was; threads go on. */
static void fail_to_execute(void)
{
	char *argv[] = {"nothing", NULL};

	for (int i = 0; i < 5; i++) {
		CHECK(execv("/nonexistent/program", argv) == -1);
		CHECK(execv("/dev/null", argv) == -1);
		compute(20000);
	}
}

static void spawn(void)
{
	char *argv[] = {"execloop", "0", "on", NULL};
	int status;
	pid_t pid = vfork();

	if (pid == 0) {
		execv("/proc/self/exe", argv);
		_exit(99);
	}
	NEED(pid > 0 && waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void start(void *(*function)(void *), void *arg)
{
	pthread_t thread;

	NEED(pthread_create(&thread, NULL, function, arg) == 0);
}

/* A signal whose action survives exec: none has come to be ignored or blocked. */
static void look_at_signals(void)
{
	struct sigaction a;
	sigset_t set;

	CHECK(sigprocmask(SIG_BLOCK, NULL, &set) == 0);
	for (int i = 1; i < 65; i++) {
		CHECK(!sigismember(&set, i) || i == 32 || i == 33);
		if (sigaction(i, NULL, &a) == 0 && i >= 34)
			CHECK(a.sa_handler == SIG_DFL);
	}
}

int main(int argc, char **argv)
{
	long left = argc > 1 ? strtol(argv[1], NULL, 10) : 50;

	look_at_signals();
	if (left == 0 && argc > 2)
		return check_end() ? 1 : 0;
	if (left % 3)
		start(busy, NULL), start(busy, NULL), start(busy, NULL);
	if (left % 2)
		start(idle, NULL);
	compute(100000 + (uint64_t)left * 2500);
	if (left % 5 == 0)
		fail_to_execute();
	if (left % 7 == 0)
		spawn();
	if (check_failures)
		return check_end();
	if (left % 4 == 1) {
		start(executes, (void *)(left - 1));
		for (;;)
			compute(10000);
	}
	again(left - 1);
}
