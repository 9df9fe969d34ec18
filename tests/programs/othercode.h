/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For programs that write code into other processes: two pages with code, at the same address in
 * parent and child, and the ways to write into them.
 */
#ifndef DWELL_TESTS_OTHERCODE_H
#define DWELL_TESTS_OTHERCODE_H

#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#define ROUNDS 200
#define PAGE   4096
#define RWX    (PROT_READ | PROT_WRITE | PROT_EXEC)
#define RX     (PROT_READ | PROT_EXEC)

static struct shared {
	volatile int value[2], written[2], stop, is_there, bad_calls, bad_values;
} * shared;

static unsigned char *page[2]; /* RWX; R-X: functions that return a number */

static inline void *map(int prot, int flags, size_t bytes)
{
	void *p = mmap(NULL, bytes, prot, flags | MAP_ANONYMOUS, -1, 0);

	NEED(p != MAP_FAILED);
	return p;
}

/* mov $value, %eax; ret */
static inline const unsigned char *code_of(int value)
{
	static unsigned char code[6] = {0xb8, 0, 0, 0, 0, 0xc3};

	memcpy(code + 1, &value, 4);
	return code;
}

static inline int call(const void *at)
{
	return ((int (*)(void))(uintptr_t)at)();
}

/* ---- Writing: which page says by which way, as a page that is not writable knows only one ---- */

static inline int open_mem(pid_t pid, int by_task)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), by_task ? "/proc/%d/task/%d/mem" : "/proc/%d/mem", pid, pid);
	fd = open(name, by_task ? O_WRONLY : O_RDWR);
	NEED(fd >= 0);
	return fd;
}

static inline void put(pid_t pid, int mem, int which, const void *from, size_t bytes, size_t at)
{
	struct iovec here = {(void *)(uintptr_t)from, bytes}, there = {page[which] + at, bytes};

	if (which == 0)
		CHECK_EQ(process_vm_writev(pid, &here, 1, &there, 1, 0), bytes);
	else
		CHECK_EQ(pwrite(mem, from, bytes, (off_t)(uintptr_t)(page[which] + at)), bytes);
}

static inline void put_value(pid_t pid, int mem, int which, int value)
{
	put(pid, mem, which, code_of(value), 6, 0);
}

static inline void new_pages(int value)
{
	for (int i = 0; i < 2; i++) {
		page[i] = map(PROT_READ | PROT_WRITE, MAP_PRIVATE, PAGE);
		memcpy(page[i], code_of(value), 6);
		NEED(mprotect(page[i], PAGE, i ? RX : RWX) == 0);
	}
	memset((void *)shared, 0, sizeof(*shared));
}

static inline pid_t child_of(void (*run)(void))
{
	fflush(stdout);
	pid_t pid = fork();

	NEED(pid >= 0);
	if (pid == 0) {
		alarm(50);
		run();
		_exit(check_failures ? 1 : 0);
	}
	return pid;
}

static inline void wait_for(pid_t pid)
{
	int status;

	NEED(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
}

static inline void await(volatile int *what, int value)
{
	const time_t until = time(NULL) + 10;

	while (*what != value && time(NULL) < until)
		sched_yield();
	CHECK_EQ(*what, value);
}

/* Call both functions until somebody says to stop. */
static inline void run_calls(void)
{
	shared->is_there = 1;
	while (!shared->stop)
		for (int which = 0; which < 2; which++)
			shared->value[which] = call(page[which]);
}

struct part {
	const char *name;
	void (*run)(void);
};

/* Run the part that is named, or all. */
static inline int run_parts(const struct part *parts, size_t n, const char *name)
{
	alarm(55);
	NEED(prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0) == 0 || errno == EINVAL);
	shared = map(PROT_READ | PROT_WRITE, MAP_SHARED, PAGE);
	for (size_t i = 0; i < n; i++)
		if (!name || strcmp(name, parts[i].name) == 0)
			parts[i].run();
	return check_end();
}

#endif
