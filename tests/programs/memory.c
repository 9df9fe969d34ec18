/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The address space: brk and sbrk, mmap with hints, fixed, low, growing down, mremap, madvise,
 * protection, large allocations, and its description in /proc.
 */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define RW   (PROT_READ | PROT_WRITE)
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

static sigjmp_buf back;

static void on_fault(int sig)
{
	siglongjmp(back, sig);
}

/* Does reading (or writing) there fault? */
static int faults(volatile char *p, int write)
{
	if (sigsetjmp(back, 1))
		return 1;
	if (write)
		*p = 1;
	else
		(void)*p;
	return 0;
}

static void check_brk(void)
{
	char *start = sbrk(0), *p;

	NEED(start != (void *)-1 && (uint64_t)syscall(SYS_brk, 0) == (uint64_t)start);
	p = sbrk(1 << 20);
	CHECK(p == start && sbrk(0) == start + (1 << 20));
	memset(p, 1, 1 << 20);
	CHECK(brk(start + 4096) == 0 && sbrk(0) == start + 4096);
	CHECK(faults(start + 8192 + 4096, 0));
	CHECK(sbrk(-4096) == start + 4096 && sbrk(0) == start);
	p = sbrk(8192);
	CHECK(p == start && p[0] == 0); /* new pages are zero */
	CHECK(sbrk(-8192) != (void *)-1);
	for (int i = 0; i < 100; i++) {
		NEED(sbrk(65536) == start + i * 65536);
		start[i * 65536 + 65535] = (char)i;
	}
	CHECK(start[99 * 65536 + 65535] == 99);
	CHECK(brk(start) == 0);
	/* A break below the start is refused: the answer is where it is. */
	CHECK((uint64_t)syscall(SYS_brk, 4096) == (uint64_t)start);
	STEP("brk");
}

static void check_mmap(void)
{
	char *p = mmap(NULL, 16 * 4096, RW, ANON, -1, 0), *q;

	NEED(p != MAP_FAILED);
	CHECK(munmap(p + 4096, 4096) == 0 && faults(p + 4096, 0) && !faults(p, 1) &&
	      !faults(p + 8192, 1));
	q = mmap(p + 4096, 4096, RW, ANON, -1, 0);
	CHECK(q == p + 4096); /* the hint is free: it is taken */
	CHECK(mmap(p, 4096, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED &&
	      errno == EEXIST);
	memset(p, 7, 16 * 4096);
	CHECK(mmap(p, 4096, RW, ANON | MAP_FIXED, -1, 0) == p && p[0] == 0 && p[4096] == 7);
	CHECK(mprotect(p, 4096, PROT_READ) == 0 && faults(p, 1) && !faults(p, 0));
	CHECK(mprotect(p, 4096, PROT_NONE) == 0 && faults(p, 0));
	CHECK(mprotect(p, 4096, RW) == 0 && !faults(p, 1));
	CHECK(madvise(p + 4096, 4096, MADV_DONTNEED) == 0 && p[4096] == 0);
	q = mmap(NULL, 4096, RW, ANON | MAP_32BIT, -1, 0);
	CHECK(q != MAP_FAILED && (uint64_t)q < 1ull << 31 && !faults(q, 1));
	munmap(q, 4096);
	CHECK(mmap((void *)1, 4096, RW, ANON | MAP_FIXED, -1, 0) == MAP_FAILED && errno == EINVAL);
	CHECK(mmap(NULL, 0, RW, ANON, -1, 0) == MAP_FAILED && errno == EINVAL);
	CHECK(munmap(p, 16 * 4096) == 0);
	q = mmap(NULL, 64 << 20, RW, ANON | MAP_NORESERVE, -1, 0);
	NEED(q != MAP_FAILED);
	for (size_t i = 0; i < 64 << 20; i += 65536)
		q[i] = (char)(i >> 16);
	for (size_t i = 0; i < 64 << 20; i += 65536)
		CHECK(q[i] == (char)(i >> 16));
	CHECK(munmap(q, 64 << 20) == 0 && faults(q, 0));
	/* Much more than there is, never touched. */
	q = mmap(NULL, 1ull << 42, PROT_NONE, ANON | MAP_NORESERVE, -1, 0);
	CHECK(q != MAP_FAILED);
	CHECK(munmap(q, 1ull << 42) == 0);
	STEP("mmap");
}

static void check_growsdown(void)
{
	char *p = mmap(NULL, 512 * 4096, PROT_NONE, ANON, -1, 0), *top;

	NEED(p != MAP_FAILED && munmap(p, 512 * 4096) == 0);
	top = p + 511 * 4096;
	top = mmap(top, 4096, RW, ANON | MAP_GROWSDOWN | MAP_FIXED, -1, 0);
	NEED(top != MAP_FAILED);
	for (int i = 1; i < 50; i++)
		CHECK(!faults(top - i * 4096, 1));
	munmap(top - 49 * 4096, 50 * 4096);
	STEP("grows down");
}

static void check_mremap(void)
{
	char *p = mmap(NULL, 4 * 4096, RW, ANON, -1, 0), *q;

	NEED(p != MAP_FAILED);
	for (int i = 0; i < 4; i++)
		p[i * 4096] = (char)(i + 1);
	q = mremap(p, 4 * 4096, 4096, 0);
	CHECK(q == p && faults(p + 4096, 0));
	q = mremap(p, 4096, 512 * 4096, MREMAP_MAYMOVE);
	NEED(q != MAP_FAILED);
	CHECK(q[0] == 1 && q[511 * 4096] == 0);
	q[511 * 4096] = 5;
	p = mmap(NULL, 512 * 4096, PROT_NONE, ANON, -1, 0);
	CHECK(mremap(q, 512 * 4096, 512 * 4096, MREMAP_MAYMOVE | MREMAP_FIXED, p) == p);
	CHECK(p[0] == 1 && p[511 * 4096] == 5);
	CHECK(mremap(p, 4096, 8192, 0) == MAP_FAILED || 1);
	munmap(p, 512 * 4096);
	STEP("mremap");
}

/* Our own code, data, heap and stack stand in the map with their rights and names. */
static void check_maps(char *name)
{
	static int data = 1;
	int on_stack = 0, own = 0, writable = 0, stack = 0, last_ok = 1;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[8192], rights[8];
	uint64_t from, to, last = 0;

	NEED(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) != 3)
			continue;
		last_ok &= from >= last && to > from;
		last = to;
		if ((uint64_t)check_maps >= from && (uint64_t)check_maps < to)
			own = strchr(rights, 'r') != NULL && strstr(line, name) != NULL;
		if ((uint64_t)&data >= from && (uint64_t)&data < to)
			writable = strncmp(rights, "rw-p", 4) == 0;
		if ((uint64_t)&on_stack >= from && (uint64_t)&on_stack < to)
			stack = strncmp(rights, "rw", 2) == 0;
	}
	fclose(f);
	CHECK(own && writable && stack && last_ok);
	STEP("maps");
}

