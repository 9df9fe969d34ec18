/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals 32 and 33, which C libraries reserve, used by raw system calls as those libraries do.
 * Each one sent must be delivered once, at once or when unblocked, also to waiting threads. A
 * thread that blocks all signals also blocks these. Threads compute meanwhile.
 */
#define _GNU_SOURCE
#include "busy.h"
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

#define ALL	    (~0ull)
#define UNBLOCKABLE (1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1))
#define BIT(n)	    (1ull << ((n)-1))

struct raw_action {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

extern void restorer(void);
asm("restorer: mov $15, %eax\n\tsyscall\n");

static volatile int waiting, woken;
static volatile uint32_t seen[65], values[64], number_seen;
static volatile pid_t waiter_tid;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)context;
	__atomic_fetch_add(&seen[signal], 1, __ATOMIC_SEQ_CST);
	if (info->si_code == SI_QUEUE && number_seen < 64)
		values[number_seen++] = (uint32_t)info->si_value.sival_int;
}

static void handle(int signal, unsigned long flags)
{
	const struct raw_action a = {on_signal, SA_SIGINFO | 0x04000000 | flags, restorer, 0};

	NEED(syscall(SYS_rt_sigaction, signal, &a, NULL, 8) == 0);
}

static uint64_t set_mask(uint64_t mask)
{
	uint64_t old;

	NEED(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &old, 8) == 0);
	return old;
}

static void send(pid_t tid, int signal)
{
	NEED(syscall(SYS_tgkill, getpid(), tid, signal) == 0);
}

static void queue(int signal, int value)
{
	siginfo_t info = {.si_signo = signal, .si_code = SI_QUEUE};

	info.si_pid = getpid();
	info.si_value.sival_int = value;
	NEED(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), signal, &info) == 0);
}

static void to_itself(int signal)
{
	seen[signal] = 0;
	for (uint32_t i = 0; i < 200; i++) {
		send(gettid(), signal);
		CHECK_EQ(seen[signal], i + 1);
		compute(1000 + i * 10);
	}
	CHECK_EQ(seen[signal], 200);
	STEP("signal %d: 200 sent to itself", signal);
}

/* Real-time signals queue: none is lost, and they keep their order. */
static void blocked(int signal)
{
	uint64_t old = set_mask(ALL), pending;

	seen[signal] = number_seen = 0;
	for (int i = 0; i < 5; i++) {
		queue(signal, 100 + i);
		compute(200000);
	}
	CHECK_EQ(seen[signal], 0);
	CHECK(syscall(SYS_rt_sigpending, &pending, 8) == 0);
	CHECK_EQ(pending, BIT(signal));
	CHECK_EQ(set_mask(old), ALL & ~UNBLOCKABLE);
	CHECK_EQ(seen[signal], 5);
	for (uint32_t i = 0; i < 5; i++)
		CHECK_EQ(values[i], 100 + i);
	compute(200000);
	CHECK_EQ(seen[signal], 5);
	STEP("signal %d: blocked, then five", signal);
}

/* Everything is blocked for long: nothing happens to this thread, and the mask stays. */
static void everything_blocked(void)
{
	uint64_t old = set_mask(ALL);
	struct timespec t = {0, 1000000};

	for (int i = 0; i < 20; i++) {
		compute(100000);
		CHECK(nanosleep(&t, NULL) == 0);
		CHECK_EQ(set_mask(ALL), ALL & ~UNBLOCKABLE);
	}
	set_mask(old);
	STEP("everything blocked");
}

/* ---- A thread that waits in the kernel ---- */

static int feed[2];

static void *waiter(void *arg)
{
	char c;

	waiter_tid = gettid();
	compute(2000000);
	waiting = 1;
	while (read(feed[0], &c, 1) < 0 && errno == EINTR)
		woken = woken + 1;
	return arg;
}

/* Signals that come before it sleeps interrupt nothing. */
static void until_it_sleeps(pid_t tid)
{
	struct timespec t = {0, 1000000};
	char path[64], line[256] = "";

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	for (int rounds = 0; rounds < 3000 && strstr(line, ") S ") == NULL; rounds++) {
		int fd = open(path, O_RDONLY);
		ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);

		line[n < 0 ? 0 : n] = '\0';
		close(fd);
		nanosleep(&t, NULL);
	}
}

/* Libraries wait until each thread's handler has run, as setgid of a process with threads does. */
static void to_a_waiter(int signal, unsigned long flags, int wakes)
{
	struct timespec t = {0, 1000000};
	pthread_t thread;
	uint32_t rounds;

	handle(signal, flags);
	seen[signal] = 0;
	waiting = woken = 0;
	NEED(pthread_create(&thread, NULL, waiter, NULL) == 0);
	while (!waiting)
		nanosleep(&t, NULL);
	for (uint32_t i = 0; i < 10; i++) {
		until_it_sleeps(waiter_tid);
		send(waiter_tid, signal);
		for (rounds = 0; seen[signal] <= i && rounds < 3000; rounds++)
			nanosleep(&t, NULL);
		CHECK_EQ(seen[signal], i + 1);
		if (seen[signal] <= i)
			break;
	}
	nanosleep(&t, NULL);
	NEED(write(feed[1], "x", 1) == 1);
	pthread_join(thread, NULL);
	CHECK_EQ(woken, wakes);
	STEP("signal %d: a thread that waits, %s", signal, wakes ? "woken" : "waits on");
}

static void ask_all_threads(void)
{
	pthread_t thread;

	waiting = 0;
	NEED(pthread_create(&thread, NULL, waiter, NULL) == 0);
	while (!waiting)
		sched_yield();
	for (int i = 0; i < 20; i++) {
		compute(100000);
		CHECK(setgid(getgid()) == 0);
	}
	NEED(write(feed[1], "x", 1) == 1);
	pthread_join(thread, NULL);
	STEP("setgid with threads");
}

static void cancel_a_waiter(void)
{
	pthread_t thread;
	void *result;

	for (int i = 0; i < 5; i++) {
		waiting = 0;
		NEED(pthread_create(&thread, NULL, waiter, NULL) == 0);
		while (!waiting)
			sched_yield();
		CHECK(pthread_cancel(thread) == 0);
		CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
	}
	STEP("cancelled");
}

int main(void)
{
	pthread_t thread;

	NEED(pipe(feed) == 0);
	NEED(pthread_create(&thread, NULL, busy, NULL) == 0);
	/* Before the handlers of the library are replaced. */
	ask_all_threads();
	cancel_a_waiter();
	for (int signal = 32; signal <= 33; signal++) {
		handle(signal, 0);
		to_itself(signal);
		blocked(signal);
		everything_blocked();
		to_a_waiter(signal, 0, 10);
		to_a_waiter(signal, SA_RESTART, 0);
	}
	stop = 1;
	pthread_join(thread, NULL);
	return check_end();
}
