/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children of clone3 with CLONE_CLEAR_SIGHAND: they have default handlers, and signals that were
 * ignored stay so. With memory of their own, shared under vfork, and shared.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

#define CLEARS 0x100000000ull /* CLONE_CLEAR_SIGHAND, which not all headers have */
#define OLDEST 64	      /* bytes of the first struct clone_args */
#define STACK  65536

struct arguments {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
};

static uint8_t stack[STACK] __attribute__((aligned(64)));
static volatile int handled;

static void on_signal(int signal)
{
	(void)signal;
	handled++;
}

static int is_default(int signal)
{
	struct sigaction a = {.sa_flags = -1};

	return sigaction(signal, 0, &a) == 0 && a.sa_handler == SIG_DFL && a.sa_flags == 0;
}

static uint64_t work(void)
{
	static volatile uint64_t seed = 88172645463325252ull;
	uint64_t state = seed, sum = 0;

	for (int i = 0; i < 1000000; i++)
		sum += check_random(&state) & 0xff;
	return sum;
}

/* What the child does; its exit status says how often something was wrong. */
static void child(int how)
{
	int wrong = !is_default(SIGUSR1) + !is_default(SIGSEGV) + !is_default(SIGCHLD) +
		    !is_default(SIGRTMIN + 1);
	struct sigaction a;

	wrong += sigaction(SIGHUP, 0, &a) != 0 || a.sa_handler != SIG_IGN;
	wrong += work() != work();
	if (how == 1)
		raise(SIGUSR1);
	if (how == 2)
		*(volatile int *)8 = 1;
	if (how == 3) {
		signal(SIGUSR1, on_signal);
		raise(SIGHUP);
		raise(SIGUSR1);
		wrong += !handled;
	}
	_exit(wrong);
}

/* Only the child returns on the stack of a shared memory; it calls nothing that returns there. */
static long clone3_of(struct arguments *a, int how)
{
	register uint64_t with __asm__("r12") = (uint64_t)how;
	long r = SYS_clone3;

	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "mov %%r12, %%rdi\n\t"
			 "and $-16, %%rsp\n\t"
			 "call *%[child]\n"
			 "1:"
			 : "+a"(r)
			 : "D"(a), "S"(OLDEST), [child] "r"(child), "r"(with)
			 : "rcx", "r11", "memory");
	return r;
}

static void run(uint64_t flags, int how, int wanted)
{
	struct arguments a = {.flags = flags | CLEARS, .exit_signal = SIGCHLD};
	int status = -1;

	if (flags & CLONE_VM) {
		a.stack = (uint64_t)(uintptr_t)stack;
		a.stack_size = STACK;
	}
	const long pid = clone3_of(&a, how);

	if (pid == -ENOSYS || pid == -EPERM)
		return;
	NEED(pid > 0);
	while (waitpid((pid_t)pid, &status, 0) != pid)
		NEED(errno == EINTR);
	CHECK_EQ(status & ~0x80, wanted);
}

static void all_ends(uint64_t flags)
{
	run(flags, 0, 0);
	run(flags, 1, SIGUSR1);
	run(flags, 2, SIGSEGV);
	run(flags, 3, 0);
}

static void own_ones_stay(void)
{
	struct sigaction a;

	handled = 0;
	raise(SIGUSR1);
	raise(SIGRTMIN + 1);
	CHECK_EQ(handled, 2);
	CHECK(sigaction(SIGSEGV, 0, &a) == 0 && a.sa_handler == on_signal);
	CHECK(a.sa_flags & SA_NODEFER);
}

int main(void)
{
	const struct sigaction handler = {.sa_handler = on_signal, .sa_flags = SA_NODEFER};
	struct arguments bad = {.flags = CLEARS | CLONE_SIGHAND | CLONE_VM};

	NEED(sigaction(SIGUSR1, &handler, 0) == 0 && sigaction(SIGSEGV, &handler, 0) == 0 &&
	     sigaction(SIGCHLD, &handler, 0) == 0 && sigaction(SIGRTMIN + 1, &handler, 0) == 0);
	signal(SIGHUP, SIG_IGN);
	all_ends(0);
	own_ones_stay();
	STEP("own memory");
	all_ends(CLONE_VM | CLONE_VFORK);
	own_ones_stay();
	STEP("under vfork");
	all_ends(CLONE_VM);
	own_ones_stay();
	STEP("shared memory");
	CHECK(clone3_of(&bad, 0) < 0);
	STEP("not with shared handlers");
	return check_end();
}
