/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that restrict themselves: every descriptor, the root directory, privileges, system
 * calls. Each must continue as natively. The argument chooses; without root the steps that need it
 * are left out.
 */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Some work that needs code which has not run before. */
__attribute__((noinline)) static double work(void)
{
	uint64_t seed = 31337;
	double sum = 0;
	char text[64];

	for (int i = 0; i < 200000; i++)
		sum += (double)(check_random(&seed) % 1000) / 7;
	snprintf(text, sizeof(text), "%.3f", sum);
	return strtod(text, NULL);
}

static int next_free(void)
{
	int fd = open("/dev/null", O_RDONLY);

	close(fd);
	return fd;
}

static void *thread(void *arg)
{
	*(double *)arg = work();
	return NULL;
}

static void check_life(void)
{
	static double first;
	double d = work();
	pthread_t t;
	int status;

	if (first == 0)
		first = d;
	CHECK(d == first);
	NEED(pthread_create(&t, NULL, thread, &d) == 0 && pthread_join(t, NULL) == 0);
	CHECK(d == first);
	pid_t pid = fork();

	if (pid == 0)
		_exit(work() == first ? 23 : 1);
	NEED(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 23);
}

static int descriptors(const char *self)
{
	int high, status;

	CHECK_EQ(next_free(), 3);
	CHECK(close_range(3, ~0u, 0) == 0);
	check_life();
	STEP("close_range");
	for (int fd = 3; fd < 20000; fd++)
		CHECK(close(fd) == -1 && errno == EBADF);
	check_life();
	STEP("closed one by one");
	/* Over every number that somebody might have hidden a descriptor at. */
	struct rlimit limit;

	NEED(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	high = limit.rlim_cur > 4096 ? 4096 : (int)limit.rlim_cur;
	for (int fd = 3; fd < high; fd++)
		CHECK(dup2(1, fd) == fd && fcntl(fd, F_GETFD) == 0);
	CHECK(dup3(1, (int)limit.rlim_cur - 1, O_CLOEXEC) == (int)limit.rlim_cur - 1);
	CHECK(dup2(1, (int)limit.rlim_cur) == -1);
	CHECK(open("/dev/null", O_RDONLY) >= high);
	check_life();
	STEP("dup2 over all");
	CHECK(syscall(SYS_close_range, 3, ~0u, 4 /* CLOSE_RANGE_CLOEXEC */) == 0);
	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		execl(self, self, "alive", NULL);
		_exit(1);
	}
	NEED(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	close_range(3, ~0u, 0);
	limit.rlim_cur = 3;
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0 && open("/dev/null", O_RDONLY) == -1 &&
	      errno == EMFILE);
	check_life();
	return check_end();
}

static int root(void)
{
	char dir[] = "/tmp/root-XXXXXX", got[64];

	if (geteuid() != 0)
		return check_end();
	NEED(mkdtemp(dir));
	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		NEED(chroot(dir) == 0 && chdir("/") == 0);
		CHECK(access("/proc", F_OK) == -1 && access("/dev/null", F_OK) == -1);
		CHECK(getcwd(got, sizeof(got)) && strcmp(got, "/") == 0);
		check_life();
		_exit(check_end());
	}
	int status;

	NEED(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	CHECK(rmdir(dir) == 0);
	return check_end();
}

static int user(const char *self)
{
	if (geteuid() != 0)
		return check_end();
	NEED(setgid(65534) == 0 && setuid(65534) == 0);
	CHECK(setuid(0) == -1 && getuid() == 65534);
	check_life();
	STEP("nobody");
	CHECK(prctl(PR_SET_DUMPABLE, 0) == 0 && prctl(PR_GET_DUMPABLE) == 0);
	check_life();
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	if (check_failures)
		return check_end();
	STEP("a new program as nobody");
	execl(self, self, "alive", NULL);
	/* The build directory may be out of nobody's reach: then there is nothing to run. */
	CHECK(errno == EACCES);
	return check_life(), check_end();
}

#define ALLOW(name)                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* What is left: output, memory, and the end. Everything else fails with EPERM; getppid with 77. */
static int filter(void)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(write),
		ALLOW(exit_group),
		ALLOW(exit),
		ALLOW(brk),
		ALLOW(newfstatat),
		ALLOW(fstat),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 77),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	STEP("before the filter");
	NEED(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	NEED(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0);
	CHECK(syscall(SYS_getppid) == -1 && errno == 77);
	CHECK(open("/dev/null", O_RDONLY) == -1 && errno == EPERM);
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	CHECK(work() == work());
	STEP("under the filter");
	return check_end();
}

/* The strict mode: read, write, exit, sigreturn, and death for all else. */
static int strict(void)
{
	int status;

	fflush(stdout);
	for (int bad = 0; bad < 2; bad++) {
		pid_t pid = fork();

		if (pid == 0) {
			if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
				syscall(SYS_exit, 99);
			double d = work();

			if (bad)
				syscall(SYS_getpid);
			syscall(SYS_exit, d > 0 ? 8 : 1);
		}
		NEED(waitpid(pid, &status, 0) == pid);
		CHECK(bad ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
			  : WIFEXITED(status) && WEXITSTATUS(status) == 8);
	}
	STEP("strict");
	return check_end();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "descriptors";
	char self[4096];

	if (!strcmp(what, "alive")) {
		check_life();
		return check_end();
	}
	if (!strcmp(what, "root"))
		return root();
	if (!strcmp(what, "filter"))
		return filter();
	if (!strcmp(what, "strict"))
		return strict();
	NEED(realpath(argv[0], self));
	return strcmp(what, "user") ? descriptors(self) : user(self);
}
