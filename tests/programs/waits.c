/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One thread waits for another without a visible system call: in a page fault that the other one
 * resolves, in a call that reads such a page, by spinning, under vfork. Each must end as fast as
 * the threads allow. An alarm ends a run that hangs.
 */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <immintrin.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PAGES 24
#define PAGE  4096ul

static volatile unsigned char *area;
static int fault_fd = -1;

/* Fills the pages that others fault on, until `PAGES` of them are there. */
static void *fill(void *content)
{
	for (int i = 0; i < PAGES; i++) {
		struct pollfd p = {.fd = fault_fd, .events = POLLIN};
		struct uffd_msg m;

		if (poll(&p, 1, 3000) != 1 || read(fault_fd, &m, sizeof(m)) != (ssize_t)sizeof(m))
			break;
		uint64_t at = m.arg.pagefault.address & ~(PAGE - 1);
		struct uffdio_copy c = {
			.dst = at, .src = (uint64_t)(uintptr_t)content, .len = PAGE};

		((unsigned char *)content)[8] =
			(unsigned char)((at - (uint64_t)(uintptr_t)area) / PAGE);
		if (ioctl(fault_fd, UFFDIO_COPY, &c) != 0)
			break;
	}
	return NULL;
}

static int open_faults(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);

	if (fd < 0)
		return -1;
	NEED(ioctl(fd, UFFDIO_API, &api) == 0);
	return fd;
}

/* PAGES pages that `fill` will fill; false where the kernel has no such thing. */
static int map_missing(int prot)
{
	if (fault_fd < 0 && (fault_fd = open_faults()) < 0)
		return 0;
	area = mmap(NULL, PAGES * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(area != MAP_FAILED);
	struct uffdio_register r = {.range = {(uint64_t)(uintptr_t)area, PAGES * PAGE},
				    .mode = UFFDIO_REGISTER_MODE_MISSING};

	NEED(ioctl(fault_fd, UFFDIO_REGISTER, &r) == 0);
	return 1;
}

static unsigned char content[PAGE] __attribute__((aligned(4096)));

/* Loads and vector loads, from more threads than one. */
static void *read_pages(void *part)
{
	uint64_t sum = 0, first = (uint64_t)(uintptr_t)part;

	for (uint64_t i = first; i < PAGES; i += 2)
		sum += area[i * PAGE + 8] + area[i * PAGE + 9];
	return (void *)(uintptr_t)sum;
}

static void faults(void)
{
	pthread_t filler, other;
	void *sum = NULL;

	if (map_missing(PROT_READ | PROT_WRITE)) {
		NEED(pthread_create(&filler, NULL, fill, content) == 0);
		NEED(pthread_create(&other, NULL, read_pages, (void *)1) == 0);
		uint64_t mine = (uint64_t)(uintptr_t)read_pages(NULL);

		pthread_join(other, &sum);
		pthread_join(filler, NULL);
		CHECK_EQ(mine + (uint64_t)(uintptr_t)sum, PAGES * (PAGES - 1) / 2);
	}
	STEP("pages that another thread fills");
}

/* mov $i, %eax; ret in each page: the fetch waits. */
static void faults_of_code(void)
{
	static const unsigned char code[] = {0x0f, 0xb6, 0x05, 1, 0, 0, 0, 0xc3};
	pthread_t filler;
	int sum = 0;

	memcpy(content, code, sizeof(code));
	if (map_missing(PROT_READ | PROT_WRITE | PROT_EXEC)) {
		NEED(pthread_create(&filler, NULL, fill, content) == 0);
		for (int i = 0; i < PAGES; i++)
			sum += ((int (*)(void))(uintptr_t)(area + i * PAGE))();
		pthread_join(filler, NULL);
		CHECK_EQ(sum, PAGES * (PAGES - 1) / 2);
	}
	STEP("code that another thread fills");
}

__attribute__((target("avx2"))) static uint64_t gather(void)
{
	const __m256i step = _mm256_setr_epi32(0, 3 * 1024, 6 * 1024, 9 * 1024, 12 * 1024,
					       15 * 1024, 18 * 1024, 21 * 1024);
	__m256i v = _mm256_i32gather_epi32((const int *)(uintptr_t)(area + 8), step, 4);
	int lanes[8];
	uint64_t sum = 0;

	memcpy(lanes, &v, sizeof(lanes));
	for (int i = 0; i < 8; i++)
		sum += (uint64_t)lanes[i] & 255;
	return sum;
}

/*
 * Instructions that touch many pages, and such that write. The filler waits for all pages: the rest
 * are read.
 */
static void faults_of_strings(void)
{
	static unsigned char copy[PAGES * PAGE];
	pthread_t filler;

	for (int kind = 0; kind < 4; kind++) {
		uint64_t sum = 0;

		memset(content, 0, sizeof(content));
		if (!map_missing(PROT_READ | PROT_WRITE))
			break;
		NEED(pthread_create(&filler, NULL, fill, content) == 0);
		void *to = kind == 1 ? (void *)(uintptr_t)area : copy,
		     *from = (void *)(uintptr_t)area;
		uint64_t count = sizeof(copy);

		if (kind == 0)
			__asm__ volatile("rep movsb"
					 : "+D"(to), "+S"(from), "+c"(count)
					 :
					 : "memory");
		if (kind == 1)
			__asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(1) : "memory");
		if (kind == 2 && __builtin_cpu_supports("avx2"))
			CHECK_EQ(gather(), 3 * (0 + 1 + 2 + 3 + 4 + 5 + 6 + 7));
		for (int i = 0; i < PAGES; i++)
			sum += kind == 0   ? copy[(uint64_t)i * PAGE + 8]
			       : kind == 3 ? __atomic_fetch_add(&area[(uint64_t)i * PAGE + 8], 1,
								__ATOMIC_SEQ_CST)
					   : area[(uint64_t)i * PAGE + 8];
		pthread_join(filler, NULL);
		CHECK_EQ(sum, kind == 1 ? PAGES : PAGES * (PAGES - 1) / 2);
	}
	STEP("strings, gathers and additions");
}

