/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Without a signal, waiting calls must not end early: not with EINTR, not with partial results, and
 * not before their time. A profiler may interrupt threads, but the program must not see it. Other
 * threads compute meanwhile. Each call follows a computation of varying length, so that it begins
 * at any time relative to timers.
 *
 *   sleeps [milliseconds]
 */
#define _GNU_SOURCE
#include "busy.h"
#include "check.h"
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>

#define WAIT_NS 1500000

static int feed[2], pair[2], epoll_fd, semaphore;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Writes into the pipe, one byte at a time, for whoever waits there. */
static void *feeder(void *arg)
{
	const struct timespec t = {0, WAIT_NS};

	while (!stop) {
		compute(3000);
		CHECK(nanosleep(&t, NULL) == 0);
		CHECK(write(feed[1], "x", 1) == 1);
	}
	return arg;
}

/* ---- The calls: each returns 1 if it ended as it has to ---- */

static const struct timespec brief = {0, WAIT_NS};

static int by_nanosleep(void)
{
	struct timespec left = {77, 77};

	return nanosleep(&brief, &left) == 0 && left.tv_sec == 77;
}

static int by_clock_nanosleep(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += WAIT_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0;
}

static int by_poll(void)
{
	struct pollfd p = {.fd = pair[0], .events = POLLIN};

	return poll(&p, 1, 2) == 0;
}

static int by_ppoll(void)
{
	struct pollfd p = {.fd = pair[0], .events = POLLIN};
	sigset_t none;

	sigemptyset(&none);
	return ppoll(&p, 1, &brief, &none) == 0;
}

static int by_select(void)
{
	struct timeval t = {0, WAIT_NS / 1000};

	return select(0, NULL, NULL, NULL, &t) == 0;
}

static int by_pselect(void)
{
	sigset_t none;

	sigemptyset(&none);
	return pselect(0, NULL, NULL, NULL, &brief, &none) == 0;
}

static int by_epoll_wait(void)
{
	struct epoll_event e;

	return epoll_wait(epoll_fd, &e, 1, 2) == 0;
}

static int by_epoll_pwait(void)
{
	struct epoll_event e;
	sigset_t none;

	sigemptyset(&none);
	return epoll_pwait(epoll_fd, &e, 1, 2, &none) == 0;
}

static int by_futex(void)
{
	static uint32_t word;

	return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &brief, NULL, 0) == -1 &&
	       errno == ETIMEDOUT;
}

static int by_sigtimedwait(void)
{
	sigset_t set;

	sigemptyset(&set), sigaddset(&set, SIGUSR2);
	return sigtimedwait(&set, NULL, &brief) == -1 && errno == EAGAIN;
}

/* All there are, those that libraries keep for themselves, too. */
static int by_sigtimedwait_all(void)
{
	uint64_t all = ~0ull;

	return syscall(SYS_rt_sigtimedwait, &all, NULL, &brief, 8) == -1 && errno == EAGAIN;
}

static int by_read(void)
{
	char c;

	return read(feed[0], &c, 1) == 1 && c == 'x';
}

static int by_recv(void)
{
	char c;

	return recv(pair[0], &c, 1, 0) == -1 && errno == EAGAIN; /* SO_RCVTIMEO */
}

static int by_semtimedop(void)
{
	struct sembuf take = {0, -1, 0};

	return semtimedop(semaphore, &take, 1, &brief) == -1 && errno == EAGAIN;
}

static int by_timerfd(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct itimerspec t = {{0, 0}, brief};
	uint64_t n = 0;
	int good;

	timerfd_settime(fd, 0, &t, NULL);
	good = read(fd, &n, 8) == 8 && n == 1;
	close(fd);
	return good;
}

static int by_waitpid(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		nanosleep(&brief, NULL);
		_exit(7);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 7;
}

/* Not asleep, but the kernel gives a part only when a signal waits. */
static int by_getrandom(void)
{
	static char bytes[1 << 18];

	return getrandom(bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes;
}

static int by_condition(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	struct timespec until;
	int r;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += WAIT_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&m);
	r = pthread_cond_timedwait(&c, &m, &until);
	pthread_mutex_unlock(&m);
	return r == ETIMEDOUT;
}

static const struct {
	const char *name;
	int (*call)(void);
	uint64_t least_ns;
} calls[] = {
	{"nanosleep", by_nanosleep, WAIT_NS},
	{"clock_nanosleep", by_clock_nanosleep, WAIT_NS},
	{"poll", by_poll, WAIT_NS},
	{"ppoll", by_ppoll, WAIT_NS},
	{"select", by_select, WAIT_NS},
	{"pselect", by_pselect, WAIT_NS},
	{"epoll_wait", by_epoll_wait, WAIT_NS},
	{"epoll_pwait", by_epoll_pwait, WAIT_NS},
	{"futex", by_futex, WAIT_NS},
	{"sigtimedwait", by_sigtimedwait, WAIT_NS},
	{"sigtimedwait of all", by_sigtimedwait_all, WAIT_NS},
	{"read", by_read, 0},
	{"recv", by_recv, 0},
	{"semtimedop", by_semtimedop, 0},
	{"timerfd", by_timerfd, WAIT_NS},
	{"waitpid", by_waitpid, WAIT_NS},
	{"getrandom", by_getrandom, 0},
	{"pthread_cond_timedwait", by_condition, 0},
};
#define CALLS (sizeof calls / sizeof *calls)

static void wait_in_every_way(uint64_t until)
{
	uint32_t wrong[CALLS] = {0}, early[CALLS] = {0};

	for (uint64_t round = 0; now_ns() < until; round++)
		for (size_t i = 0; i < CALLS; i++) {
			uint64_t start;

			compute(500 + round * 377 % 20000);
			start = now_ns();
			wrong[i] += !calls[i].call();
			early[i] += now_ns() - start < calls[i].least_ns;
		}
	for (size_t i = 0; i < CALLS; i++) {
		if (wrong[i] || early[i])
			STEP("%s: %u ended wrongly, %u early", calls[i].name, wrong[i], early[i]);
		CHECK(wrong[i] == 0 && early[i] == 0);
	}
}

int main(int argc, char **argv)
{
	uint64_t ms = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
	struct timeval t = {0, WAIT_NS / 1000};
	struct epoll_event e = {.events = EPOLLIN};
	pthread_t thread[2];
	sigset_t set;

	sigemptyset(&set), sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	NEED(pipe(feed) == 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
	epoll_fd = epoll_create1(0);
	NEED(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, pair[0], &e) == 0);
	semaphore = semget(IPC_PRIVATE, 1, 0600);
	NEED(semaphore >= 0);
	NEED(pthread_create(&thread[0], NULL, busy, NULL) == 0);
	NEED(pthread_create(&thread[1], NULL, feeder, NULL) == 0);
	wait_in_every_way(now_ns() + ms * 1000000);
	stop = 1;
	pthread_join(thread[0], NULL), pthread_join(thread[1], NULL);
	semctl(semaphore, 0, IPC_RMID);
	return check_end();
}
