/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program can read about itself: argv[0], comm, /proc/self/exe by every
 * system call, the command line, the auxiliary vector, the environment.
 */
#define _GNU_SOURCE
#include "check.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/membarrier.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

extern char **environ;
extern char _start[];
extern const ElfW(Ehdr) __ehdr_start;

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static size_t read_file(const char *path, char *buf, size_t room)
{
	int fd = open(path, O_RDONLY);
	ssize_t n;

	NEED(fd >= 0);
	n = read(fd, buf, room - 1);
	NEED(n >= 0);
	buf[n] = 0;
	close(fd);
	return (size_t)n;
}

static void check_exe(const char *real)
{
	char path[4096], self[64];
	struct stat a, b, c;
	struct statx x;
	ssize_t n;
	int fd, dir;
	unsigned char mine[64], first[64];
	char *volatile nowhere = (char *)8;

	snprintf(self, sizeof(self), "/proc/%d/exe", (int)getpid());
	for (int i = 0; i < 3; i++) {
		const char *link = i == 0   ? "/proc/self/exe"
				   : i == 1 ? self
					    : "/proc/thread-self/exe";

		n = readlink(link, path, sizeof(path) - 1);
		NEED(n > 0);
		path[n] = 0;
		CHECK(strcmp(path, real) == 0);
	}
	n = readlinkat(AT_FDCWD, "/proc/self/exe", path, 5);
	CHECK(n == 5 && memcmp(path, real, 5) == 0);
	dir = open("/proc/self", O_PATH | O_DIRECTORY);
	n = readlinkat(dir, "exe", path, sizeof(path) - 1);
	NEED(n > 0);
	path[n] = 0;
	CHECK(strcmp(path, real) == 0);
	close(dir);
	CHECK(stat("/proc/self/exe", &a) == 0 && stat(real, &b) == 0);
	CHECK(a.st_ino == b.st_ino && a.st_dev == b.st_dev && a.st_size == b.st_size);
	CHECK(statx(AT_FDCWD, "/proc/self/exe", 0, STATX_ALL, &x) == 0 && x.stx_ino == b.st_ino);
	CHECK(lstat("/proc/self/exe", &c) == 0 && S_ISLNK(c.st_mode));
	CHECK(access("/proc/self/exe", X_OK) == 0);
	fd = open("/proc/self/exe", O_RDONLY);
	NEED(fd >= 0 && read(fd, mine, 64) == 64 && fstat(fd, &c) == 0);
	CHECK(c.st_ino == b.st_ino);
	memcpy(first, &__ehdr_start, 64);
	CHECK(memcmp(mine, first, 64) == 0);
	close(fd);
	CHECK(readlink("/proc/self/exe", nowhere, 64) == -1 && errno == EFAULT);
}

static void check_names(char **argv)
{
	char buf[65536], comm[17] = "";
	size_t n = read_file("/proc/self/cmdline", buf, sizeof(buf)), at = 0;

	for (char **a = argv; *a; a++) {
		CHECK(at < n && strcmp(buf + at, *a) == 0);
		at += strlen(buf + at) + 1;
	}
	CHECK_EQ(at, n);
	NEED(prctl(PR_GET_NAME, comm) == 0);
	CHECK(strncmp(comm, base_name((char *)getauxval(AT_EXECFN)), 15) == 0);
	read_file("/proc/self/comm", buf, sizeof(buf));
	buf[strcspn(buf, "\n")] = 0;
	CHECK(strcmp(buf, comm) == 0);
	STEP("comm %s", comm);
	NEED(prctl(PR_SET_NAME, "renamed") == 0);
	read_file("/proc/self/comm", buf, sizeof(buf));
	CHECK(strcmp(buf, "renamed\n") == 0);
	read_file("/proc/self/stat", buf, sizeof(buf));
	CHECK(strstr(buf, "(renamed)") != NULL);
}

static void check_auxv(void)
{
	const ElfW(Phdr) *phdr = (void *)getauxval(AT_PHDR);

	CHECK_EQ(getauxval(AT_ENTRY), (uintptr_t)_start);
	CHECK_EQ((uintptr_t)phdr, (uintptr_t)&__ehdr_start + __ehdr_start.e_phoff);
	CHECK_EQ(getauxval(AT_PHNUM), __ehdr_start.e_phnum);
	CHECK_EQ(getauxval(AT_PHENT), sizeof(ElfW(Phdr)));
	CHECK_EQ(getauxval(AT_PAGESZ), 4096);
	CHECK_EQ(getauxval(AT_UID), getuid());
	CHECK_EQ(getauxval(AT_EGID), getegid());
	CHECK_EQ(getauxval(AT_SECURE), 0);
	CHECK(strcmp((char *)getauxval(AT_PLATFORM), "x86_64") == 0);
	CHECK(getauxval(AT_RANDOM) != 0 && getauxval(AT_CLKTCK) == 100);
	if (getauxval(AT_BASE))
		CHECK(memcmp((void *)getauxval(AT_BASE), "\177ELF", 4) == 0);
	STEP("execfn %s", base_name((char *)getauxval(AT_EXECFN)));
}

/* The stack as the kernel builds it: argv, environment, then the auxiliary vector. */
static void check_layout(int argc, char **argv)
{
	int n = 0;
	char **end;

	CHECK(argv + argc + 1 == environ);
	for (end = environ; *end; end++) {
		n++;
		if (strncmp(*end, "DWELL_", 6) == 0 && strncmp(*end, "DWELL_TEST_", 11) != 0)
			CHECK(!"a variable of the profiler is visible");
	}
	STEP("%d variables", n);
	CHECK_EQ(((ElfW(auxv_t) *)(end + 1))->a_type, AT_SYSINFO_EHDR);
	CHECK((uintptr_t)argv > (uintptr_t)&n && (uintptr_t)argv % 8 == 0);
}

/* Who is told that there is no rseq must be told so wherever it can be asked. */
static void check_rseq(void)
{
	const long of_rseq = MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ |
			     MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ;
	long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0), registered;

	registered = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0);
	if (syscall(SYS_rseq, NULL, 0, 0, 0) == -1 && errno == ENOSYS)
		CHECK(registered == -1 && (commands == -1 || !(commands & of_rseq)));
	if (commands != -1 && (commands & MEMBARRIER_CMD_GLOBAL))
		CHECK(syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0);
}

static int inner(int argc, char **argv)
{
	static const char *const want[] = {"FIRST=1", "EMPTY=", "LD_BIND_NOW=1", "no equals sign"};

	CHECK(argc == 3 && strcmp(argv[0], "another name") == 0 && strcmp(argv[2], "") == 0);
	for (int i = 0; i < 4; i++)
		CHECK(environ[i] && strcmp(environ[i], want[i]) == 0);
	CHECK(environ[4] == NULL);
	check_names(argv);
	check_layout(argc, argv);
	return check_end();
}

int main(int argc, char **argv)
{
	char real[4096];
	char *const new_argv[] = {"another name", "inner", "", NULL};
	char *const new_env[] = {"FIRST=1", "EMPTY=", "LD_BIND_NOW=1", "no equals sign", NULL};

	if (argc > 1 && strcmp(argv[1], "inner") == 0)
		return inner(argc, argv);
	NEED(realpath(argv[0], real));
	check_exe(real);
	check_auxv();
	check_rseq();
	check_layout(argc, argv);
	check_names(argv);
	CHECK(strcmp(program_invocation_name, argv[0]) == 0);
	if (check_failures)
		return check_end();
	execve(real, new_argv, new_env);
	NEED(!"exec");
}
