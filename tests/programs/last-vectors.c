/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * REGISTER, one of the last vector registers that every x86-64 CPU has: its value through branches,
 * calls and system calls, in loops that use it, saved and loaded with all the others, cleared with
 * AVX, in a fault of an instruction that uses it, and seen and changed by a signal handler.
 */
#define _GNU_SOURCE
#include "check.h"
#include <cpuid.h>
#include <immintrin.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define TEXT_OF(x) #x
#define TEXT(x)	   TEXT_OF(x)
#define N	   TEXT(REGISTER)

#define LOW  0x0123456789abcdefull
#define HIGH 0xfedcba9876543210ull

static uint64_t value[4] __attribute__((aligned(32))) = {LOW, HIGH, ~LOW, ~HIGH};
static uint64_t out[4] __attribute__((aligned(32)));
static uint64_t words[64];
static volatile sig_atomic_t seen;

static void check_out(uint64_t low, uint64_t high)
{
	CHECK_EQ(out[0], low);
	CHECK_EQ(out[1], high);
	memset(out, 0, sizeof out);
}

static __attribute__((noinline)) uint64_t sum_of(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += words[i % 64] += i & 1 ? i : 3;
	return sum;
}

/* Between the load and the store nothing names it, but much is counted. */
static void check_it_stays(void)
{
	uint64_t n = 100000, pid;

	asm volatile(
		"movdqa %2, %%xmm" N "\n"
		"1:\taddq $3, 8(%3)\n\ttest $1, %0\n\tjz 2f\n\tincq (%3)\n2:\tdec %0\n\tjnz 1b\n\t"
		"mov %4, %%eax\n\tsyscall\n\tmov %%rax, %1\n\tmovdqa %%xmm" N ", out(%%rip)"
		: "+r"(n), "=&r"(pid)
		: "m"(value), "r"(words), "i"(SYS_getpid)
		: "rax", "rcx", "r11", "xmm" N, "memory", "cc");
	check_out(LOW, HIGH);
	CHECK_EQ(pid, getpid());
	asm volatile("movdqa %0, %%xmm" N : : "m"(value) : "xmm" N);
	CHECK(sum_of(1000) != 0);
	asm volatile("movdqa %%xmm" N ", out(%%rip)" : : : "memory");
	check_out(LOW, HIGH);
	STEP("it stays");
}

/* A sum in it, over loops whose other instructions do not name it; some rounds branch around it. */
static void check_sums(void)
{
	uint64_t n = 100000, i = 0;

	asm volatile("pxor %%xmm" N ", %%xmm" N "\n"
		     "1:\tmovq (%2), %%xmm3\n\tpaddq %3, %%xmm" N
		     "\n\tmov 8(%2), %1\n\ttest $3, %0\n\tjnz 2f\n\t"
		     "psubq %3, %%xmm" N "\n\tmov %1, 16(%2)\n\tpaddq %%xmm" N
		     ", %%xmm3\n\tpsubq %%xmm3, %%xmm" N "\n\t"
		     "paddq %%xmm3, %%xmm" N "\n2:\tdec %0\n\tjnz 1b\n\tmovdqa %%xmm" N
		     ", out(%%rip)"
		     : "+r"(n), "+r"(i)
		     : "r"(words), "m"(*(char(*)[16])(uint64_t[2]){5, 7})
		     : "xmm3", "xmm" N, "memory", "cc");
	CHECK_EQ(out[0], 5 * 75000);
	CHECK_EQ(out[1], 7 * 75000);
	STEP("sums");
}

static void check_state(void)
{
	static char area[4096 + 64] __attribute__((aligned(64)));
	unsigned a, b, c, d;

	asm volatile("movdqa %1, %%xmm" N "\n\tfxsave (%0)\n\tpxor %%xmm" N ", %%xmm" N
		     "\n\tnop\n\taddq $1, 8(%2)\n\t"
		     "fxrstor (%0)\n\tmovdqa %%xmm" N ", out(%%rip)"
		     :
		     : "r"(area), "m"(value), "r"(words)
		     : "xmm" N, "memory", "cc");
	check_out(LOW, HIGH);
	CHECK(memcmp(area + 160 + REGISTER * 16, value, 16) == 0);
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1))
		return;
	memset(area, 0, sizeof area);
	asm volatile("movdqa %1, %%xmm" N "\n\tmov $7, %%eax\n\txor %%edx, %%edx\n\txsave (%0)\n\t"
		     "pxor %%xmm" N ", %%xmm" N
		     "\n\tnop\n\taddq $1, 8(%2)\n\tmov $7, %%eax\n\txrstor (%0)\n\t"
		     "movdqa %%xmm" N ", out(%%rip)"
		     :
		     : "r"(area), "m"(value), "r"(words)
		     : "rax", "rdx", "xmm" N, "memory", "cc");
	check_out(LOW, HIGH);
	CHECK(memcmp(area + 160 + REGISTER * 16, value, 16) == 0);
	STEP("state");
}

