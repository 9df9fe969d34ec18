/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that share the memory of this one (CLONE_VM without CLONE_THREAD), with or without
 * signal handlers. One waits for the other: in a page fault, a futex, a pipe, by spinning; one
 * ends, or is killed. An alarm ends a run that hangs.
 *
 *   comrades served | serves | hidden | waits | ends | killed
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"

#define PAGES 24
#define PAGE  4096ul
#define STACK (256ul << 10)
#define TURNS 40
#define KILLS 100

static const int kinds[] = {CLONE_VM | CLONE_FILES | CLONE_FS | CLONE_SIGHAND,
			    CLONE_VM | CLONE_FILES, CLONE_VM | CLONE_SIGHAND};

#define KINDS 3

static uint8_t stack[STACK] __attribute__((aligned(64)));
static uint8_t content[PAGE] __attribute__((aligned(4096)));
static volatile uint8_t *area;
static int fault_fd;
static volatile uint32_t word, seen;
static int ends[2];

/* Runs in the child, which must not use the locks of libc. */
static pid_t begin(int kind, int (*run)(void *), void *with)
{
	const pid_t pid = clone(run, stack + STACK, kinds[kind] | SIGCHLD, with);

	NEED(pid > 0);
	return pid;
}

static void check_status(pid_t pid, int wanted)
{
	int status = 0;

	NEED(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, wanted);
}

static uint64_t work(uint32_t rounds)
{
	uint64_t state = 88172645463325252ull, sum = 0;

	for (uint32_t i = 0; i < rounds; i++)
		sum += check_random(&state) & 0xff;
	return sum;
}

/* ---- Page faults ---- */

/* False where the kernel does not allow it. */
static int map_missing(void)
{
	struct uffdio_api api = {.api = UFFD_API};

	fault_fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
	if (fault_fd < 0)
		return 0;
	NEED(ioctl(fault_fd, UFFDIO_API, &api) == 0);
	area = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(area != MAP_FAILED);
	struct uffdio_register r = {.range = {(uint64_t)(uintptr_t)area, PAGES * PAGE},
				    .mode = UFFDIO_REGISTER_MODE_MISSING};

	NEED(ioctl(fault_fd, UFFDIO_REGISTER, &r) == 0);
	return 1;
}

static void end_missing(void)
{
	NEED(munmap((void *)(uintptr_t)area, PAGES * PAGE) == 0);
	close(fault_fd);
}

static int fill(void *unused)
{
	(void)unused;
	for (int i = 0; i < PAGES; i++) {
		struct pollfd p = {.fd = fault_fd, .events = POLLIN};
		struct uffd_msg m;

		if (poll(&p, 1, 5000) != 1 || read(fault_fd, &m, sizeof m) != (ssize_t)sizeof m)
			return 1;
		const uint64_t at = m.arg.pagefault.address & ~(PAGE - 1);
		struct uffdio_copy c = {
			.dst = at, .src = (uint64_t)(uintptr_t)content, .len = PAGE};

		content[8] = (uint8_t)((at - (uint64_t)(uintptr_t)area) / PAGE);
		if (ioctl(fault_fd, UFFDIO_COPY, &c) != 0)
			return 2;
	}
	return 0;
}

static int read_pages(void *unused)
{
	uint64_t sum = 0;

	(void)unused;
	for (uint64_t i = 0; i < PAGES; i++)
		sum += area[i * PAGE + 8];
	return sum == PAGES * (PAGES - 1) / 2 ? 0 : 3;
}

static void served(int by_parent)
{
	for (int kind = 0; kind < KINDS; kind++) {
		/* the third kind does not share descriptors: it inherits them */
		if (!map_missing())
			break;
		const pid_t pid = begin(kind, by_parent ? read_pages : fill, NULL);

		CHECK_EQ(by_parent ? fill(NULL) : read_pages(NULL), 0);
		check_status(pid, 0);
		end_missing();
	}
	STEP("pages that the %s fills", by_parent ? "parent" : "child");
}

/* ---- Futexes, pipes, spinning ---- */

static void await_word(uint32_t value)
{
	uint32_t now;

	while ((now = word) != value)
		syscall(SYS_futex, &word, FUTEX_WAIT, now, NULL, NULL, 0);
}

static void set_word(uint32_t value)
{
	word = value;
	syscall(SYS_futex, &word, FUTEX_WAKE, 100, NULL, NULL, 0);
}

static int answer(void *unused)
{
	(void)unused;
	for (uint32_t i = 0; i < TURNS; i++) {
		await_word(2 * i + 1);
		set_word(2 * i + 2);
	}
	return 0;
}

static void futexes(void)
{
	for (int kind = 0; kind < KINDS; kind++) {
		word = 0;
		const pid_t pid = begin(kind, answer, NULL);

		for (uint32_t i = 0; i < TURNS; i++) {
			set_word(2 * i + 1);
			await_word(2 * i + 2);
		}
		check_status(pid, 0);
	}
	STEP("futexes");
}

static int write_much(void *unused)
{
	static char much[5000];

	(void)unused;
	for (int i = 0; i < TURNS; i++)
		if (write(ends[1], much, sizeof much) != (ssize_t)sizeof much)
			return 1;
	return 0;
}

