/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that cannot be translated, because they use %gs, or allow only their own system calls.
 * The argument chooses. Each checks that its registers, signals, threads and code are unchanged, in
 * running and waiting threads, and in threads created later.
 */
#define _GNU_SOURCE
#include "check.h"
#include <asm/prctl.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static uint64_t block[8] = {0x1122334455667788, 2, 3, 4, 5, 6, 7, 8};

static uint64_t read_gs(void)
{
	uint64_t v;

	__asm__ volatile("mov %%gs:8, %0" : "=r"(v));
	return v;
}

static void set_by_call(void)
{
	NEED(syscall(SYS_arch_prctl, ARCH_SET_GS, block) == 0);
}

static void set_by_instruction(void)
{
	if (getauxval(AT_HWCAP2) & 2)
		__asm__ volatile("wrgsbase %0" : : "r"(block));
	else
		set_by_call();
}

/* A selector of 0 leaves a base of 0 behind on most processors. */
static void set_by_selector(void)
{
	__asm__ volatile("mov %0, %%gs" : : "r"(0));
	set_by_call();
}

/* All registers that a call keeps, and then some, across what `enter` does. */
static void registers_stay(void (*enter)(void))
{
	double x[4] = {1.5, -2.25, 1e300, 3}, y[4];
	uint32_t mxcsr = 0x1f80 | 3u << 13, after; /* rounds to zero */
	uint64_t a = 1, b = 2, c = 3;

	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
	__asm__ volatile(
		"mov %[a], %%r12\n\tmov %[b], %%r13\n\tmov %[c], %%r14\n\tmov %%rsp, %%r15\n\t"
		"and $-16, %%rsp\n\tcall *%[f]\n\tcmp %%rsp, %%r15\n\tmov %%r15, %%rsp\n\t"
		"mov %%r12, %[a]\n\tmov %%r13, %[b]\n\tmov %%r14, %[c]"
		: [a] "+m"(a), [b] "+m"(b), [c] "+m"(c)
		: [f] "r"(enter)
		: "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
		  "r15", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
		  "xmm7");
	__asm__ volatile("stmxcsr %0" : "=m"(after));
	CHECK_EQ(after & ~63u, mxcsr);
	mxcsr = 0x1f80;
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
	CHECK(a == 1 && b == 2 && c == 3);
	for (int i = 0; i < 4; i++)
		y[i] = x[i] * 2;
	CHECK(y[0] == 3 && y[1] == -4.5 && y[2] == 2e300 && y[3] == 6);
}

static volatile sig_atomic_t handled, on_stack;
static char other_stack[65536];

static void handler(int signal)
{
	char here;

	handled += signal;
	on_stack = &here > other_stack && &here < other_stack + sizeof(other_stack);
}

static void set_signals(void)
{
	struct sigaction a = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	stack_t s = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)};
	sigset_t blocked;

	NEED(sigaltstack(&s, NULL) == 0);
	NEED(sigaction(SIGUSR1, &a, NULL) == 0 && sigaction(SIGSEGV, &a, NULL) == 0);
	a.sa_flags = 0;
	NEED(sigaction(SIGUSR2, &a, NULL) == 0);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR2);
	NEED(pthread_sigmask(SIG_BLOCK, &blocked, NULL) == 0);
	sigaddset(&blocked, SIGFPE);
	NEED(pthread_sigmask(SIG_BLOCK, &blocked, NULL) == 0 && sigaction(SIGFPE, &a, NULL) == 0);
	raise(SIGUSR2); /* pending from here on */
	raise(SIGFPE);
}

static void check_signals(void)
{
	sigset_t now, pending;
	stack_t s;

	NEED(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && sigpending(&pending) == 0);
	for (int i = 1; i < 32; i++)
		CHECK_EQ(sigismember(&now, i), i == SIGUSR2 || i == SIGFPE);
	CHECK(sigismember(&pending, SIGUSR2) && sigismember(&pending, SIGFPE));
	NEED(sigaltstack(NULL, &s) == 0);
	CHECK(s.ss_sp == other_stack && s.ss_size == sizeof(other_stack));
	handled = 0;
	raise(SIGUSR1);
	CHECK_EQ(handled, SIGUSR1);
	CHECK(on_stack);
	handled = 0;
	NEED(pthread_sigmask(SIG_UNBLOCK, &pending, NULL) == 0);
	CHECK_EQ(handled, SIGUSR2 + SIGFPE);
	CHECK(!on_stack);
}

static int ends[2];
static volatile int stop, running;

static void *run(void *count)
{
	running = 1;
	while (!stop)
		++*(volatile uint64_t *)count;
	return count;
}

static void *wait_in_call(void *byte)
{
	return (void *)(uintptr_t)read(ends[0], byte, 1);
}