static void check_upper(int is_kept)
{
	CHECK_EQ(out[2], is_kept ? ~LOW : 0);
	CHECK_EQ(out[3], is_kept ? ~HIGH : 0);
}

/*
 * Its upper half, too, which old instructions leave alone, and what AVX clears. The build keeps the
 * compiler from clearing it before calls.
 */
__attribute__((target("avx"))) static void check_avx(void)
{
	for (int round = 0; round < 3; round++) {
		asm volatile("vmovdqa %0, %%ymm" N : : "m"(*(char(*)[32])value) : "xmm" N);
		CHECK(sum_of(100) != 0);
		if (round == 1)
			asm volatile("vzeroupper");
		if (round == 2)
			asm volatile("vzeroall"
				     :
				     :
				     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
				       "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
				       "xmm14", "xmm15");
		CHECK(sum_of(100) != 0);
		asm volatile("vmovdqa %%ymm" N ", out(%%rip)" : : : "memory");
		check_upper(!round);
		check_out(round == 2 ? 0 : LOW, round == 2 ? 0 : HIGH);
	}
	STEP("avx");
}

#define LOAD_FULL  "vmovdqa %0, %%ymm" N "\n\tincq 8(%1)\n\tjz 1f\n1:\t"
#define STORE_FULL "\n\tincq 8(%1)\n\tjz 2f\n2:\tvmovdqa %%ymm" N ", out(%%rip)"
#define WITH_FULL(instruction)                              \
	asm volatile(LOAD_FULL instruction STORE_FULL       \
		     :                                      \
		     : "m"(*(char(*)[32])value), "r"(words) \
		     : "xmm" N, "memory", "cc")

/*
 * What each kind of instruction does to the upper half, in code that does not name the whole
 * register.
 */
__attribute__((target("avx"))) static void check_halves(void)
{
	static char area[4096 + 64] __attribute__((aligned(64)));

	for (int round = 0; round < 3; round++) {
		WITH_FULL("paddq %%xmm" N ", %%xmm" N);
		check_upper(1);
		check_out(2 * LOW, 2 * HIGH);
		WITH_FULL("vpaddq %%xmm" N ", %%xmm" N ", %%xmm" N);
		check_upper(0);
		check_out(2 * LOW, 2 * HIGH);
		WITH_FULL("vmovdqa %%xmm" N ", 32(%1)");
		check_upper(1);
		check_out(LOW, HIGH);
		CHECK_EQ(words[4], LOW);
		WITH_FULL("paddq %%xmm" N ", %%xmm" N "\n\tvzeroupper\n\tpaddq %%xmm" N
			  ", %%xmm" N);
		check_upper(0);
		check_out(4 * LOW, 4 * HIGH);
		WITH_FULL("vpxor %%xmm" N ", %%xmm" N ", %%xmm" N
			  "\n\tmov %%rax, 40(%1)\n\tpcmpeqd %%xmm" N ", %%xmm" N);
		check_upper(0);
		check_out(~0ull, ~0ull);
		asm volatile(LOAD_FULL "fxsave (%2)\n\tpxor %%xmm" N ", %%xmm" N
				       "\n\tfxrstor (%2)" STORE_FULL
			     :
			     : "m"(*(char(*)[32])value), "r"(words), "r"(area)
			     : "xmm" N, "memory", "cc");
		check_upper(1);
		check_out(LOW, HIGH);
		/* Flags and rax pass by a save of all state. */
		asm volatile(
			LOAD_FULL
			"mov $7, %%eax\n\txor %%edx, %%edx\n\tcmp $8, %%eax\n\tstc\n\t"
			"xsave (%2)\n\tjnc 3f\n\tjns 3f\n\tcmp $7, %%eax\n\tjne 3f\n\tvpxor %%ymm" N
			", %%ymm" N ", %%ymm" N "\n\t"
			"xrstor (%2)\n\tjmp 4f\n3:\tvpxor %%ymm" N ", %%ymm" N ", %%ymm" N
			"\n4:\t" STORE_FULL
			:
			: "m"(*(char(*)[32])value), "r"(words), "r"(area)
			: "rax", "rdx", "xmm" N, "memory", "cc");
		check_upper(1);
		check_out(LOW, HIGH);
	}
	STEP("halves");
}

