/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls into the vsyscall page, if the kernel has it: their results, that they preserve registers,
 * and invalid calls or arguments. Without the page all of them fault.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "check.h"

#define PAGE_AT	     0xffffffffff600000
#define GETTIMEOFDAY 0x000
#define TIME	     0x400
#define GETCPU	     0x800

static sigjmp_buf back;
static siginfo_t fault;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	fault = *info;
	siglongjmp(back, 1);
}

static int has_page(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[256];
	int has = 0;

	NEED(f);
	while (fgets(line, sizeof line, f))
		has |= strstr(line, "[vsyscall]") != NULL;
	fclose(f);
	return has;
}

/* The result; *kept: what is in a register that system calls change. */
static long call(uint64_t at, const void *first, const void *second, uint64_t *kept)
{
	long result = (long)(PAGE_AT + at);
	register uint64_t r11 __asm__("r11") = 0x1234567;
	uint64_t rcx = 0x7654321;

	__asm__ volatile("lea -256(%%rsp), %%rsp\n\tcall *%0\n\tlea 256(%%rsp), %%rsp"
			 : "+a"(result), "+r"(r11), "+c"(rcx)
			 : "D"(first), "S"(second), "d"(0)
			 : "memory");
	*kept = r11 + rcx;
	return result;
}

static void check_answers(void)
{
	struct timeval now = {0};
	uint64_t kept;
	time_t seconds = 0, native = time(NULL);
	unsigned cpu = ~0u;
	long r;

	r = call(TIME, NULL, NULL, &kept);
	CHECK(r >= native && r <= native + 60);
	CHECK_EQ(kept, 0x1234567 + 0x7654321);
	r = call(TIME, &seconds, NULL, &kept);
	CHECK_EQ(r, seconds);
	CHECK_EQ(call(GETTIMEOFDAY, &now, NULL, &kept), 0);
	CHECK(now.tv_sec >= native && now.tv_sec <= native + 60);
	CHECK_EQ(call(GETCPU, &cpu, NULL, &kept), 0);
	CHECK(cpu < 8192);
	for (int i = 0; i < 1000; i++)
		CHECK(call(TIME, NULL, NULL, &kept) >= native);
}

static void check_fault(const char *what, uint64_t at, const void *first)
{
	uint64_t kept;

	if (sigsetjmp(back, 1) == 0) {
		call(at, first, NULL, &kept);
		printf("FAIL: %s does not fault\n", what);
		CHECK(0);
	}
	printf("%s: signal %d, code %d\n", what, fault.si_signo, fault.si_code);
}

int main(void)
{
	struct sigaction act = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	NEED(sigaction(SIGSEGV, &act, NULL) == 0);
	if (!has_page()) {
		check_fault("no page", TIME, NULL);
		return check_end();
	}
	check_answers();
	check_fault("inside a call", TIME + 4, NULL);
	check_fault("no call", 0xc00, NULL);
	check_fault("bad pointer", GETTIMEOFDAY, (void *)8);
	return check_end();
}
