/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Without signals, no system call may end early: waiting calls, and calls that the kernel ends for
 * a signal although they do not wait; alone and with another thread.
 */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <time.h>

#define BYTES (256ul << 10)

static volatile int stop;
static int early;

static uint64_t compute(int n)
{
	uint64_t seed = 7, sum = 0;

	for (int i = 0; i < n; i++)
		sum += check_random(&seed);
	return sum;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void count_early(int failed)
{
	if (failed && errno == EINTR)
		early++;
}

/* Pages that may be merged with others are taken apart first, which any signal ends. */
static void move_mergeable(int ms)
{
	char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *q;
	int64_t end = now_ms() + ms;

	NEED(p != MAP_FAILED);
	while (now_ms() < end) {
		madvise(p, BYTES, MADV_MERGEABLE); /* not every kernel can */
		memset(p, 1, BYTES);
		q = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		NEED(q != MAP_FAILED);
		char *moved = mremap(p, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, q);

		count_early(moved == MAP_FAILED);
		NEED(moved != MAP_FAILED || errno == EINTR);
		if (moved != MAP_FAILED)
			p = moved;
		count_early(madvise(p, BYTES, MADV_UNMERGEABLE) != 0);
	}
	munmap(p, BYTES);
	CHECK_EQ(early, 0);
}

static void wait_briefly(int ms)
{
	const struct timespec brief = {0, 300000}, none = {0, 0};
	struct sembuf down = {.sem_op = -1};
	int64_t end = now_ms() + ms;
	int fds[2], set;
	char c;

	NEED(pipe(fds) == 0);
	set = semget(IPC_PRIVATE, 1, 0600);
	NEED(set >= 0);
	while (now_ms() < end) {
		struct pollfd p = {.fd = fds[0], .events = POLLIN};

		compute(30000);
		count_early(nanosleep(&brief, NULL) != 0);
		count_early(poll(&p, 1, 1) != 0);
		count_early(ppoll(&p, 1, &none, NULL) != 0);
		count_early(semtimedop(set, &down, 1, &brief) != 0);
		count_early(write(fds[1], "x", 1) != 1);
		count_early(read(fds[0], &c, 1) != 1);
	}
	semctl(set, 0, IPC_RMID);
	close(fds[0]);
	close(fds[1]);
	CHECK_EQ(early, 0);
}

static void *busy(void *arg)
{
	while (!stop)
		compute(10000);
	return arg;
}

int main(void)
{
	pthread_t t;

	move_mergeable(500);
	wait_briefly(200);
	STEP("alone");
	NEED(pthread_create(&t, NULL, busy, NULL) == 0);
	move_mergeable(500);
	wait_briefly(200);
	stop = 1;
	pthread_join(t, NULL);
	STEP("with another thread");
	return check_end();
}