/*
 * The load that faults names the lower half alone: the handler and who goes on behind it see the
 * upper half.
 */
__attribute__((target("avx"))) static void check_half_in_fault(const char *nowhere)
{
	for (int round = 0; round < 3; round++) {
		asm volatile("vmovdqa %0, %%ymm" N
			     "\n\tincq 8(%1)\n\tjz 1f\n1:\tmov %2, %%rax\n\tpaddq (%%rax), %%xmm" N
				     STORE_FULL
			     :
			     : "m"(*(char(*)[32])value), "r"(words + 8), "r"(nowhere)
			     : "rax", "xmm" N, "memory", "cc");
		check_upper(1);
		check_out(LOW + 5, HIGH + 6);
		/* Here the instruction before it has cleared that. */
		asm volatile("vmovdqa %0, %%ymm" N
			     "\n\tincq 8(%1)\n\tjz 1f\n1:\tmov %2, %%rax\n\tvmovdqa %0, %%xmm" N
			     "\n\t"
			     "paddq (%%rax), %%xmm" N STORE_FULL
			     :
			     : "m"(*(char(*)[32])value), "r"(words + 8), "r"(nowhere)
			     : "rax", "xmm" N, "memory", "cc");
		check_upper(0);
		check_out(LOW + 5, HIGH + 6);
	}
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	struct _libc_xmmreg *r = &uc->uc_mcontext.fpregs->_xmm[REGISTER];

	(void)info;
	CHECK(memcmp(r, value, 16) == 0);
	if (number == SIGSEGV) {
		uc->uc_mcontext.gregs[REG_RAX] = (greg_t)(uintptr_t)words;
	} else {
		r->element[0] = 17;
		asm volatile("pcmpeqd %%xmm" N ", %%xmm" N : : : "xmm" N);
	}
	seen++;
}

static void check_signals(void)
{
	struct sigaction sa = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	char *nowhere = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t tid = (uint64_t)gettid();

	NEED(nowhere != MAP_FAILED);
	sigaction(SIGSEGV, &sa, 0);
	sigaction(SIGUSR1, &sa, 0);
	words[0] = 5;
	words[1] = 6;
	/* The loads fault; the handler has rax point elsewhere, and they are done again. */
	for (int round = 0; round < 50; round++) {
		asm volatile("movdqa %1, %%xmm" N "\n\tmov %2, %%rax\n\tpaddq (%%rax), %%xmm" N
			     "\n\tmovdqa %%xmm" N ", out(%%rip)"
			     :
			     : "i"(0), "m"(value), "r"(nowhere)
			     : "rax", "xmm" N, "memory");
		check_out(LOW + 5, HIGH + 6);
		/* One instruction behind those that name it. */
		asm volatile("movdqa %1, %%xmm" N
			     "\n\tmov %2, %%rax\n\tmov (%%rax), %%rcx\n\tmovdqa %%xmm" N
			     ", out(%%rip)"
			     :
			     : "i"(0), "m"(value), "r"(nowhere)
			     : "rax", "rcx", "xmm" N, "memory");
		check_out(LOW, HIGH);
		asm volatile("movdqa %1, %%xmm" N
			     "\n\tmov %2, %%eax\n\tmov %3, %%rdi\n\tmov %4, %%esi\n\tsyscall\n\t"
			     "movdqa %%xmm" N ", out(%%rip)"
			     :
			     : "i"(0), "m"(value), "i"(SYS_tkill), "r"(tid), "i"(SIGUSR1)
			     : "rax", "rcx", "rdi", "rsi", "r11", "xmm" N, "memory", "cc");
		check_out((LOW & ~0xffffffffull) | 17, HIGH);
	}
	CHECK_EQ(seen, 150);
	if (__builtin_cpu_supports("avx"))
		check_half_in_fault(nowhere);
	STEP("signals");
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 64; i++)
		words[i] = (uint64_t)i + 1;
	__builtin_cpu_init();
	check_it_stays();
	check_sums();
	check_state();
	if (__builtin_cpu_supports("avx"))
		check_avx(), check_halves();
	if (argc < 2 || strcmp(argv[1], "calm") != 0)
		check_signals();
	return check_end();
}
