/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nothing between two instructions of a program may change a vector register:
 * all of zmm0-31 and the mask registers (ymm0-15 without AVX-512) hold values
 * over jumps, first runs of new code, calls, system calls and signals.
 */
#include "check.h"
#include <cpuid.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

static unsigned char before[32][64], after[32][64];
static uint64_t masks_before[8], masks_after[8];
static volatile int signals;

void keep512(void *code, uint64_t rounds);
void keep256(void *code, uint64_t rounds);

/*
 * Loads every register, then for `rounds` rounds: calls code (which the caller
 * rewrote, so it has not run before), a loop with branches, getppid, an
 * indirect jump. Then stores every register.
 */
asm(".text\n.macro middle\n"
    "1:\tcall *%r12\n\tmov $50, %ecx\n2:\ttest $1, %cl\n\tjz 3f\n\tnop\n3:\tdec %ecx\n\tjnz 2b\n"
    "\tmov $110, %eax\n\tsyscall\n\tlea 4f(%rip), %rax\n\tjmp *%rax\n4:\tadd $64, %r12\n\tdec "
    "%rbx\n\tjnz 1b\n.endm\n"
    ".macro begin\n\tpush %rbx\n\tpush %r12\n\tpush %r13\n\tmov %rdi, %r12\n\tmov %rsi, "
    "%rbx\n\tlea before(%rip), %rax\n.endm\n"
    ".macro end\n\tpop %r13\n\tpop %r12\n\tpop %rbx\n\tret\n.endm\n"
    "keep512: begin\n"
    ".set i, 0\n.altmacro\n.macro l n\n\tvmovdqu64 64*\\n(%rax), %zmm\\n\n.endm\n.macro s "
    "n\n\tvmovdqu64 %zmm\\n, 64*\\n(%rax)\n.endm\n"
    ".macro ly n\n\tvmovdqu 64*\\n(%rax), %ymm\\n\n.endm\n.macro sy n\n\tvmovdqu %ymm\\n, "
    "64*\\n(%rax)\n.endm\n"
    ".macro lk n\n\tkmovq 8*\\n(%rax), %k\\n\n.endm\n.macro sk n\n\tkmovq %k\\n, "
    "8*\\n(%rax)\n.endm\n"
    ".rept 32\n\tl %i\n.set i, i+1\n.endr\n"
    "lea masks_before(%rip), %rax\n.set i, 0\n.rept 8\n\tlk %i\n.set i, i+1\n.endr\n"
    "middle\nlea after(%rip), %rax\n"
    ".set i, 0\n.rept 32\n\ts %i\n.set i, i+1\n.endr\n"
    "lea masks_after(%rip), %rax\n.set i, 0\n.rept 8\n\tsk %i\n.set i, i+1\n.endr\n"
    "vzeroupper\nend\n"
    "keep256: begin\n.set i, 0\n.rept 16\n\tly %i\n.set i, i+1\n.endr\nmiddle\nlea after(%rip), "
    "%rax\n"
    ".set i, 0\n.rept 16\n\tsy %i\n.set i, i+1\n.endr\nvzeroupper\nend\n.noaltmacro\n");

static void on_signal(int sig)
{
	signals = signals + (sig != 0);
	/* The handler itself uses vector registers; sigreturn brings the old ones back. */
	static unsigned char other[32][64];

	memset(other, signals, sizeof(other));
	__asm__ volatile("" : : "r"(other) : "memory");
}

