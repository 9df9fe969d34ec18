/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Big stacks: alloca of 6 MB, recursion a hundred thousand deep, a raised limit
 * that the main stack then grows into, and the fault at its end, caught on the
 * alternate stack.
 */
#define _GNU_SOURCE
#include "check.h"
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>

static sigjmp_buf back;

__attribute__((noinline)) static uint64_t fill(size_t bytes)
{
	volatile unsigned char *p = alloca(bytes);
	uint64_t sum = 0;

	/* From the far end: the kernel must grow the stack by all of it at once. */
	for (size_t i = 0; i < bytes; i += 512)
		p[i] = (unsigned char)(i >> 9);
	for (size_t i = 0; i < bytes; i += 512)
		sum += p[i];
	return sum;
}

__attribute__((noinline)) static uint64_t dive(uint64_t n)
{
	if (n == 0)
		return 0;
	return dive(n - 1) + n * 2 - (n & 1);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winfinite-recursion"
__attribute__((noinline)) static int overflow(int n)
{
	volatile char room[4096];

	room[0] = (char)n;
	return overflow(n + 1) + room[0];
}
#pragma GCC diagnostic pop

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info, (void)context;
	siglongjmp(back, 1);
}

static void catch_overflow(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t alt = {.ss_sp = malloc(65536), .ss_size = 65536};

	NEED(alt.ss_sp && sigaltstack(&alt, NULL) == 0 && sigaction(SIGSEGV, &sa, NULL) == 0);
	for (int i = 0; i < 3; i++) {
		if (sigsetjmp(back, 1) == 0) {
			overflow(0);
			CHECK(!"came back from an endless recursion");
		}
		STEP("caught the end of the stack");
	}
}

int main(int argc, char **argv)
{
	struct rlimit limit;

	(void)argc;
	NEED(getrlimit(RLIMIT_STACK, &limit) == 0);
	CHECK_EQ(limit.rlim_cur, argc > 1 ? 64 << 20 : 8 << 20);
	/* 6 MB in steps of 512: 12288 values, 48 full turns of 0..255. */
	CHECK_EQ(fill(6u << 20), 48u * 255 * 128);
	/* 2n - (n odd) summed for 1..100000 */
	CHECK_EQ(dive(100000), 100000ull * 100001 - 50000);
	if (argc > 1) {
		CHECK_EQ(fill(48u << 20), 384u * 255 * 128);
		STEP("48 MB used");
		catch_overflow();
		return check_end();
	}
	catch_overflow();
	/* A new program gets its stack by the limit of its caller. */
	limit.rlim_cur = 64 << 20;
	if (limit.rlim_max < limit.rlim_cur || setrlimit(RLIMIT_STACK, &limit) != 0)
		return check_end();
	STEP("again with 64 MB");
	if (check_failures)
		return check_end();
	execl("/proc/self/exe", argv[0], "raised", NULL);
	NEED(!"exec");
}