static void *later(void *arg)
{
	return arg;
}

/* mov $value, %eax; ret on a page that is written after it has run */
static void check_code(unsigned char *code, int value)
{
	code[0] = 0xb8;
	memcpy(code + 1, &value, 4);
	code[5] = 0xc3;
	CHECK_EQ(((int (*)(void))(uintptr_t)code)(), value);
}

static int with_all(void (*enter)(void), int uses_gs)
{
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t runs, waits, more;
	uint64_t count = 0;
	char byte = 0;
	void *got;
	int status;

	NEED(code != MAP_FAILED && pipe(ends) == 0);
	check_code(code, 1);
	NEED(pthread_create(&runs, NULL, run, &count) == 0 &&
	     pthread_create(&waits, NULL, wait_in_call, &byte) == 0);
	while (!running)
		sched_yield();
	set_signals();
	registers_stay(enter);
	if (uses_gs)
		CHECK_EQ(read_gs(), 2);
	check_code(code, 2);
	check_signals();
	NEED(pthread_create(&more, NULL, later, code) == 0 && pthread_join(more, &got) == 0);
	CHECK(got == code);
	NEED(write(ends[1], "x", 1) == 1 && pthread_join(waits, &got) == 0);
	CHECK(got == (void *)1 && byte == 'x');
	stop = 1;
	pthread_join(runs, NULL);
	CHECK(count > 0);
	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		if (uses_gs && read_gs() != 2)
			_exit(1);
		execl("/bin/sh", "sh", "-c", "exit 7", NULL);
		_exit(2);
	}
	NEED(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	if (uses_gs)
		CHECK_EQ(read_gs(), 2);
	return check_end();
}

#define ALLOW(name)                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* No call but these, and what stands at the end for all others. */
#define FILTER(name, otherwise)                                                        \
	static struct sock_filter name[] = {                                           \
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), \
		ALLOW(read),                                                           \
		ALLOW(write),                                                          \
		ALLOW(exit),                                                           \
		ALLOW(exit_group),                                                     \
		ALLOW(rt_sigreturn),                                                   \
		ALLOW(futex),                                                          \
		ALLOW(rt_sigprocmask),                                                 \
		ALLOW(madvise),                                                        \
		ALLOW(munmap),                                                         \
		BPF_STMT(BPF_RET | BPF_K, otherwise)}

FILTER(kills, SECCOMP_RET_KILL_PROCESS);
FILTER(fails, SECCOMP_RET_ERRNO | 99);

static void install(struct sock_filter *code, unsigned n, unsigned how)
{
	struct sock_fprog p = {(unsigned short)n, code};

	NEED(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	if (how == 0)
		NEED(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) == 0);
	else
		NEED(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			     how == 1 ? 0 : SECCOMP_FILTER_FLAG_TSYNC, &p) == 0);
}

#define COUNT(a) (unsigned)(sizeof(a) / sizeof(a[0]))

static volatile uint64_t sum;

static void work(void)
{
	for (uint64_t i = 0; i < 300000; i++)
		sum += i * 7919 % 1000;
}

static void *install_here(void *how)
{
	install(kills, COUNT(kills), (unsigned)(uintptr_t)how);
	work();
	return how;
}

/* In a child: 3 if all is well. */
static void under_filter(unsigned which)
{
	pthread_t t;

	switch (which) {
	case 0:
	case 1:
	case 2:
		install(kills, COUNT(kills), which);
		break;
	case 3: /* by a thread, for all */
		pthread_create(&t, NULL, install_here, (void *)2);
		pthread_join(t, NULL);
		break;
	case 4: /* by a thread, for itself */
		pthread_create(&t, NULL, install_here, (void *)1);
		pthread_join(t, NULL);
		break;
	case 5:
		install(fails, COUNT(fails), 1);
		if (syscall(SYS_getpid) != -1 || errno != 99 ||
		    syscall(SYS_mprotect, 0, 0, 0) != -1 || errno != 99)
			syscall(SYS_exit, 1);
		break;
	default:
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	}
	work();
	if (write(1, "works\n", 6) != 6)
		syscall(SYS_exit, 1);
	syscall(SYS_exit, 3);
}

static int filters(void)
{
	int status;

	for (unsigned which = 0; which < 7; which++) {
		fflush(stdout);
		pid_t pid = fork();

		if (pid == 0)
			under_filter(which);
		NEED(waitpid(pid, &status, 0) == pid);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
		STEP("filter %u: %d", which, status);
	}
	return check_end();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "filters";

	alarm(20);
	if (!strcmp(what, "call"))
		return with_all(set_by_call, 1);
	if (!strcmp(what, "instruction"))
		return with_all(set_by_instruction, 1);
	if (!strcmp(what, "selector"))
		return with_all(set_by_selector, 1);
	return filters();
}