/* 64-byte functions that differ: each one is new code when it is first called. */
static char *functions(int n)
{
	char *p = mmap(NULL, (size_t)n * 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	NEED(p != MAP_FAILED);
	for (int i = 0; i < n; i++) {
		char code[] = {0x48, 0x8d, 0x04, 0x25, (char)i, (char)(i >> 8), 0, 0, (char)0xc3};

		memcpy(p + i * 64, code, sizeof(code)); /* lea i, %rax; ret */
	}
	NEED(mprotect(p, (size_t)n * 64, PROT_READ | PROT_EXEC) == 0);
	return p;
}

static void check_round(int wide, char *code, uint64_t rounds)
{
	memset(after, 0, sizeof(after));
	if (wide)
		keep512(code, rounds);
	else
		keep256(code, rounds);
	for (int i = 0; i < (wide ? 32 : 16); i++)
		CHECK(memcmp(before[i], after[i], wide ? 64 : 32) == 0);
	if (wide)
		CHECK(memcmp(masks_before, masks_after, sizeof(masks_before)) == 0);
}

/*
 * zmm29 and zmm30, which something else could take for its own as long as nothing is in them: they
 * are loaded, many lines of memory are touched, some for the first time, and they are stored.
 */
static unsigned char high[2][64], high_after[2][64];
static unsigned char lines[1 << 20];

#define TOUCH_AND_STORE                                                      \
	"1:\tincb (%[at])\n\tadd $64, %[at]\n\tcmp %[end], %[at]\n\tjb 1b\n" \
	"\tvmovdqu64 %%zmm29, (%[to])\n\tvmovdqu64 %%zmm30, 64(%[to])\n"

static void check_high(const char *what)
{
	CHECK(memcmp(high, high_after, sizeof(high)) == 0);
	if (memcmp(high, high_after, sizeof(high)) != 0)
		printf("%s\n", what);
}

static void keep_loaded(int which)
{
	unsigned char *at = lines;

	__asm__ volatile(
		"test $1, %[which]\n\tjz 1f\n\tvmovdqu64 (%[from]), %%zmm29\n"
		"1:\ttest $2, %[which]\n\tjz 1f\n\tvmovdqu64 64(%[from]), %%zmm30\n" TOUCH_AND_STORE
		: [at] "+r"(at)
		: [which] "r"(which), [from] "r"(high), [end] "r"(lines + sizeof(lines)),
		  [to] "r"(high_after)
		: "memory", "cc");
	check_high("loaded");
}

/* The same, from an image of the state: what was saved, with zmm29 and zmm30 as they are wanted. */
static void keep_restored(void)
{
	static unsigned char image[16384] __attribute__((aligned(64)));
	unsigned char *at = lines;
	uint32_t a, b, c, d;

	__cpuid_count(0xd, 7, a, b, c, d);
	__asm__ volatile("xsave (%[image])" : : [image] "r"(image), "a"(1 << 7), "d"(0) : "memory");
	memcpy(image + b + 13 * 64, high, sizeof(high));
	image[512] |= 1 << 7;
	__asm__ volatile(
		"xrstor (%[image])\n" TOUCH_AND_STORE
		: [at] "+r"(at)
		: [image] "r"(image), [end] "r"(lines + sizeof(lines)), [to] "r"(high_after),
		  "a"(1 << 7), "d"(0)
		: "memory", "cc");
	check_high("restored");
}

static void check_high_registers(uint64_t *seed)
{
	for (int i = 0; i < 2; i++) {
		memset(high, 0, sizeof(high));
		keep_loaded(3);
		high[0][63] = 128;
		keep_loaded(1);
		high[1][0] = 1;
		keep_loaded(2);
		keep_restored();
		memset(high, 0, sizeof(high));
		keep_restored();
		high[1][40] = 2;
		keep_restored();
		for (int k = 0; k < 64; k++)
			high[0][k] = (unsigned char)check_random(seed);
		keep_loaded(1);
	}
}

int main(void)
{
	struct itimerval timer = {{0, 1000}, {0, 1000}}, off = {{0, 0}, {0, 0}};
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	char *code = functions(1000);
	uint64_t seed = 4242;
	int wide;

	__builtin_cpu_init();
	wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
	if (!wide && !__builtin_cpu_supports("avx2"))
		return check_end();
	for (int i = 0; i < 32; i++)
		for (int k = 0; k < 64; k++)
			before[i][k] = (unsigned char)check_random(&seed);
	for (int i = 0; i < 8; i++)
		masks_before[i] = check_random(&seed);
	if (wide)
		check_high_registers(&seed);
	STEP("zmm29 and zmm30 kept");
	for (int i = 0; i < 1000; i++)
		check_round(wide, code + i * 64, 1);
	STEP("kept over new code and system calls");
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; signals < 60 && i < 100000; i++)
		check_round(wide, code, 300);
	setitimer(ITIMER_REAL, &off, NULL);
	CHECK(signals >= 60);
	STEP("kept over signals");
	return check_end();
}
