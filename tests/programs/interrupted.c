/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals and waiting system calls: EINTR without SA_RESTART, continuation with it, and calls that
 * are never restarted.
 */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

static volatile int handled;
static int fds[2];

static void on_alarm(int sig)
{
	(void)sig;
	handled = handled + 1;
	/* The third one brings what a restarted call waits for. */
	if (handled == 3 && write(fds[1], "x", 1) != 1)
		_exit(98);
}

static void start(int flags)
{
	struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = flags};
	struct itimerval timer = {{0, 20000}, {0, 20000}};

	handled = 0;
	NEED(sigaction(SIGALRM, &sa, NULL) == 0 && setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

static void stop(void)
{
	struct itimerval off = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &off, NULL);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void check_interrupted(void)
{
	struct timespec ten = {10, 0}, left = {0, 0};
	struct pollfd p = {.fd = fds[0], .events = POLLIN};
	char c;

	start(0);
	CHECK(read(fds[0], &c, 1) == -1 && errno == EINTR);
	stop(), start(0);
	CHECK(nanosleep(&ten, &left) == -1 && errno == EINTR && left.tv_sec == 9);
	stop(), start(0);
	CHECK(poll(&p, 1, 10000) == -1 && errno == EINTR);
	stop(), start(0);
	CHECK(pause() == -1 && errno == EINTR);
	stop(), start(0);
	CHECK(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
	stop();
	CHECK(sleep(0) == 0);
	STEP("interrupted");
}

static void check_restarted(void)
{
	struct timespec ten = {10, 0}, left;
	struct pollfd p = {.fd = fds[0], .events = POLLIN};
	struct epoll_event e;
	int ep = epoll_create1(0);
	int64_t t;
	char c = 0;

	start(SA_RESTART);
	CHECK(read(fds[0], &c, 1) == 1 && c == 'x' && handled >= 3);
	stop(), start(SA_RESTART);
	/* These are interrupted whatever the flag says. */
	CHECK(nanosleep(&ten, &left) == -1 && errno == EINTR);
	stop(), start(SA_RESTART);
	CHECK(poll(&p, 1, 10000) == -1 && errno == EINTR);
	stop(), start(SA_RESTART);
	CHECK(epoll_wait(ep, &e, 1, 10000) == -1 && errno == EINTR);
	stop();
	/* Ignored signals interrupt nothing. */
	signal(SIGALRM, SIG_IGN);
	struct itimerval timer = {{0, 5000}, {0, 5000}};

	setitimer(ITIMER_REAL, &timer, NULL);
	t = now_ns();
	CHECK(poll(&p, 1, 60) == 0);
	t = now_ns() - t;
	CHECK(t >= 59000000);
	stop();
	close(ep);
	STEP("restarted");
}

static void check_children(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		usleep(120000);
		_exit(12);
	}
	start(SA_RESTART);
	CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 12);
	stop();
	CHECK(handled >= 2);
	STEP("waitpid restarted");
}

static void *stay(void *arg)
{
	char c;

	CHECK(read(*(int *)arg, &c, 1) == 1);
	return NULL;
}

/* Signals that hit a thread which sits in a system call, thousands of times. */
static void check_storm(void)
{
	struct sigaction sa = {.sa_handler = SIG_IGN};
	int own[2];
	pthread_t t;

	sa.sa_handler = on_alarm, sa.sa_flags = SA_RESTART;
	handled = 10;
	NEED(pipe(own) == 0 && sigaction(SIGUSR1, &sa, NULL) == 0);
	NEED(pthread_create(&t, NULL, stay, &own[0]) == 0);
	for (int i = 0; i < 3000; i++)
		pthread_kill(t, SIGUSR1);
	CHECK(write(own[1], "y", 1) == 1);
	pthread_join(t, NULL);
	CHECK(handled > 10);
	STEP("storm");
}

int main(void)
{
	NEED(pipe(fds) == 0);
	check_interrupted();
	check_restarted();
	check_children();
	check_storm();
	return check_end();
}
