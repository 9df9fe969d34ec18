/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timers of 10 to 30 microseconds with a handler: the interrupted code must still make progress,
 * whether it computes or makes system calls, with each kind of timer and handler, and with many at
 * once.
 */
#define _GNU_SOURCE
#include "check.h"
#include <asm/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#define MOST 4
/*
 * The interval for the slow handler. It must be longer than the handler takes: a timer that is due
 * again at its end leaves the program no instruction. Virtual machines set timers slowly.
 */
#define SLOW_US 30

static volatile long handled, nested, deepest;
static volatile int jumps;
static sigjmp_buf back;
static timer_t timers[MOST];

__attribute__((noinline)) static uint64_t compute(int n)
{
	uint64_t seed = 7, sum = 0;

	for (int i = 0; i < n; i++)
		sum += check_random(&seed);
	asm volatile("" : "+r"(sum) : : "memory");
	return sum;
}

static void count(int sig)
{
	(void)sig;
	nested = nested + 1;
	if (nested > deepest)
		deepest = nested;
	handled = handled + 1;
	nested = nested - 1;
}

static void jump(int sig)
{
	count(sig);
	if (jumps < 100) {
		jumps = jumps + 1;
		siglongjmp(back, 1);
	}
}

static void slow(int sig)
{
	count(sig);
	compute(2000);
}

static void set(int sig, void (*fn)(int), int flags)
{
	struct sigaction sa = {.sa_handler = fn, .sa_flags = flags};

	NEED(sigaction(sig, &sa, NULL) == 0);
}

static void interval(int us)
{
	struct itimerval t = {{0, us}, {0, us}};

	NEED(setitimer(ITIMER_REAL, &t, NULL) == 0);
}

static void done(const char *what)
{
	CHECK(handled > 0);
	handled = 0;
	STEP("%s", what);
}

static void check_compute(int us, void (*fn)(int), int flags, const char *what)
{
	uint64_t want = compute(300000);

	set(SIGALRM, fn, flags);
	interval(us);
	do
		CHECK_EQ(compute(300000), want);
	while (handled < 20);
	interval(0);
	done(what);
}

static void check_jumps(void)
{
	volatile uint64_t want = compute(100000);

	set(SIGALRM, jump, 0);
	sigsetjmp(back, 1);
	interval(10);
	while (jumps < 100)
		compute(1000);
	CHECK_EQ(compute(100000), want);
	interval(0);
	done("jumps out of handlers");
}

static void check_many(void)
{
	struct itimerspec t = {{0, 30000}, {0, 30000}}, off = {{0, 0}, {0, 0}};
	uint64_t want = compute(300000);

	for (int i = 0; i < MOST; i++) {
		struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + i};

		set(SIGRTMIN + i, count, i & 1 ? SA_RESTART : 0);
		NEED(timer_create(CLOCK_MONOTONIC, &e, &timers[i]) == 0);
		NEED(timer_settime(timers[i], 0, &t, NULL) == 0);
	}
	do
		CHECK_EQ(compute(300000), want);
	while (handled < 20);
	for (int i = 0; i < MOST; i++)
		timer_settime(timers[i], 0, &off, NULL);
	done("four timers");
}

static void check_calls(int flags)
{
	const struct timespec brief = {0, 5000000};
	int fds[2], interrupted = 0;
	char c = 0;

	NEED(pipe(fds) == 0);
	set(SIGALRM, count, flags);
	interval(20);
	for (int i = 0; i < 50 || handled < 5; i++) {
		int fd;

		CHECK(write(fds[1], "x", 1) == 1);
		CHECK(read(fds[0], &c, 1) == 1 && c == 'x');
		fd = open("/dev/null", O_RDWR);
		CHECK(fd >= 0 && write(fd, "abc", 3) == 3);
		close(fd);
		CHECK(getppid() > 0);
	}
	/* Calls that nothing starts again are interrupted, and reads only without the flag. */
	for (int i = 0; i < 5; i++) {
		interrupted += nanosleep(&brief, NULL) != 0 && errno == EINTR;
		interrupted += poll(NULL, 0, 5) < 0 && errno == EINTR;
	}
	CHECK(interrupted > 0);
	if (!flags)
		CHECK(read(fds[0], &c, 1) == -1 && errno == EINTR);
	interval(0);
	close(fds[0]);
	close(fds[1]);
	done(flags ? "calls that go on" : "calls that end");
}

/* A signal that is not blocked is delivered, so it is never seen to be pending. */
static void check_pending(void)
{
	sigset_t s;

	set(SIGALRM, slow, 0);
	interval(SLOW_US);
	for (int i = 0; i < 2000 || handled < 20; i++) {
		NEED(sigpending(&s) == 0);
		CHECK(!sigismember(&s, SIGALRM));
	}
	interval(0);
	done("what is pending");
}

static void use_gs(void)
{
	static uint64_t base[2];

	NEED(syscall(SYS_arch_prctl, ARCH_SET_GS, base) == 0);
}

/* No timers of the new kind: those of setitimer are allowed. */
static void install_filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_settime, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_delete, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog p = {sizeof(code) / sizeof(*code), code};

	NEED(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	NEED(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) == 0);
}

/* A child takes the step amid its signals, and is to live on. */
static void check_step(void (*step)(void), const char *what)
{
	for (int i = 0; i < 5; i++) {
		int status = 0;

		fflush(stdout);
		pid_t pid = fork();

		if (pid == 0) {
			set(SIGALRM, slow, SA_RESTART);
			interval(SLOW_US);
			while (handled < 20)
				compute(1000);
			step();
			interval(0);
			for (const long end = handled + 50; handled < end; raise(SIGALRM))
				getppid();
			usleep(30000);
			_exit(3);
		}
		NEED(waitpid(pid, &status, 0) == pid);
		CHECK_EQ(status, 3 << 8);
	}
	STEP("%s", what);
}

int main(void)
{
	check_compute(10, count, 0, "10 microseconds");
	check_compute(30, count, SA_RESTART, "30 microseconds");
	check_compute(20, slow, 0, "a slow handler");
	deepest = 0;
	/* Where signals take longer than that, the handler would never end. */
	check_compute(100, count, SA_NODEFER, "nested");
	check_jumps();
	check_many();
	check_calls(0);
	check_calls(SA_RESTART);
	check_pending();
	check_step(use_gs, "a base of %gs");
	check_step(install_filter, "a filter");
	return check_end();
}
