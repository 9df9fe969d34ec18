/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The address of the last x87 instruction, as written by fnstenv, fnsave, fxsave and the xsave
 * family: in signal frames, after their handlers, in a new thread, in a forked child, and after
 * much new code.
 */
#define _GNU_SOURCE
#include "check.h"
#include <cpuid.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>

static uint8_t area[16384] __attribute__((aligned(64)));
static volatile int handled;
static uint64_t seen;
static int has_xsavec, has_xsaveopt;

/* The x87 instruction at label 1, whose address it gives; `show` stands behind it. */
#define LAST(before, show)                                                        \
	({                                                                        \
		uint64_t at_;                                                     \
		asm volatile("lea 1f(%%rip), %0\n\t" before "\n1:\tfld1\n\t" show \
			     : "=&r"(at_)                                         \
			     : "D"(area), "a"(1), "d"(0)                          \
			     : "rcx", "rsi", "r11", "memory", "st");              \
		asm volatile("fninit");                                           \
		at_;                                                              \
	})

static uint64_t read_bytes(int at, int bytes)
{
	uint64_t v = 0;

	memcpy(&v, area + at, (size_t)bytes);
	memset(area, 0, sizeof(area));
	return v;
}

static uint64_t low(uint64_t address, int bytes)
{
	return bytes == 8 ? address : address & ((1ull << 8 * bytes) - 1);
}

#define CHECK_FORM(show, at, bytes)                                 \
	do {                                                        \
		const uint64_t last_ = LAST("nop", show);           \
		CHECK_EQ(read_bytes(at, bytes), low(last_, bytes)); \
	} while (0)

static void check_forms(void)
{
	for (int i = 0; i < 3; i++) {
		CHECK_FORM("fnstenv (%%rdi)", 12, 4);
		CHECK_FORM("data16 fnstenv (%%rdi)", 6, 2);
		CHECK_FORM("fnsave (%%rdi)", 12, 4);
		CHECK_FORM("data16 fnsave (%%rdi)", 6, 2);
		CHECK_FORM("fxsave (%%rdi)", 8, 4);
		CHECK_FORM("fxsave64 (%%rdi)", 8, 8);
		CHECK_FORM("xsave (%%rdi)", 8, 4);
		CHECK_FORM("xsave64 (%%rdi)", 8, 8);
		if (has_xsavec) {
			CHECK_FORM("xsavec (%%rdi)", 8, 4);
			CHECK_FORM("xsavec64 (%%rdi)", 8, 8);
		}
		if (has_xsaveopt) {
			CHECK_FORM("xsaveopt (%%rdi)", 8, 4);
			CHECK_FORM("xsaveopt64 (%%rdi)", 8, 8);
		}
	}
	/* Two in a row, with flags that stay, and what stands on the stack of x87. */
	const uint64_t last =
		LAST("stc", "xsave64 (%%rdi)\n\txsave64 4096(%%rdi)\n\tjc 2f\n\tud2\n2:");
	uint64_t second;

	memcpy(&second, area + 4096 + 8, 8);
	CHECK_EQ(second, last);
	CHECK_EQ(read_bytes(8, 8), last);
	STEP("forms");
}

static void note(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	(void)sig;
	(void)info;
	seen = uc->uc_mcontext.fpregs->rip;
	handled = handled + 1;
	asm volatile("fldz\n\tfstp %st(0)");
}

static void set(int sig)
{
	struct sigaction sa = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};

	NEED(sigaction(sig, &sa, NULL) == 0);
	handled = 0;
}

/* The handler has an x87 instruction of its own: behind it the place is the old one again. */
static void check_signals(void)
{
	static const struct itimerval soon = {{0, 0}, {0, 1000}};
	uint64_t last;

	set(SIGUSR1);
	last = LAST(
		"nop",
		"push %%rdi\n\tmov $39, %%eax\n\tsyscall\n\tmov %%eax, %%edi\n\tmov $10, %%esi\n\t"
		"mov $62, %%eax\n\tsyscall\n\tpop %%rdi\n\tmov $1, %%eax\n\tfxsave64 (%%rdi)");
	CHECK(handled == 1);
	CHECK_EQ(seen, last);
	CHECK_EQ(read_bytes(8, 8), last);
	set(SIGALRM);
	NEED(setitimer(ITIMER_REAL, &soon, NULL) == 0);
	last = LAST(
		"nop",
		"2:\tmov handled(%%rip), %%eax\n\ttest %%eax, %%eax\n\tje 2b\n\tfxsave64 (%%rdi)");
	CHECK_EQ(seen, last);
	CHECK_EQ(read_bytes(8, 8), last);
	STEP("signals");
}

static void *look(void *arg)
{
	asm volatile("fxsave64 (%0)" : : "r"(area) : "memory");
	seen = read_bytes(8, 8);
	return arg;
}

/* The kernel gives both a copy of the state. */
static void check_copies(void)
{
	uint64_t last;
	pthread_t t;
	int status;

	asm volatile("lea 1f(%%rip), %0\n1:\tfld1\n\tfstp %%st(0)" : "=r"(last) : : "st");
	last += 2;
	NEED(pthread_create(&t, NULL, look, NULL) == 0);
	pthread_join(t, NULL);
	CHECK_EQ(seen, last);
	pid_t pid = fork();

	if (pid == 0) {
		look(NULL);
		_exit(seen == last ? 0 : 1);
	}
	NEED(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	look(NULL);
	CHECK_EQ(seen, last);
	STEP("copies");
}

/* So many different counts of code that a small table of the engine's has to be emptied. */
#define FUNCTIONS 4096
#define ROOM	  160

static void check_new_code(void)
{
	uint8_t *code = mmap(NULL, FUNCTIONS * ROOM, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t last;

	NEED(code != MAP_FAILED);
	for (int n = 0; n < FUNCTIONS; n++) {
		uint8_t *to = code + n * ROOM;

		for (int i = 0; i < n % 32; i++, to += 3)
			memcpy(to, "\x48\x8b\x07", 3); /* mov (%rdi), %rax */
		for (int i = 0; i < n / 32 % 32; i++)
			*to++ = 0x90;
		for (int i = 0; i < n / 1024; i++, to += 3)
			memcpy(to, "\x48\x89\x07", 3); /* mov %rax, (%rdi) */
		*to = 0xc3;
	}
	asm volatile("lea 1f(%%rip), %0\n1:\tfld1\n\tfstp %%st(0)" : "=r"(last) : : "st");
	last += 2;
	for (int n = 0; n < FUNCTIONS; n++)
		((void (*)(void *))(void *)(code + n * ROOM))(area);
	look(NULL);
	CHECK_EQ(seen, last);
	STEP("new code");
}

/* Others tell of the place only while an exception waits. */
static int tells_place(void)
{
	unsigned a, b, c, d;

	NEED(__get_cpuid(1, &a, &b, &c, &d));
	if (!(c >> 27 & 1) || !__get_cpuid(0, &a, &b, &c, &d) || b != signature_INTEL_ebx)
		return 0;
	NEED(__get_cpuid_count(0xd, 1, &a, &b, &c, &d));
	has_xsaveopt = a & 1;
	has_xsavec = a >> 1 & 1;
	return 1;
}

int main(void)
{
	if (!tells_place()) {
		STEP("this processor does not tell");
		return check_end();
	}
	check_forms();
	check_signals();
	check_copies();
	check_new_code();
	return check_end();
}
