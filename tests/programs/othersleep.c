/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that is written into a waiting process: in system calls, which must not end early, with
 * waiting and running threads, or stopped. Calls after a write must run the new code.
 *
 *   othersleep sleeps | threads | stopped
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>

#include "othercode.h"

/* ---- It sleeps, and no call of it ends early ---- */

static int wake[2];

static void nap(int kind)
{
	struct timespec t = {0, 2000000}, left = {7, 7};
	sigset_t none;
	char byte;
	int good = 0;

	sigemptyset(&none);
	switch (kind) {
	case 0:
		good = nanosleep(&t, &left) == 0 && left.tv_sec == 7;
		break;
	case 1:
		good = poll(NULL, 0, 2) == 0;
		break;
	case 2:
		good = read(wake[0], &byte, 1) == 1;
		break;
	case 3:
		good = ppoll(NULL, 0, &t, &none) == 0;
		break;
	}
	if (!good)
		shared->bad_calls++;
}

static void run_sleeps(void)
{
	shared->is_there = 1;
	for (int i = 0; !shared->stop; i++) {
		nap(i % 4);
		for (int which = 0; which < 2; which++) {
			int least = shared->written[which];

			__atomic_thread_fence(__ATOMIC_SEQ_CST);
			shared->value[which] = call(page[which]);
			if (shared->value[which] < least)
				shared->bad_values++;
		}
	}
}

static void sleeps(void)
{
	struct timespec t = {0, 1000000};
	pid_t pid;
	int mem;

	new_pages(0);
	NEED(pipe(wake) == 0);
	pid = child_of(run_sleeps);
	await(&shared->is_there, 1);
	mem = -1;
	for (int i = 1; i <= ROUNDS; i++) {
		put_value(pid, mem, 0, i);
		shared->written[0] = i;
		NEED(write(wake[1], "x", 1) == 1);
		nanosleep(&t, NULL);
		if (i == ROUNDS / 2)
			mem = open_mem(pid, 0);
		if (mem < 0)
			continue;
		put_value(pid, mem, 1, i);
		shared->written[1] = i;
	}
	await(&shared->value[0], ROUNDS);
	await(&shared->value[1], ROUNDS);
	shared->stop = 1;
	NEED(write(wake[1], "xxxx", 4) == 4);
	wait_for(pid);
	CHECK_EQ(shared->bad_calls, 0);
	CHECK_EQ(shared->bad_values, 0);
	close(mem);
	STEP("a process that sleeps");
}

/*
 * ---- It has threads, which sleep and run. Each process is asked only once, so there are many ----
 */

static void *thread_of(void *arg)
{
	for (int i = (int)(intptr_t)arg; !shared->stop; i++) {
		nap(i % 2 ? 3 : i % 4 / 2);
		for (int k = 0; k < 300; k++)
			for (int which = 0; which < 2; which++) {
				int least = shared->written[which];

				__atomic_thread_fence(__ATOMIC_SEQ_CST);
				if (call(page[which]) < least)
					__atomic_add_fetch(&shared->bad_values, 1,
							   __ATOMIC_SEQ_CST);
			}
		shared->is_there = 1;
	}
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		NEED(pthread_create(&threads[i], NULL, thread_of, (void *)(intptr_t)i) == 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void with_threads(void)
{
	int calls = 0, values = 0;

	for (int i = 0; i < ROUNDS / 10; i++) {
		struct timespec t = {0, 1000000 + i * 50000};
		pid_t pid;
		int mem;

		new_pages(0);
		pid = child_of(run_threads);
		await(&shared->is_there, 1);
		nanosleep(&t, NULL);
		put_value(pid, -1, 0, i);
		shared->written[0] = i;
		nanosleep(&t, NULL);
		mem = open_mem(pid, 0);
		put_value(pid, mem, 1, i);
		shared->written[1] = i;
		nanosleep(&t, NULL);
		close(mem);
		shared->stop = 1;
		wait_for(pid);
		calls += shared->bad_calls;
		values += shared->bad_values;
	}
	CHECK_EQ(calls, 0);
	CHECK_EQ(values, 0);
	STEP("processes with threads");
}

/* ---- It is stopped, while it runs or while it waits ---- */

static void run_pause(void)
{
	run_calls();
	raise(SIGSTOP);
	CHECK_EQ(call(page[0]), 8);
	CHECK_EQ(call(page[1]), 8);
}

static void stopped(void)
{
	for (int i = 0; i < ROUNDS / 20; i++) {
		int status, mem;
		pid_t pid;

		new_pages(1);
		pid = child_of(run_pause);
		await(&shared->value[1], 1);
		NEED(kill(pid, SIGSTOP) == 0 && waitpid(pid, &status, WUNTRACED) == pid);
		CHECK(WIFSTOPPED(status));
		put_value(pid, -1, 0, 7);
		mem = open_mem(pid, 0);
		put_value(pid, mem, 1, 7);
		NEED(kill(pid, SIGCONT) == 0);
		await(&shared->value[0], 7);
		await(&shared->value[1], 7);
		shared->stop = 1;
		NEED(waitpid(pid, &status, WUNTRACED) == pid);
		CHECK(WIFSTOPPED(status));
		put_value(pid, mem, 0, 8);
		put_value(pid, mem, 1, 8);
		NEED(kill(pid, SIGCONT) == 0);
		wait_for(pid);
		close(mem);
	}
	STEP("a process that is stopped");
}

int main(int argc, char **argv)
{
	static const struct part parts[] = {
		{"sleeps", sleeps}, {"threads", with_threads}, {"stopped", stopped}};

	(void)argc;
	return run_parts(parts, sizeof(parts) / sizeof(parts[0]), argv[1]);
}
