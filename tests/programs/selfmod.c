/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that changes: a page rewritten in place, the next instruction, W^X flips, two mappings of
 * one file, other code mapped at the same address, code beside data that is written, system calls
 * that write code.
 */
#define _GNU_SOURCE
#include "check.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define RWX (PROT_READ | PROT_WRITE | PROT_EXEC)

static char *pages(size_t n, int prot)
{
	char *p = mmap(NULL, n * 4096, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(p != MAP_FAILED);
	return p;
}

/* mov $value, %eax; ret */
static void emit(char *at, int value)
{
	at[0] = (char)0xb8;
	memcpy(at + 1, &value, 4);
	at[5] = (char)0xc3;
}

static int call(void *at)
{
	return ((int (*)(void))at)();
}

static void in_place(void)
{
	char *p = pages(1, RWX);

	for (int i = 1; i <= 3; i++) {
		emit(p, i);
		STEP("in place %d", call(p));
	}
	for (int i = 0; i < 3000; i++) {
		emit(p, i);
		CHECK_EQ(call(p), i);
	}
	/* only the immediate, one byte of it */
	for (int i = 0; i < 256; i++) {
		p[2] = (char)i;
		CHECK_EQ(call(p), (2999 & ~0xff00) | i << 8);
	}
	munmap(p, 4096);
}

/* Writes the immediate of the instruction right behind the store, then runs into it. */
static void next_instruction(void)
{
	/* mov %edi, 1(next); next: mov $0, %eax; ret */
	static const unsigned char code[] = {0x89, 0x3d, 1, 0, 0, 0, 0xb8, 0, 0, 0, 0, 0xc3};
	char *p = pages(1, RWX);

	memcpy(p, code, sizeof(code));
	for (int i = 0; i < 2000; i++)
		CHECK_EQ(((int (*)(int))(void *)p)(i), i);
	STEP("next instruction");
}

/* A loop whose body patches an instruction later in the same loop: sum of 0..n-1 */
static void loop_body(void)
{
	/*
	 * xor eax,eax; xor ecx,ecx; 4: mov %ecx, 1(at 10); 10: add $imm32, %eax; inc ecx; cmp
	 * %edi,%ecx; jne 4; ret
	 */
	static const unsigned char code[] = {0x31, 0xc0, 0x31, 0xc9, 0x89, 0x0d, 1, 0,
					     0,	   0,	 0x05, 0,    0,	   0,	 0, 0xff,
					     0xc1, 0x39, 0xf9, 0x75, 0xef, 0xc3};
	char *p = pages(1, RWX);

	memcpy(p, code, sizeof(code));
	CHECK_EQ(((int (*)(int))(void *)p)(1000), 499500);
	STEP("loop body");
}

static void flips(void)
{
	char *p = pages(1, PROT_READ | PROT_WRITE);

	for (int i = 0; i < 1000; i++) {
		emit(p + 64 * (i % 3), i);
		NEED(mprotect(p, 4096, PROT_READ | PROT_EXEC) == 0);
		CHECK_EQ(call(p + 64 * (i % 3)), i);
		NEED(mprotect(p, 4096, PROT_READ | PROT_WRITE) == 0);
	}
	STEP("flips");
}

static void two_mappings(void)
{
	int fd = memfd_create("code", 0);
	char *w, *x;

	NEED(fd >= 0 && ftruncate(fd, 8192) == 0);
	w = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	x = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	NEED(w != MAP_FAILED && x != MAP_FAILED);
	for (int i = 0; i < 1000; i++) {
		char *at = w + 64 * (i % 80);

		emit(at, i);
		CHECK_EQ(call(x + (at - w)), i);
	}
	/* and written through the file itself */
	for (int i = 0; i < 100; i++) {
		char code[6];

		emit(code, i + 7);
		NEED(pwrite(fd, code, 6, 4096) == 6);
		CHECK_EQ(call(x + 4096), i + 7);
	}
	STEP("two mappings");
	munmap(w, 8192), munmap(x, 8192), close(fd);
}

static void same_address(void)
{
	char *p = pages(4, RWX), *q;
	int fd = memfd_create("code", 0);
	char code[4096] = {0};

	for (int i = 0; i < 200; i++) {
		emit(p + 4096, i);
		CHECK_EQ(call(p + 4096), i);
		NEED(munmap(p + 4096, 4096) == 0);
		q = mmap(p + 4096, 4096, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		NEED(q == p + 4096);
		emit(q, -i);
		CHECK_EQ(call(q), -i);
		/* mapped over without an munmap, from a file */
		emit(code, 5 * i);
		NEED(pwrite(fd, code, 4096, 0) == 4096);
		q = mmap(p + 4096, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0);
		NEED(q == p + 4096);
		CHECK_EQ(call(q), 5 * i);
		q = mmap(p + 4096, 4096, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		/* moved here from elsewhere */
		char *from = pages(1, RWX);

		emit(from, 9 * i);
		CHECK_EQ(call(from), 9 * i);
		NEED(mremap(from, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, p + 4096) == p + 4096);
		CHECK_EQ(call(p + 4096), 9 * i);
	}
	close(fd);
	STEP("same address");
}

/* One page holds a function and the counter it increments. */
static void beside_data(void)
{
	/* incl 0x100-6(%rip); mov 0x100-12(%rip), %eax; ret: the counter is at +0x100 */
	static const unsigned char code[] = {0xff, 0x05, 0xfa, 0, 0, 0,	  0x8b,
					     0x05, 0xf4, 0,    0, 0, 0xc3};
	char *p = pages(1, RWX);

	memcpy(p, code, sizeof(code));
	for (int i = 1; i <= 5000; i++)
		CHECK_EQ(call(p), i);
	/* and the same with the page written by the program around it */
	for (int i = 1; i <= 5000; i++) {
		volatile int *n = (volatile int *)(p + 0x100);

		*n = *n + i;
		p[0x200 + i % 1000] = (char)i;
		int now = *n;

		CHECK_EQ(call(p), now + 1);
	}
	STEP("beside data");
}

/* read, recvmsg and others write into memory that holds code. */
static void kernel_writes(void)
{
	char *p = pages(1, RWX), code[6];
	int fds[2];

	NEED(pipe(fds) == 0);
	for (int i = 0; i < 500; i++) {
		emit(code, i);
		NEED(write(fds[1], code, 6) == 6);
		if (i & 1) {
			CHECK_EQ(read(fds[0], p, 6), 6);
		} else {
			struct iovec v[2] = {{p, 3}, {p + 3, 3}};

			CHECK_EQ(readv(fds[0], v, 2), 6);
		}
		CHECK_EQ(call(p), i);
	}
	close(fds[0]), close(fds[1]);
	STEP("written by the kernel");
}

/* The page of code is written by one thread and run by another, in turn. */
static char *shared_page;
static volatile int written, done;

static void *runner(void *arg)
{
	for (int i = 1; i <= 1000; i++) {
		while (__atomic_load_n(&written, __ATOMIC_ACQUIRE) < i)
			sched_yield();
		CHECK_EQ(call(shared_page), i * 3);
		__atomic_store_n(&done, i, __ATOMIC_RELEASE);
	}
	return arg;
}

static void by_another_thread(void)
{
	pthread_t t;
	unsigned a, b, c, d;

	shared_page = pages(1, RWX);
	NEED(pthread_create(&t, NULL, runner, NULL) == 0);
	for (int i = 1; i <= 1000; i++) {
		emit(shared_page, i * 3);
		asm volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0), "c"(0));
		__atomic_store_n(&written, i, __ATOMIC_RELEASE);
		while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < i)
			sched_yield();
	}
	pthread_join(t, NULL);
	STEP("by another thread");
}

/* A write to a page of code that the program itself protected faults, as natively. */
static volatile int faults;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	faults = faults + 1;
	NEED(info->si_code == SEGV_ACCERR && faults < 1000);
	mprotect((void *)((uint64_t)info->si_addr & ~4095ull), 4096, RWX);
}

static void protected_code(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	char *p = pages(1, RWX);

	NEED(sigaction(SIGSEGV, &sa, NULL) == 0);
	for (int i = 0; i < 100; i++) {
		emit(p, i);
		CHECK_EQ(call(p), i);
		NEED(mprotect(p, 4096, PROT_READ | PROT_EXEC) == 0);
		p[1] = (char)(i + 1);
		CHECK_EQ(call(p), i + 1);
		CHECK_EQ(faults, i + 1);
	}
	STEP("protected");
}

int main(void)
{
	in_place();
	next_instruction();
	loop_body();
	flips();
	two_mappings();
	same_address();
	beside_data();
	kernel_writes();
	by_another_thread();
	protected_code();
	return check_end();
}
