/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of a running program cannot be written to, under any name: it is a copy of this one,
 * which tries all ways. Its bytes must be unchanged afterwards. Its interpreter and other files are
 * not protected in this way.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

#define REFUSED(call) check_refused((call), #call, __LINE__)

static void check_refused(long result, const char *what, int line)
{
	if (result == -1 && errno == ETXTBSY)
		return;
	printf("FAIL line %d: %s: %ld, %s\n", line, what, result, strerror(errno));
	check_failures++;
	if (result >= 0)
		close((int)result);
}

static long open2(int dir, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = {.flags = flags, .resolve = resolve};

	return syscall(SYS_openat2, dir, path, &how, sizeof how);
}

static void try_name(const char *name)
{
	REFUSED(open(name, O_WRONLY));
	REFUSED(open(name, O_RDWR | O_APPEND));
	REFUSED(open(name, O_RDONLY | O_TRUNC));
	REFUSED(open(name, O_WRONLY | O_CREAT | O_TRUNC, 0700));
	REFUSED(syscall(SYS_open, name, O_WRONLY, 0));
	REFUSED(creat(name, 0700));
	REFUSED(truncate(name, 1));
	REFUSED(open2(AT_FDCWD, name, O_RDWR, 0));
	CHECK(open(name, O_WRONLY | O_CREAT | O_EXCL, 0700) == -1 && errno == EEXIST);
	CHECK(open(name, O_WRONLY | O_DIRECTORY) == -1 && errno == ENOTDIR);
	CHECK(truncate(name, -1) == -1 && errno == EINVAL);
}

static void try_others(const char *dir)
{
	struct stat st;
	int fd;

	CHECK_EQ(chdir(dir), 0);
	fd = open("other", O_RDWR | O_CREAT | O_TRUNC, 0700);
	NEED(fd >= 0);
	CHECK_EQ(write(fd, "text", 4), 4);
	CHECK_EQ(truncate("other", 2), 0);
	CHECK(fstat(fd, &st) == 0 && st.st_size == 2);
	close(fd);
	fd = open("copy", O_RDONLY);
	CHECK(fd >= 0);
	close(fd);
	fd = open("copy", O_PATH | O_WRONLY);
	CHECK(fd >= 0);
	close(fd);
}

/* In the copy: argv[1] is the directory that it is in. */
static int run_copy(const char *dir)
{
	char path[4096];
	struct stat before, after;
	int fd = open(dir, O_PATH | O_DIRECTORY);

	NEED(fd >= 0 && stat("/proc/self/exe", &before) == 0);
	snprintf(path, sizeof path, "%s/copy", dir);
	try_name(path);
	try_name("/proc/self/exe");
	snprintf(path, sizeof path, "%s/link", dir);
	CHECK_EQ(symlink("copy", path), 0);
	try_name(path);
	snprintf(path, sizeof path, "%s/hard", dir);
	CHECK_EQ(linkat(fd, "copy", fd, "hard", 0), 0);
	try_name(path);
	REFUSED(openat(fd, "copy", O_WRONLY));
	REFUSED(open2(fd, "copy", O_WRONLY, RESOLVE_BENEATH));
	try_others(dir);
	/* Another file may take its name, which can be written to then. */
	CHECK_EQ(rename("other", "copy"), 0);
	CHECK_EQ(truncate("copy", 0), 0);
	REFUSED(open("hard", O_WRONLY));
	CHECK(stat("hard", &after) == 0 && after.st_size == before.st_size);
	return check_end();
}

static void copy_self(const char *to)
{
	static char buffer[1 << 16];
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	ssize_t n;

	NEED(in >= 0 && out >= 0);
	while ((n = read(in, buffer, sizeof buffer)) > 0)
		NEED(write(out, buffer, (size_t)n) == n);
	close(in);
	close(out);
}

int main(int argc, char **argv)
{
	char dir[] = "/tmp/textbusy-XXXXXX", path[64];
	const char *const left[] = {"copy", "link", "hard", "other"};
	int status;
	pid_t child;

	if (argc > 1)
		return run_copy(argv[1]);
	NEED(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/copy", dir);
	copy_self(path);
	child = fork();
	if (child == 0) {
		execl(path, path, dir, (char *)NULL);
		_exit(98);
	}
	NEED(child > 0 && waitpid(child, &status, 0) == child);
	CHECK_EQ(status, 0);
	for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, left[i]);
		unlink(path);
	}
	rmdir(dir);
	return check_end();
}
