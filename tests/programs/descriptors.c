/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program gets as many descriptors as its limit allows, whatever the limit is; and with all of
 * them open it can still execute programs. The link /proc/self/exe is not followed if the caller
 * forbids it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

/* From `first` on all that there are are opened, without a gap; returns how many there are then. */
static int open_all(int first)
{
	int fd, next = first;

	while ((fd = open("/dev/null", O_RDONLY)) >= 0)
		CHECK_EQ(fd, next++);
	CHECK_EQ(errno, EMFILE);
	return next;
}

/* The lowest free one. */
static int lowest(void)
{
	int fd = dup(0);

	NEED(fd >= 0);
	close(fd);
	return fd;
}

static void limit_to(rlim_t count)
{
	struct rlimit l;

	NEED(getrlimit(RLIMIT_NOFILE, &l) == 0);
	l.rlim_cur = count;
	NEED(setrlimit(RLIMIT_NOFILE, &l) == 0);
}

static void check_limit(rlim_t count)
{
	int pair[2], first = lowest(), end;
	struct rlimit l;

	limit_to(count);
	end = open_all(first);
	CHECK_EQ(end, count);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1 && errno == EMFILE);
	CHECK(getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur == count);
	close_range((unsigned)first, ~0u, 0);
}

static void check_execution(rlim_t count)
{
	char *const argv[] = {"descriptors", "child", NULL}, *const none[] = {NULL};
	int status, first = lowest();
	pid_t pid;

	limit_to(count);
	open_all(first);
	pid = fork();
	if (pid == 0) {
		for (int fd = first; fd < (int)count; fd++)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
		execve("/proc/self/exe", argv, none);
		_exit(98);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
	close_range((unsigned)first, ~0u, 0);
}

static long open_how(uint64_t flags, uint64_t resolve)
{
	struct open_how how = {.flags = flags, .resolve = resolve};

	return syscall(SYS_openat2, AT_FDCWD, "/proc/self/exe", &how, sizeof how);
}

static void check_links(void)
{
	long fd;

	CHECK(open_how(O_RDONLY, RESOLVE_NO_MAGICLINKS) == -1 && errno == ELOOP);
	CHECK(open_how(O_RDONLY, RESOLVE_NO_SYMLINKS) == -1 && errno == ELOOP);
	CHECK(open_how(O_RDONLY | O_NOFOLLOW, 0) == -1 && errno == ELOOP);
	CHECK(open("/proc/self/exe", O_RDONLY | O_NOFOLLOW) == -1 && errno == ELOOP);
	fd = open_how(O_RDONLY, 0);
	CHECK(fd >= 0);
	close((int)fd);
}

int main(int argc, char **argv)
{
	static const rlim_t limits[] = {1024, 256, 16, 8, 4};

	(void)argv;
	if (argc > 1)
		return 7;
	close_range(3, ~0u, 0);
	check_links();
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		check_limit(limits[i]);
	check_execution(16);
	check_execution(5);
	return check_end();
}
