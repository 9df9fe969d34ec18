/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that one process writes into another, by process_vm_writev and through /proc/PID/mem: into a
 * loop that never leaves the page, and into functions of a process that calls them all the time,
 * sleeps in system calls, is stopped, or writes in turn. What is called after a write is the new
 * code, and no system call of the other process ends early.
 *
 *   othercode loop | asks | exec | sleeps | threads | stopped | parent | siblings | kernel
 */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
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
} *shared;

static unsigned char *page[2]; /* RWX; R-X: functions that return a number */

static void *map(int prot, int flags, size_t bytes)
{
	void *p = mmap(NULL, bytes, prot, flags | MAP_ANONYMOUS, -1, 0);

	NEED(p != MAP_FAILED);
	return p;
}

/* mov $value, %eax; ret */
static const unsigned char *code_of(int value)
{
	static unsigned char code[6] = {0xb8, 0, 0, 0, 0, 0xc3};

	memcpy(code + 1, &value, 4);
	return code;
}

static int call(const void *at)
{
	return ((int (*)(void))(uintptr_t)at)();
}

/* ---- Writing: which page says by which way, as a page that is not writable knows only one ---- */

static int open_mem(pid_t pid, int by_task)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), by_task ? "/proc/%d/task/%d/mem" : "/proc/%d/mem", pid, pid);
	fd = open(name, by_task ? O_WRONLY : O_RDWR);
	NEED(fd >= 0);
	return fd;
}

static void put(pid_t pid, int mem, int which, const void *from, size_t bytes, size_t at)
{
	struct iovec here = {(void *)(uintptr_t)from, bytes}, there = {page[which] + at, bytes};

	if (which == 0)
		CHECK_EQ(process_vm_writev(pid, &here, 1, &there, 1, 0), bytes);
	else
		CHECK_EQ(pwrite(mem, from, bytes, (off_t)(uintptr_t)(page[which] + at)), bytes);
}

static void put_value(pid_t pid, int mem, int which, int value)
{
	put(pid, mem, which, code_of(value), 6, 0);
}

static void new_pages(int value)
{
	for (int i = 0; i < 2; i++) {
		page[i] = map(PROT_READ | PROT_WRITE, MAP_PRIVATE, PAGE);
		memcpy(page[i], code_of(value), 6);
		NEED(mprotect(page[i], PAGE, i ? RX : RWX) == 0);
	}
	memset((void *)shared, 0, sizeof(*shared));
}

static pid_t child_of(void (*run)(void))
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

