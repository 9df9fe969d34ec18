/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of the vDSO: they must work, and agree with the system calls. */
#define _GNU_SOURCE
#include "check.h"
#include <sched.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

static int64_t ns_of(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

int main(void)
{
	static const clockid_t clocks[] = {CLOCK_REALTIME,	   CLOCK_MONOTONIC,
					   CLOCK_BOOTTIME,	   CLOCK_REALTIME_COARSE,
					   CLOCK_MONOTONIC_COARSE, CLOCK_PROCESS_CPUTIME_ID,
					   CLOCK_THREAD_CPUTIME_ID};
	struct timespec last, t, raw;
	struct timeval tv;
	unsigned cpu, node;

	CHECK(getauxval(AT_SYSINFO_EHDR) != 0);
	if (getauxval(AT_SYSINFO_EHDR))
		CHECK(memcmp((void *)getauxval(AT_SYSINFO_EHDR), "\177ELF", 4) == 0);
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		NEED(clock_gettime(clocks[i], &last) == 0);
		for (int n = 0; n < 2000; n++) {
			NEED(clock_gettime(clocks[i], &t) == 0);
			CHECK(ns_of(&t) >= ns_of(&last) || i == 0);
			last = t;
		}
		syscall(SYS_clock_gettime, clocks[i], &raw);
		CHECK(ns_of(&raw) - ns_of(&last) < 2000000000);
		CHECK(ns_of(&raw) - ns_of(&last) > -20000000);
		CHECK(clock_getres(clocks[i], &t) == 0);
	}
	NEED(gettimeofday(&tv, NULL) == 0);
	clock_gettime(CLOCK_REALTIME, &t);
	CHECK(labs(t.tv_sec - tv.tv_sec) <= 2);
	CHECK(labs(time(NULL) - tv.tv_sec) <= 2);
	NEED(getcpu(&cpu, &node) == 0);
	CHECK(cpu < 4096 && sched_getcpu() >= 0);
	CHECK(clock_gettime(12345, &t) == -1);
	STEP("clocks agree");
	return check_end();
}