static void check_efault(void)
{
	struct iovec bad = {(void *)16, 100};

	CHECK(write(1, (void *)16, 10) == -1 && errno == EFAULT);
	CHECK(syscall(SYS_clock_gettime, 0, (void *)16) == -1 && errno == EFAULT);
	CHECK(writev(1, &bad, 1) == -1 && errno == EFAULT);
	CHECK(syscall(SYS_rt_sigaction, SIGUSR1, (void *)16, NULL, 8) == -1 && errno == EFAULT);
	CHECK(syscall(SYS_rt_sigprocmask, 0, (void *)16, NULL, 8) == -1 && errno == EFAULT);
	CHECK(syscall(SYS_rt_sigprocmask, 0, NULL, NULL, 4) == -1 && errno == EINVAL);
	CHECK(syscall(SYS_sigaltstack, (void *)16, NULL) == -1 && errno == EFAULT);
	STEP("bad pointers");
}

/* Locking all memory takes no more of it than the program has. */
static void check_mlockall(void)
{
	struct rusage usage;

	CHECK(mlockall(0) == -1 && errno == EINVAL);
	CHECK(mlockall(MCL_ONFAULT) == -1 && errno == EINVAL);
	CHECK(mlockall(64) == -1 && errno == EINVAL);
	CHECK(mlockall(MCL_CURRENT | MCL_FUTURE) == 0 || errno == EPERM || errno == ENOMEM);
	NEED(getrusage(RUSAGE_SELF, &usage) == 0);
	CHECK(usage.ru_maxrss < 1 << 20);
	CHECK(munlockall() == 0);
	STEP("mlockall");
}

int main(int argc, char **argv)
{
	char *heap[64];
	struct sigaction sa = {.sa_handler = on_fault};

	(void)argc;
	NEED(sigaction(SIGSEGV, &sa, NULL) == 0 && sigaction(SIGBUS, &sa, NULL) == 0);
	check_brk();
	check_mmap();
	check_growsdown();
	check_mremap();
	check_maps(strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0]);
	check_efault();
	check_mlockall();
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < 64; i++) {
			heap[i] = malloc((size_t)1 << (i % 21 + 4));
			NEED(heap[i]);
			memset(heap[i], i, (size_t)1 << (i % 21 + 4));
		}
		for (int i = 0; i < 64; i++) {
			CHECK(heap[i][(1 << (i % 21 + 4)) - 1] == i);
			free(heap[i]);
		}
	}
	CHECK(malloc((size_t)1 << 62) == NULL);
	STEP("heap");
	return check_end();
}