static void pipes(void)
{
	static char bytes[3000];

	for (int kind = 0; kind < KINDS; kind++) {
		size_t got = 0;

		NEED(pipe(ends) == 0);
		const pid_t pid = begin(kind, write_much, NULL);

		while (got < TURNS * 5000) {
			ssize_t n = read(ends[0], bytes, sizeof bytes);

			NEED(n > 0);
			got += (size_t)n;
		}
		check_status(pid, 0);
		close(ends[0]);
		close(ends[1]);
	}
	STEP("pipes");
}

static int spin(void *unused)
{
	(void)unused;
	for (uint32_t i = 0; i < TURNS; i++) {
		while (word != 2 * i + 1)
			;
		word = 2 * i + 2;
	}
	return 0;
}

static void spinning(void)
{
	for (int kind = 0; kind < KINDS; kind++) {
		word = 0;
		const pid_t pid = begin(kind, spin, NULL);

		for (uint32_t i = 0; i < TURNS; i++) {
			word = 2 * i + 1;
			while (word != 2 * i + 2)
				;
		}
		check_status(pid, 0);
	}
	STEP("spinning");
}

/* The child of vfork works for long, and waits for a process that shares the memory, too. */
static void long_vfork(void)
{
	const uint64_t right = work(2000000);

	for (int kind = 0; kind < KINDS; kind++) {
		word = 0;
		const pid_t other = begin(kind, answer, NULL);
		const pid_t pid = vfork();

		if (pid == 0) {
			for (uint32_t i = 0; i < TURNS; i++) {
				set_word(2 * i + 1);
				await_word(2 * i + 2);
			}
			_exit(work(2000000) == right ? 5 : 6);
		}
		check_status(pid, 5 << 8);
		check_status(other, 0);
	}
	STEP("a long child of vfork");
}

/* ---- Ends ---- */

static int end_all(void *status)
{
	syscall(SYS_exit_group, (int)(intptr_t)status);
	return 0;
}

static int work_for_ever(void *unused)
{
	(void)unused;
	seen = 1;
	while (seen)
		work(1000);
	return 0;
}

static int crash(void *unused)
{
	(void)unused;
	signal(SIGSEGV, SIG_DFL);
	*(volatile int *)8 = 1;
	return 0;
}

static int execute(void *name)
{
	char *const argv[] = {name, "quick", NULL};

	execv("/nowhere", argv);
	execv("/proc/self/exe", argv);
	return 1;
}

static void ending(char *name)
{
	const uint64_t right = work(1000000);

	for (int kind = 0; kind < KINDS; kind++) {
		check_status(begin(kind, execute, name), 9 << 8);
		CHECK_EQ(work(1000000), right);
		check_status(begin(kind, end_all, (void *)7), 7 << 8);
		CHECK_EQ(work(1000000), right);
		seen = 0;
		pid_t pid = begin(kind, work_for_ever, NULL);

		while (!seen)
			;
		CHECK_EQ(work(1000000), right);
		NEED(kill(pid, SIGKILL) == 0);
		check_status(pid, SIGKILL);
		CHECK_EQ(work(1000000), right);
		if (kinds[kind] & CLONE_SIGHAND)
			continue;
		seen = 0;
		pid = begin(kind, work_for_ever, NULL);
		while (!seen)
			;
		NEED(kill(pid, SIGTERM) == 0);
		check_status(pid, SIGTERM);
		CHECK_EQ(work(1000000), right);
		pid = begin(kind, crash, NULL);
		int status = 0;

		NEED(waitpid(pid, &status, 0) == pid);
		CHECK_EQ(status & 0x7f, SIGSEGV);
		CHECK_EQ(work(1000000), right);
	}
	STEP("ends");
}

/* Maps memory for ever, and runs code, so that it is killed anywhere. */
static int map_for_ever(void *unused)
{
	(void)unused;
	for (;;) {
		uint8_t *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);

		if (p == MAP_FAILED)
			return 1;
		seen = 1;
		p[seen] = (uint8_t)work(10);
		munmap(p, PAGE);
	}
	return 0;
}

static void killing(void)
{
	const uint64_t right = work(20000);
	uint64_t state = 1;

	for (int i = 0; i < KILLS; i++) {
		seen = 0;
		const pid_t pid = begin(i % KINDS, map_for_ever, NULL);
		struct timespec a_moment = {0, (long)(check_random(&state) % 1000000)};

		while (!seen)
			sched_yield();
		nanosleep(&a_moment, NULL);
		NEED(kill(pid, SIGKILL) == 0);
		CHECK_EQ(work(20000), right);
		check_status(pid, SIGKILL);
	}
	STEP("kills at any moment");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "served";

	if (!strcmp(what, "quick"))
		return work(1000) ? 9 : 8;
	alarm(30);
	if (!strcmp(what, "served")) {
		served(0);
	} else if (!strcmp(what, "serves")) {
		served(1);
	} else if (!strcmp(what, "hidden")) {
		/* they may not look at each other in /proc */
		if (geteuid() == 0)
			NEED(setuid(65534) == 0);
		NEED(prctl(PR_SET_DUMPABLE, 0) == 0);
		served(0);
		served(1);
	} else if (!strcmp(what, "killed")) {
		killing();
	} else if (!strcmp(what, "waits")) {
		futexes();
		pipes();
		spinning();
		long_vfork();
	} else {
		ending(argv[0]);
	}
	return check_end();
}
