/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions with rules of their own: cpuid, rdtsc, xbegin, syscall and what
 * it clobbers, locked operations, cmpxchg16b, prefetches of bad addresses,
 * nops with memory operands, fs-relative accesses, rdfsbase.
 */
#define _GNU_SOURCE
#include "check.h"
#include <asm/prctl.h>
#include <cpuid.h>
#include <immintrin.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

static void check_cpuid(void)
{
	unsigned a, b, c, d, name[13] = {0};

	__cpuid(0, a, b, c, d);
	memcpy(name, &b, 4), memcpy(name + 1, &d, 4), memcpy(name + 2, &c, 4);
	STEP("cpu %s, leaves to %u", (char *)name, a);
	__cpuid_count(7, 0, a, b, c, d);
	STEP("leaf 7: %08x %08x", b, c);
	for (int i = 0; i < 3; i++)
		__cpuid(0x80000002 + i, name[i * 4], name[i * 4 + 1], name[i * 4 + 2],
			name[i * 4 + 3]);
	STEP("brand %.48s", (char *)name);
	asm volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	STEP("xcr0 %08x", a);
}

static void check_time_stamps(void)
{
	uint64_t last = __builtin_ia32_rdtsc();

	for (int i = 0; i < 1000; i++) {
		unsigned aux;
		uint64_t t = i & 1 ? __builtin_ia32_rdtsc() : __builtin_ia32_rdtscp(&aux);

		CHECK((int64_t)(t - last) > -1000000);
		last = t;
	}
}

/* A transaction may always abort; what it wrote must then be gone. */
__attribute__((target("rtm"))) static void check_rtm(void)
{
	volatile int value = 1;
	unsigned a, b, c, d;

	__cpuid_count(7, 0, a, b, c, d);
	if (!(b >> 11 & 1))
		return;
	for (int i = 0; i < 1000; i++) {
		unsigned status = _xbegin();

		if (status == _XBEGIN_STARTED) {
			value = 2;
			_xabort(7);
		}
		CHECK(value == 1);
		if (status & _XABORT_EXPLICIT)
			CHECK(_XABORT_CODE(status) == 7);
	}
	CHECK(_xtest() == 0);
}

static void check_syscall(void)
{
	for (int i = 0; i < 1000; i++) {
		uint64_t rax, rcx, r11, flags, next, rdx = 0x1111, rsi = 0x2222, r8 = 0x8888, r15;
		register uint64_t r10 asm("r10") = 0x1010, r9 asm("r9") = 0x9999;

		asm volatile("mov $0x1515, %%r15\n\tstc\n\tpushfq\n\tpopq %3\n\tmov $39, "
			     "%%eax\n\tstc\n\tsyscall\n"
			     "1:\tpushfq\n\tpopq %%rbx\n\txor %%rbx, %3\n\tlea 1b(%%rip), "
			     "%4\n\tmov %%r11, %2\n\tmov %%r15, %5"
			     : "=&a"(rax), "=&c"(rcx), "=&D"(r11), "=&r"(flags), "=&r"(next),
			       "=&r"(r15), "+d"(rdx), "+S"(rsi), "+r"(r8), "+r"(r9), "+r"(r10)
			     :
			     : "r11", "r15", "rbx", "memory", "cc");
		uint64_t r9_now = r9, r10_now = r10; /* before any call */

		CHECK_EQ(rax, syscall(SYS_getpid));
		CHECK_EQ(rcx, next);	       /* the address after it */
		CHECK((r11 & 0x201) == 0x201); /* the flags, carry among them */
		CHECK_EQ(flags & 0x8d5, 0);    /* which are as before */
		CHECK(rdx == 0x1111 && rsi == 0x2222 && r8 == 0x8888 && r9_now == 0x9999 &&
		      r10_now == 0x1010);
		CHECK(r15 == 0x1515);
	}
	CHECK(syscall(9999) == -1);
	STEP("system calls clobber rcx and r11 only");
}

static void check_locked(void)
{
	static struct {
		uint64_t lo, hi;
	} pair __attribute__((aligned(16))) = {1, 2};
	uint64_t lo = 5, hi = 6, v = 10;
	uint8_t ok;

	asm volatile("lock cmpxchg16b %1\n\tsete %0"
		     : "=q"(ok), "+m"(pair), "+a"(lo), "+d"(hi)
		     : "b"(7ull), "c"(8ull)
		     : "cc");
	CHECK(!ok && lo == 1 && hi == 2);
	asm volatile("lock cmpxchg16b %1\n\tsete %0"
		     : "=q"(ok), "+m"(pair), "+a"(lo), "+d"(hi)
		     : "b"(7ull), "c"(8ull)
		     : "cc");
	CHECK(ok && pair.lo == 7 && pair.hi == 8);
	asm volatile("mov $9, %%eax\n\tlock cmpxchgq %2, %0\n\tsetz %b1"
		     : "+m"(v), "=&a"(lo)
		     : "r"(3ull)
		     : "cc");
	CHECK(v == 10);
	lo = 4;
	asm volatile("lock xaddq %0, %1\n\txchgq %0, %1\n\tlock btsq $63, %1\n\tlock incl "
		     "%1\n\tlock negq %1"
		     : "+r"(lo), "+m"(v)
		     :
		     : "cc");
	CHECK_EQ(lo, 14);
	CHECK_EQ(v, -(11 | 1ull << 63));
	asm volatile("bts %1, %0" : "+m"(*(uint64_t(*)[4])(uint64_t[4]){0}) : "r"(100ull) : "cc");
}

static void check_hints(void)
{
	char *bad = (char *)0x10;

	/* A prefetch never faults, whatever its address; a nop's operand is not read. */
	asm volatile("prefetcht0 (%0)\n\tprefetchnta (%0)\n\tprefetchw (%0)\n\tnopl (%0)\n\tnopw "
		     "64(%0)\n\t"
		     "lea 8(%0), %%rax\n\tpause\n\tmfence\n\tsfence\n\tlfence"
		     :
		     : "r"(bad)
		     : "rax", "memory");
	__builtin_prefetch((void *)0x7fffffffffff);
	STEP("hints are harmless");
}

static __thread int tls_value = 7;

static void check_segments(void)
{
	uint64_t base = 0, self, canary, again;

	CHECK(syscall(SYS_arch_prctl, ARCH_GET_FS, &base) == 0);
	asm("movq %%fs:0, %0" : "=r"(self));
	CHECK_EQ(base, self);
	asm("movq %%fs:40, %0" : "=r"(canary));
	asm("mov $40, %%ecx\n\tmovq %%fs:(%%rcx), %0" : "=r"(again) : : "rcx");
	CHECK(canary == again && *(uint64_t *)(base + 40) == canary && (canary & 255) == 0);
	if (getauxval(AT_HWCAP2) & 2) {
		asm volatile("rdfsbase %0" : "=r"(base));
		CHECK_EQ(base, self);
		asm volatile("wrfsbase %0" : : "r"(base));
		CHECK(tls_value == 7);
	}
	CHECK(syscall(SYS_arch_prctl, ARCH_SET_FS, base) == 0 && tls_value == 7);
}

int main(void)
{
	check_cpuid();
	check_time_stamps();
	check_rtm();
	check_syscall();
	check_locked();
	check_hints();
	check_segments();
	return check_end();
}