static int ends[2];

static void *drain(void *count)
{
	char bytes[100];
	ssize_t n;

	while (*(int *)count > 0 && (n = read(ends[0], bytes, sizeof(bytes))) > 0)
		*(int *)count -= (int)n;
	return NULL;
}

/* Who writes more than a pipe holds waits for the thread that reads. */
static void pipe_to_itself(void)
{
	static char much[90000];
	int count = sizeof(much);
	pthread_t reader;

	NEED(pipe(ends) == 0);
	NEED(pthread_create(&reader, NULL, drain, &count) == 0);
	CHECK_EQ(write(ends[1], much, sizeof(much)), sizeof(much));
	pthread_join(reader, NULL);
	CHECK_EQ(count, 0);
	STEP("a pipe");
}

static volatile int flag, seen;

static void *set_flag(void *yields)
{
	while (!flag)
		if (yields)
			sched_yield();
	seen = 1;
	return NULL;
}

static void spinning(void)
{
	pthread_t other;

	for (int yields = 0; yields < 2; yields++) {
		flag = seen = 0;
		NEED(pthread_create(&other, NULL, set_flag, yields ? content : NULL) == 0);
		flag = 1;
		while (!seen)
			if (yields)
				sched_yield();
		pthread_join(other, NULL);
	}
	STEP("spinning");
}

static void *write_late(void *arg)
{
	(void)arg;
	usleep(10000);
	CHECK_EQ(write(ends[1], "x", 1), 1);
	return NULL;
}

/* The child of vfork waits for a thread of its parent, and the parent for the child. */
static void vfork_waits(void)
{
	pthread_t other;
	char byte;
	int status;

	NEED(pipe(ends) == 0);
	NEED(pthread_create(&other, NULL, write_late, NULL) == 0);
	pid_t pid = vfork();

	if (pid == 0)
		_exit(read(ends[0], &byte, 1) == 1 ? 5 : 1);
	NEED(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5);
	pthread_join(other, NULL);
	STEP("vfork");
}

static char lock_name[64];

static void *lock_later(void *arg)
{
	int fd = open(lock_name, O_RDWR);

	(void)arg;
	NEED(fd >= 0);
	flag = 1;
	CHECK(flock(fd, LOCK_EX) == 0);
	seen = 1;
	close(fd);
	return NULL;
}

static void file_locks(void)
{
	pthread_t other;
	int fd;

	strcpy(lock_name, "/tmp/waits-XXXXXX");
	fd = mkstemp(lock_name);
	NEED(fd >= 0 && flock(fd, LOCK_EX) == 0);
	flag = seen = 0;
	NEED(pthread_create(&other, NULL, lock_later, NULL) == 0);
	while (!flag)
		;
	CHECK_EQ(seen, 0);
	CHECK(flock(fd, LOCK_UN) == 0);
	pthread_join(other, NULL);
	CHECK_EQ(seen, 1);
	close(fd);
	unlink(lock_name);
	STEP("file locks");
}

/* The kernel reads a page that is missing: a write, a call that the engine does itself, a stat. */
static void faults_in_calls(void)
{
	pthread_t filler;
	int fd = memfd_create("waits", 0),
	    in_kernel = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	struct uffdio_api api = {.api = UFFD_API};

	memset(content, 0, sizeof(content));
	if (in_kernel >= 0 && ioctl(in_kernel, UFFDIO_API, &api) == 0) {
		if (fault_fd >= 0)
			close(fault_fd);
		fault_fd = in_kernel;
		map_missing(PROT_READ | PROT_WRITE);
		NEED(pthread_create(&filler, NULL, fill, content) == 0);
		for (int i = 0; i < PAGES; i++) {
			struct timespec *t = (void *)(uintptr_t)(area + i * PAGE + 64);

			if (i % 3 == 0)
				CHECK_EQ(write(fd, (const void *)t, 100), 100);
			else if (i % 3 == 1)
				CHECK(fstatat(AT_FDCWD, (const char *)t, &(struct stat){0}, 0) ==
				      -1);
			else
				CHECK(syscall(SYS_rt_sigprocmask, 2, t, NULL, 8) == 0);
		}
		pthread_join(filler, NULL);
	}
	close(fd);
	STEP("calls that read pages which another thread fills");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "faults";

	alarm(20);
	if (!strcmp(what, "faults")) {
		faults();
		faults_of_code();
		faults_of_strings();
	} else if (!strcmp(what, "calls")) {
		faults_in_calls();
		vfork_waits();
	} else {
		pipe_to_itself();
		spinning();
		file_locks();
	}
	return check_end();
}
