/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits of address space and data that a program sets for itself hold for its own memory alone. */
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

#define MB (1ul << 20)

extern char **environ;

static const struct rlimit space = {300 * MB, 500 * MB}, data = {200 * MB, RLIM_INFINITY};

static int can_map(uint64_t bytes)
{
	void *p = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		CHECK_EQ(errno, ENOMEM);
		return 0;
	}
	munmap(p, bytes);
	return 1;
}

static void check_is(int resource, struct rlimit want)
{
	struct rlimit l;

	CHECK(syscall(SYS_getrlimit, resource, &l) == 0);
	CHECK_EQ(l.rlim_cur, want.rlim_cur);
	CHECK_EQ(l.rlim_max, want.rlim_max);
	CHECK(prlimit(0, resource, 0, &l) == 0 && l.rlim_cur == want.rlim_cur);
	CHECK(prlimit(getpid(), resource, 0, &l) == 0 && l.rlim_max == want.rlim_max);
}

static void check_both_hold(void)
{
	void *block;

	check_is(RLIMIT_AS, space);
	check_is(RLIMIT_DATA, data);
	CHECK(can_map(150 * MB));
	CHECK(!can_map(205 * MB));
	CHECK(!can_map(600 * MB));
	block = malloc(100 * MB);
	CHECK(block);
	CHECK(!malloc(150 * MB));
	free(block);
	CHECK(sbrk(10 * MB) != (void *)-1);
	CHECK(sbrk(-(intptr_t)(10 * MB)) != (void *)-1);
	CHECK(sbrk(400 * MB) == (void *)-1);
}

/* The program again, as `how` says, in a child. */
static void run_again(const char *self, const char *how)
{
	char *argv[] = {(char *)self, "again", 0};
	int status = -1;
	pid_t pid;

	if (!strcmp(how, "spawn")) {
		CHECK(posix_spawn(&pid, self, 0, 0, argv, environ) == 0);
	} else if ((pid = fork()) == 0) {
		check_both_hold();
		execv("/nonexistent", argv);
		check_both_hold();
		execv(self, argv);
		_exit(99);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	STEP("%s", how);
}

static void refuses_what_the_kernel_refuses(void)
{
	struct rlimit l = {400 * MB, 300 * MB};

	CHECK(setrlimit(RLIMIT_AS, &l) == -1 && errno == EINVAL);
	CHECK(syscall(SYS_setrlimit, RLIMIT_AS, 0) == -1 && errno == EFAULT);
	CHECK(syscall(SYS_getrlimit, RLIMIT_AS, 0) == -1 && errno == EFAULT);
	CHECK(syscall(SYS_prlimit64, 0, RLIMIT_AS, 0, 8) == -1 && errno == EFAULT);
	check_is(RLIMIT_AS, space);
}

/* Without privilege: in a child, where there is one to lose. */
static void keeps_the_hard_limit(void)
{
	struct rlimit l = {300 * MB, 501 * MB};
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		if (geteuid() == 0)
			CHECK(setuid(65534) == 0);
		CHECK(setrlimit(RLIMIT_AS, &l) == -1 && errno == EPERM);
		l.rlim_cur = l.rlim_max = 500 * MB;
		CHECK(setrlimit(RLIMIT_AS, &l) == 0);
		check_is(RLIMIT_AS, l);
		l.rlim_max = RLIM_INFINITY;
		CHECK(setrlimit(RLIMIT_AS, &l) == -1 && errno == EPERM);
		_exit(check_failures != 0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	STEP("hard limit");
}

static void sets(void)
{
	const struct rlimit wide = {2000 * MB, RLIM_INFINITY},
			    none = {RLIM_INFINITY, RLIM_INFINITY};
	struct rlimit old;

	check_is(RLIMIT_AS, none);
	CHECK(setrlimit(RLIMIT_AS, &wide) == 0);
	check_is(RLIMIT_AS, wide);
	CHECK(can_map(1500 * MB));
	CHECK(!can_map(2001 * MB));
	CHECK(setrlimit(RLIMIT_AS, &none) == 0);
	check_is(RLIMIT_AS, none);
	CHECK(can_map(4000 * MB));
	CHECK(syscall(SYS_prlimit64, 0, RLIMIT_AS, &space, &old) == 0);
	CHECK_EQ(old.rlim_cur, RLIM_INFINITY);
	CHECK(can_map(250 * MB));
	CHECK(!can_map(301 * MB));
	CHECK(prlimit(getpid(), RLIMIT_DATA, &data, &old) == 0);
	CHECK_EQ(old.rlim_cur, RLIM_INFINITY);
	STEP("set");
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		check_both_hold();
		return check_failures != 0;
	}
	sets();
	check_both_hold();
	refuses_what_the_kernel_refuses();
	run_again("/proc/self/exe", "fork");
	run_again("/proc/self/exe", "spawn");
	keeps_the_hard_limit();
	return check_end();
}