static void wait_for(pid_t pid)
{
	int status;

	NEED(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
}

static void await(volatile int *what, int value)
{
	const time_t until = time(NULL) + 10;

	while (*what != value && time(NULL) < until)
		sched_yield();
	CHECK_EQ(*what, value);
}

/* ---- A loop that stays in its page ---- */

static int which_loop;

/* 1: mov $value, %eax; mov %eax, (%rdi); jmp 1b */
static const unsigned char loop[] = {0xb8, 0, 0, 0, 0, 0x89, 0x07, 0xeb, 0xf7};

static void run_loop(void)
{
	((void (*)(volatile int *))(uintptr_t)page[which_loop])(&shared->value[0]);
}

static void loops(void)
{
	for (which_loop = 0; which_loop < 2; which_loop++) {
		new_pages(0);
		NEED(mprotect(page[which_loop], PAGE, RWX) == 0);
		memcpy(page[which_loop], loop, sizeof(loop));
		page[which_loop][1] = 0xff;
		NEED(mprotect(page[which_loop], PAGE, which_loop ? RX : RWX) == 0);
		pid_t pid = child_of(run_loop);
		int mem = -1;

		await(&shared->value[0], 0xff);
		if (which_loop)
			mem = open_mem(pid, 0);
		for (int i = 0; i < ROUNDS; i++) {
			unsigned char value = (unsigned char)i;

			put(pid, mem, which_loop, &value, 1, 1);
			await(&shared->value[0], i);
		}
		put(pid, mem, which_loop, "\xc3", 1, 0);
		wait_for(pid);
		STEP("a loop in %s page", which_loop ? "an R-X" : "an RWX");
	}
}

/* ---- A function is called at each question that comes through a pipe ---- */

static int question[2], answer[2];

enum { FORK = 2, EXEC = 3 };

/* In a child from here on. Returns its number. */
static pid_t go_on_in_child(void)
{
	pid_t pid = fork();
	int status;

	NEED(pid >= 0);
	if (pid == 0)
		return getpid();
	waitpid(pid, &status, 0);
	_exit(status != 0);
}

static void execute(void)
{
	char in[12], out[12];

	snprintf(in, sizeof(in), "%d", question[0]);
	snprintf(out, sizeof(out), "%d", answer[1]);
	execl("/proc/self/exe", "othercode", "answer", in, out, NULL);
	NEED(!"executed");
}

static void answers(void)
{
	int which, value;

	while (read(question[0], &which, sizeof(which)) == sizeof(which)) {
		if (which == EXEC)
			execute();
		value = which == FORK ? go_on_in_child() : call(page[which]);
		NEED(write(answer[1], &value, sizeof(value)) == sizeof(value));
	}
}

static void run_answers(void)
{
	close(question[1]);
	answers();
}

static int ask(int which)
{
	int value = -1;

	NEED(write(question[1], &which, sizeof(which)) == sizeof(which));
	NEED(read(answer[0], &value, sizeof(value)) == sizeof(value));
	return value;
}

/* Both pages of the process have the new code each time. */
static void change_both(pid_t pid, int by_task)
{
	int mem = -1;

	for (int which = 0; which < 2; which++) {
		if (which)
			mem = open_mem(pid, by_task);
		for (int i = 0; i < ROUNDS; i++) {
			put_value(pid, mem, which, i);
			CHECK_EQ(ask(which), i);
		}
	}
	close(mem);
}

static void asks(void)
{
	for (int by_task = 0; by_task < 2; by_task++) {
		new_pages(-1);
		NEED(pipe(question) == 0 && pipe(answer) == 0);
		pid_t pid = child_of(run_answers);

		close(question[0]);
		CHECK_EQ(ask(0), -1);
		CHECK_EQ(ask(1), -1);
		change_both(pid, by_task);
		change_both(ask(FORK), by_task);
		close(question[1]);
		wait_for(pid);
		STEP("a process that answers%s", by_task ? ", by its thread's name" : "");
	}
}

/* ---- It executes itself: in the new program nothing is written yet ---- */

#define FIXED 0x300000000ul /* where its pages are then */

static void fixed_pages(void)
{
	for (int i = 0; i < 2; i++) {
		page[i] = mmap((void *)(FIXED + (uintptr_t)i * PAGE), PAGE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		NEED(page[i] != MAP_FAILED);
		memcpy(page[i], code_of(-1), 6);
		NEED(mprotect(page[i], PAGE, i ? RX : RWX) == 0);
	}
}

static int executed(char **argv)
{
	alarm(50);
	question[0] = atoi(argv[2]);
	answer[1] = atoi(argv[3]);
	fixed_pages();
	answers();
	return check_failures ? 1 : 0;
}

static void executes(void)
{
	pid_t pid;
	int which = EXEC;

	fixed_pages();
	NEED(pipe(question) == 0 && pipe(answer) == 0);
	NEED(fcntl(question[1], F_SETFD, FD_CLOEXEC) == 0);
	pid = child_of(run_answers);
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(ask(0), -1);
		CHECK_EQ(ask(1), -1);
		change_both(pid, i % 2);
		NEED(write(question[1], &which, sizeof(which)) == sizeof(which));
	}
	CHECK_EQ(ask(0), -1);
	close(question[1]);
	wait_for(pid);
	STEP("a process that executes itself");
}

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

/* ---- It has threads, which sleep and run. Each process is asked only once, so there are many ---- */

static void *thread_of(void *arg)
{
	for (int i = (int)(intptr_t)arg; !shared->stop; i++) {
		nap(i % 2 ? 3 : i % 4 / 2);
		for (int k = 0; k < 300; k++)
			for (int which = 0; which < 2; which++) {
				int least = shared->written[which];

				__atomic_thread_fence(__ATOMIC_SEQ_CST);
				if (call(page[which]) < least)
					__atomic_add_fetch(&shared->bad_values, 1, __ATOMIC_SEQ_CST);
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

static void run_calls(void)
{
	shared->is_there = 1;
	while (!shared->stop)
		for (int which = 0; which < 2; which++)
			shared->value[which] = call(page[which]);
}

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

/* ---- A child writes into its parent: by a descriptor that the parent opened, too ---- */

static int own_mem;
static pid_t parent;

static void run_writer(void)
{
	int mem = -1, value;

	for (int which = 0; which < 2; which++)
		for (int i = 0; i < ROUNDS; i++) {
			if (which && !i)
				mem = open_mem(parent, 0);
			put_value(parent, mem, which, i);
			CHECK_EQ(write(answer[1], &which, sizeof(which)), sizeof(which));
			CHECK_EQ(read(question[0], &value, sizeof(value)), sizeof(value));
			CHECK_EQ(value, i);
		}
}

static void run_heir(void)
{
	int value;

	put(parent, own_mem, 1, code_of(77), 6, 0);
	value = 1;
	CHECK_EQ(write(answer[1], &value, sizeof(value)), sizeof(value));
	CHECK_EQ(read(question[0], &value, sizeof(value)), sizeof(value));
	CHECK_EQ(value, 77);
}

/* Answer so many questions of the child's. */
static void serve(int questions)
{
	for (int i = 0; i < questions; i++) {
		int which, value;

		NEED(read(answer[0], &which, sizeof(which)) == sizeof(which));
		value = call(page[which]);
		NEED(write(question[1], &value, sizeof(value)) == sizeof(value));
	}
}

static void into_parent(void)
{
	pid_t pid;

	parent = getpid();
	new_pages(-1);
	NEED(pipe(question) == 0 && pipe(answer) == 0);
	own_mem = open_mem(parent, 0);
	CHECK_EQ(call(page[0]) + call(page[1]), -2);
	pid = child_of(run_heir);
	serve(1);
	wait_for(pid);
	pid = child_of(run_writer);
	serve(2 * ROUNDS);
	wait_for(pid);
	close(own_mem);
	STEP("a child that writes into its parent");
}

/* ---- Two that write into each other at the same time ---- */

static int ends[2][2]; /* [who][what it tells and is told by] */
static volatile pid_t *pids;

static void run_sibling(int self)
{
	int other = !self, mem, value;

	pids[self] = getpid();
	NEED(prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0) == 0 || errno == EINVAL);
	CHECK_EQ(call(page[0]) + call(page[1]), -2);
	NEED(write(ends[self][1], &self, sizeof(self)) == sizeof(self));
	NEED(read(ends[other][0], &value, sizeof(value)) == sizeof(value));
	mem = -1;
	for (int which = 0; which < 2; which++)
		for (int i = 0; i < ROUNDS; i++) {
			if (which && !i)
				mem = open_mem(pids[other], self);
			put_value(pids[other], mem, which, i);
			NEED(write(ends[self][1], &i, sizeof(i)) == sizeof(i));
			NEED(read(ends[other][0], &value, sizeof(value)) == sizeof(value));
			CHECK_EQ(call(page[which]), i);
			/* It may write again only when this has been called. */
			NEED(write(ends[self][1], &i, sizeof(i)) == sizeof(i));
			NEED(read(ends[other][0], &value, sizeof(value)) == sizeof(value));
		}
}

static void run_first(void)
{
	run_sibling(0);
}

static void run_second(void)
{
	run_sibling(1);
}

static void siblings(void)
{
	pid_t a, b;

	new_pages(-1);
	pids = map(PROT_READ | PROT_WRITE, MAP_SHARED, PAGE);
	NEED(pipe(ends[0]) == 0 && pipe(ends[1]) == 0);
	a = child_of(run_first);
	b = child_of(run_second);
	wait_for(a);
	wait_for(b);
	STEP("siblings that write into each other");
}

/* ---- What the kernel refuses it refuses, and calls count what they have written ---- */

static void kernel(void)
{
	unsigned char *three = map(RWX, MAP_PRIVATE, 3 * PAGE), bytes[2 * PAGE] = {0};
	struct iovec here = {bytes, sizeof(bytes)}, there = {three, sizeof(bytes)};
	struct iovec heres[3] = {{bytes, 3}, {bytes, 0}, {bytes, 3}}, theres[2];
	siginfo_t info;
	pid_t pid;

	new_pages(5);
	memcpy(three, code_of(3), 6);
	CHECK_EQ(call(three), 3);
	NEED(mprotect(three + PAGE, PAGE, RX) == 0);
	pid = child_of(run_calls);
	await(&shared->value[1], 5);
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(process_vm_writev(pid, &here, 1, &there, 1, 0), PAGE);
		there.iov_base = page[1];
		there.iov_len = here.iov_len = 6;
		errno = 0;
		CHECK(process_vm_writev(pid, &here, 1, &there, 1, 0) == -1 && errno == EFAULT);
		there.iov_base = three;
		there.iov_len = here.iov_len = sizeof(bytes);
	}
	CHECK_EQ(shared->value[1], 5);
	/* Parts that do not meet, into a page with code. */
	memcpy(bytes, code_of(9), 6);
	heres[1].iov_base = bytes + 3;
	heres[2].iov_base = bytes + 3;
	theres[0] = (struct iovec){page[0], 1};
	theres[1] = (struct iovec){page[0] + 1, 50};
	CHECK_EQ(process_vm_writev(pid, heres, 3, theres, 2, 0), 6);
	await(&shared->value[0], 9);
	CHECK(process_vm_writev(pid, heres, 3, theres, 2, 1) == -1 && errno == EINVAL);
	shared->stop = 1;
	NEED(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
	CHECK(process_vm_writev(pid, heres, 3, theres, 2, 0) == -1 && errno == ESRCH);
	wait_for(pid);
	CHECK(process_vm_writev(pid, heres, 3, theres, 2, 0) == -1 && errno == ESRCH);
	STEP("the kernel's answers");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {{"loop", loops},		{"asks", asks},	      {"exec", executes},
		     {"sleeps", sleeps},	{"threads", with_threads}, {"stopped", stopped},
		     {"parent", into_parent},	{"siblings", siblings},	   {"kernel", kernel}};

	if (argc == 4)
		return executed(argv);
	alarm(55);
	NEED(prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0) == 0 || errno == EINVAL);
	shared = map(PROT_READ | PROT_WRITE, MAP_SHARED, PAGE);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (argc < 2 || strcmp(argv[1], parts[i].name) == 0)
			parts[i].run();
	return check_end();
}
