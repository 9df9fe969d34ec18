/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Default actions of signals: for each signal a child, which gets it from itself, from its parent,
 * by a fault, or from a thread. The parent must see the native wait status.
 */
#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int status_of(pid_t pid)
{
	int status = -1;

	NEED(pid > 0 && waitpid(pid, &status, 0) == pid);
	return status;
}

static void *raise_in_thread(void *arg)
{
	raise((int)(long)arg);
	return NULL;
}

static void child(int sig, int how)
{
	pthread_t t;

	if (how == 0)
		raise(sig);
	else if (how == 1)
		for (volatile long n = 0;; n++)
			;
	else if (how == 2)
		for (;;)
			pause();
	pthread_create(&t, NULL, raise_in_thread, (void *)(long)sig);
	for (;;)
		pause();
}

static void check_signal(int sig, int how)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		child(sig, how);
	if (how == 1 || how == 2) {
		usleep(2000);
		kill(pid, sig);
	}
	status = status_of(pid);
	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), sig);
}

static void check_ignored(int sig)
{
	pid_t pid = fork();

	if (pid == 0) {
		raise(sig);
		_exit(17);
	}
	int status = status_of(pid);

	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 17);
}

__attribute__((noinline)) static int zero(void)
{
	volatile int z = 0;

	return z;
}

static void check_fault(int which, int sig, int blocked)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (blocked) {
			/* A blocked or ignored fault kills all the same. */
			sigset_t all;

			sigfillset(&all);
			sigprocmask(SIG_SETMASK, &all, NULL);
			signal(sig, SIG_IGN);
		}
		switch (which) {
		case 0:
			*(volatile int *)8 = 1;
			break;
		case 1:
			asm volatile("ud2");
			break;
		case 2:
			asm volatile("int3");
			break;
		case 3:
			asm volatile("cltd\n\tidivl %%ecx" : : "a"(1), "c"(zero()) : "edx", "cc");
			break;
		case 4:
			((void (*)(void))0x30)();
			break;
		case 5:
			abort();
		}
		_exit(0);
	}
	int status = status_of(pid);

	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), sig);
}

int main(void)
{
	static const int fatal[] = {
		SIGHUP,	   SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,	   SIGFPE,  SIGKILL,
		SIGUSR1,   SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT, SIGXCPU, SIGXFSZ,
		SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,  SIGSYS,  34,	50,	   64};
	static const int ignored[] = {SIGCHLD, SIGURG, SIGWINCH, SIGCONT};
	static const int faults[] = {SIGSEGV, SIGILL, SIGTRAP, SIGFPE, SIGSEGV, SIGABRT};
	struct rlimit no_core = {0, 0};

	setrlimit(RLIMIT_CORE, &no_core);
	/* Python and others ignore SIGPIPE in what they start. */
	signal(SIGPIPE, SIG_DFL), signal(SIGXFSZ, SIG_DFL);
	for (int how = 0; how < 4; how++)
		for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
			check_signal(fatal[i], how);
	STEP("fatal signals");
	for (int i = 0; i < 4; i++)
		check_ignored(ignored[i]);
	STEP("ignored signals");
	for (int i = 0; i < 6; i++) {
		check_fault(i, faults[i], 0);
		if (i < 5)
			check_fault(i, faults[i], 1);
	}
	STEP("faults");
	return check_end();
}
