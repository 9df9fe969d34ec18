/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that one process writes into another one, by process_vm_writev and through /proc/PID/mem.
 * The code is in a loop that never leaves its page, or in functions of a process that is asked to
 * call them, that forks and executes itself, or that writes in turn. Calls after a write must run
 * the new code.
 *
 *   othercode loop | asks | exec | parent | siblings | kernel
 */
#define _GNU_SOURCE
#include "othercode.h"

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
	static const struct part parts[] = {
		{"loop", loops},	 {"asks", asks},	 {"exec", executes},
		{"parent", into_parent}, {"siblings", siblings}, {"kernel", kernel},
	};

	if (argc == 4)
		return executed(argv);
	return run_parts(parts, sizeof(parts) / sizeof(parts[0]), argv[1]);
}
