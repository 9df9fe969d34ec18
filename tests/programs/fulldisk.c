/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A full disk, and one with a quota. Calls fail, and mappings of files get SIGBUS where there is no
 * space for their pages, even in code. The disks are in memory, in a mount namespace of a child.
 * Without the rights, or the kernel's support for quotas, the test is left out.
 */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define PAGE  4096
#define PAGES 32

static sigjmp_buf back;
static void *volatile fault_at;
static char folder[64];

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)context;
	fault_at = info->si_addr;
	siglongjmp(back, sig << 8 | info->si_code);
}

static int open_file(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	NEED(fd >= 0);
	return fd;
}

/* Bytes that find room in the file, which then ends with this error. */
static long fill(int fd, int error)
{
	static char page[PAGE];
	long bytes = 0, n;

	while ((n = write(fd, page, sizeof(page))) > 0)
		bytes += n;
	CHECK(n == -1 && errno == error);
	return bytes;
}

/* 256 * signal + code, or what the code there gives. */
static int try(unsigned char *at)
{
	const int r = sigsetjmp(back, 1);

	return r ? r : ((int (*)(void))(uintptr_t)at)();
}

static int try_write(volatile unsigned char *at)
{
	const int r = sigsetjmp(back, 1);

	if (!r)
		*at = 1;
	return r;
}

static void check_mappings(void)
{
	static const unsigned char code[] = {0xb8, 7, 0, 0, 0, 0xc3}; /* mov $7, %eax; ret */
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	int sparse = open_file("sparse"), ends[2];
	volatile int touched = 0;

	NEED(sigaction(SIGBUS, &sa, NULL) == 0 && sigaction(SIGSEGV, &sa, NULL) == 0);
	NEED(ftruncate(sparse, 2 * PAGES * PAGE) == 0 && pwrite(sparse, code, sizeof(code), 0) > 0);
	unsigned char *data =
		mmap(NULL, 2 * PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, sparse, 0);
	unsigned char *run =
		mmap(NULL, 2 * PAGES * PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, sparse, 0);

	NEED(data != MAP_FAILED && run != MAP_FAILED && pipe(ends) == 0);
	CHECK_EQ(try(run), 7);
	while (touched < 2 * PAGES && try_write(data + touched * PAGE) == 0)
		touched = touched + 1;
	STEP("%d pages", touched);
	CHECK(touched > 0 && touched < 2 * PAGES);
	CHECK_EQ(try_write(data + touched * PAGE + 5), SIGBUS << 8 | BUS_ADRERR);
	CHECK(fault_at == data + touched * PAGE + 5);
	CHECK(write(ends[1], "abc", 3) == 3 && read(ends[0], data + touched * PAGE, 3) == -1 &&
	      errno == EFAULT);
	CHECK_EQ(try(run + touched * PAGE + 16), SIGBUS << 8 | BUS_ADRERR);
	CHECK(fault_at == run + touched * PAGE + 16);
	data[0] = 0xb8;
	data[1] = 9;
	CHECK_EQ(try(run), 9);
	/* Room again: the same code has a page. */
	CHECK(fallocate(sparse, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, PAGE, 4 * PAGE) == 0);
	memcpy(data + touched * PAGE + 16, code, sizeof(code));
	CHECK_EQ(try(run + touched * PAGE + 16), 7);
	STEP("mappings");
}

static int mount_disk(const char *options)
{
	return mount("none", folder, "tmpfs", 0, options);
}

static int in_child(int (*fn)(void))
{
	int status;

	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		/* What is mounted here is seen nowhere else, and gone with the child. */
		if (unshare(CLONE_NEWNS) != 0 ||
		    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
			_exit(77);
		_exit(fn());
	}
	NEED(waitpid(pid, &status, 0) == pid);
	CHECK(status == 0 || status == 77 << 8);
	return status == 0;
}

static int full(void)
{
	if (mount_disk("size=128k") != 0)
		return 77;
	int fd = open_file("full");

	STEP("%ld bytes", fill(fd, ENOSPC));
	CHECK(fallocate(fd, 0, 0, 2 * PAGES * PAGE) == -1 && errno == ENOSPC);
	CHECK(ftruncate(fd, 0) == 0);
	close(fd);
	check_mappings();
	return check_failures != 0;
}

static int quota(void)
{
	if (mount_disk("mode=777,usrquota,usrquota_block_hardlimit=65536") != 0)
		return 77;
	NEED(setgid(65534) == 0 && setuid(65534) == 0);
	STEP("%ld bytes", fill(open_file("mine"), EDQUOT));
	return check_failures != 0;
}

int main(void)
{
	strcpy(folder, "/tmp/fulldisk-XXXXXX");
	NEED(mkdtemp(folder));
	STEP(in_child(full) ? "full" : "no disk");
	STEP(in_child(quota) ? "quota" : "no quota");
	CHECK(rmdir(folder) == 0);
	return check_end();
}
