/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signal handlers and masks: with and without SA_SIGINFO, nested, on another
 * stack, SA_NODEFER, SA_RESETHAND, longjmp out, raise and tgkill, timers over
 * a computation, waiting for signals, stop and continue.
 */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>

static volatile int count, depth, deepest, last_code;
static volatile long last_value;
static void *volatile frame_at;
static sigset_t mask_in_handler;

static void set(int sig, void (*fn)(int), int flags, int also)
{
	struct sigaction sa = {.sa_handler = fn, .sa_flags = flags};

	if (also)
		sigaddset(&sa.sa_mask, also);
	NEED(sigaction(sig, &sa, NULL) == 0);
}

static void plain(int sig)
{
	volatile char here;

	count = count + 1;
	frame_at = (void *)&here;
	sigprocmask(SIG_SETMASK, NULL, &mask_in_handler);
	errno = sig; /* interrupted code is not to see it: the check below restores */
}

static void with_info(int sig, siginfo_t *info, void *context)
{
	(void)context;
	count = count + 1;
	last_code = info->si_code;
	last_value = (long)info->si_value.sival_ptr;
	CHECK(info->si_signo == sig && info->si_pid == getpid() && info->si_uid == getuid());
}

static void check_handlers(void)
{
	struct sigaction sa = {.sa_sigaction = with_info, .sa_flags = SA_SIGINFO}, old;

	set(SIGUSR1, plain, 0, SIGUSR2);
	CHECK(raise(SIGUSR1) == 0 && count == 1);
	CHECK(sigismember(&mask_in_handler, SIGUSR1) && sigismember(&mask_in_handler, SIGUSR2) &&
	      !sigismember(&mask_in_handler, SIGTERM));
	sigprocmask(SIG_SETMASK, NULL, &mask_in_handler);
	CHECK(!sigismember(&mask_in_handler, SIGUSR1));
	NEED(sigaction(SIGUSR1, &sa, &old) == 0);
	CHECK(old.sa_handler == plain && sigismember(&old.sa_mask, SIGUSR2));
	CHECK((old.sa_flags & (SA_SIGINFO | SA_RESTART)) == 0);
	kill(getpid(), SIGUSR1);
	CHECK(count == 2 && last_code == SI_USER);
	sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 4711});
	CHECK(count == 3 && last_code == SI_QUEUE && (int)last_value == 4711);
	syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1);
	CHECK(count == 4 && last_code == SI_TKILL);
	CHECK(sigaction(SIGKILL, &sa, NULL) == -1 && sigaction(65, &sa, NULL) == -1);
	/* Real-time signals queue, each one is delivered. */
	sigset_t rt, before;

	NEED(sigaction(SIGRTMIN + 3, &sa, NULL) == 0);
	sigemptyset(&rt), sigaddset(&rt, SIGRTMIN + 3);
	sigprocmask(SIG_BLOCK, &rt, &before);
	for (int i = 0; i < 20; i++)
		sigqueue(getpid(), SIGRTMIN + 3, (union sigval){.sival_int = i});
	CHECK(count == 4);
	sigprocmask(SIG_SETMASK, &before, NULL);
	CHECK(count == 24 && (int)last_value == 19);
	STEP("handlers");
}

static void nest(int sig)
{
	depth = depth + 1;
	count = count + 1;
	if (depth > deepest)
		deepest = depth;
	if (count < 20)
		raise(sig);
	depth = depth - 1;
}

static void check_flags(void)
{
	static char room[65536];
	stack_t alt = {.ss_sp = room, .ss_size = sizeof(room)}, now;
	struct sigaction sa;

	count = 0;
	set(SIGUSR1, nest, SA_NODEFER, 0);
	raise(SIGUSR1);
	CHECK(deepest == 20 && depth == 0);
	deepest = 0, count = 0;
	set(SIGUSR1, nest, 0, 0);
	raise(SIGUSR1); /* blocked inside: one after the other, never one in another */
	CHECK(deepest == 1 && count == 20);
	set(SIGUSR1, SIG_IGN, 0, 0);
	count = 0;
	set(SIGUSR2, plain, SA_RESETHAND, 0);
	raise(SIGUSR2);
	NEED(sigaction(SIGUSR2, NULL, &sa) == 0);
	CHECK(count == 1 && sa.sa_handler == SIG_DFL);
	NEED(sigaltstack(&alt, NULL) == 0);
	set(SIGUSR2, plain, SA_ONSTACK, 0);
	raise(SIGUSR2);
	CHECK((char *)frame_at > room && (char *)frame_at < room + sizeof(room));
	set(SIGUSR2, plain, 0, 0);
	raise(SIGUSR2);
	CHECK((char *)frame_at < room || (char *)frame_at > room + sizeof(room));
	CHECK(sigaltstack(NULL, &now) == 0 && now.ss_sp == room && now.ss_flags == 0);
	now.ss_flags = SS_DISABLE;
	CHECK(sigaltstack(&now, NULL) == 0);
	STEP("flags");
}

static void change(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig, (void)info;
	uc->uc_mcontext.gregs[REG_R12] += 1000;
	sigaddset(&uc->uc_sigmask, SIGTERM);
}

/* What a handler writes into its context is what the program goes on with. */
static void check_context(void)
{
	struct sigaction sa = {.sa_sigaction = change, .sa_flags = SA_SIGINFO};
	sigset_t now;
	uint64_t r12;

	NEED(sigaction(SIGUSR2, &sa, NULL) == 0);
	for (int i = 0; i < 100; i++) {
		asm volatile("mov %2, %%r12\n\tsyscall\n\tmov %%r12, %0"
			     : "=r"(r12), "+a"((long){SYS_tgkill})
			     : "r"((uint64_t)i), "D"((long)getpid()), "S"((long)gettid()),
			       "d"((long)SIGUSR2)
			     : "r12", "rcx", "r11", "memory", "cc");
		CHECK_EQ(r12, 1000 + i);
	}
	sigprocmask(SIG_SETMASK, NULL, &now);
	CHECK(sigismember(&now, SIGTERM));
	sigdelset(&now, SIGTERM);
	sigprocmask(SIG_SETMASK, &now, NULL);
	STEP("contexts");
}

static sigjmp_buf out;

static void jump(int sig)
{
	siglongjmp(out, sig);
}

static void check_longjmp(void)
{
	volatile int n = 0;

	set(SIGUSR1, jump, 0, 0);
	for (int i = 0; i < 2000; i++) {
		if (sigsetjmp(out, 1) == 0) {
			raise(SIGUSR1);
			CHECK(!"came back");
		}
		n++;
	}
	CHECK_EQ(n, 2000);
	set(SIGSEGV, jump, 0, 0);
	for (int i = 0; i < 500; i++)
		if (sigsetjmp(out, 1) == 0)
			*(volatile int *)16 = 0;
	set(SIGSEGV, SIG_DFL, 0, 0);
	STEP("jumps out of handlers");
}

static volatile long ticks;

static void tick(int sig)
{
	ticks = ticks + (sig != 0);
}

/* One thousand signals a second over a computation with a known end. */
static void check_timer(void)
{
	struct itimerval timer = {{0, 1000}, {0, 1000}}, off = {{0, 0}, {0, 0}};
	uint64_t want = 0;

	set(SIGALRM, tick, SA_RESTART, 0);
	for (int round = 0; round < 100 && (round < 2 || ticks < 200); round++) {
		uint64_t seed = 7, sum = 0;
		double f = 1;

		if (round == 1)
			setitimer(ITIMER_REAL, &timer, NULL);
		for (int i = 0; i < 2000000; i++) {
			sum += check_random(&seed) % 1000;
			f = f * 1.0000001 + (double)(sum & 1);
		}
		sum += (uint64_t)f;
		if (round == 0)
			want = sum;
		CHECK_EQ(sum, want);
	}
	setitimer(ITIMER_REAL, &off, NULL);
	CHECK(ticks >= 200);
	STEP("timer over a computation");
}

static void *send_later(void *arg)
{
	usleep(30000);
	kill(getpid(), (int)(long)arg);
	return NULL;
}

/*
 * sigwait, sigtimedwait, signalfd, sigsuspend: the signal is taken, no handler runs (but the last).
 */
static void check_waiting(void)
{
	struct timespec brief = {0, 20000000}, longer = {5, 0};
	struct signalfd_siginfo info;
	sigset_t usr, old, none;
	siginfo_t si;
	pthread_t t;
	int sig = 0, fd;

	set(SIGUSR1, plain, 0, 0);
	count = 0;
	sigemptyset(&usr), sigaddset(&usr, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr, &old);
	raise(SIGUSR1);
	CHECK(sigwait(&usr, &sig) == 0 && sig == SIGUSR1);
	CHECK(sigtimedwait(&usr, &si, &brief) == -1 && errno == EAGAIN);
	NEED(pthread_create(&t, NULL, send_later, (void *)SIGUSR1) == 0);
	CHECK(sigtimedwait(&usr, &si, &longer) == SIGUSR1 && si.si_code == SI_USER);
	pthread_join(t, NULL);
	fd = signalfd(-1, &usr, SFD_CLOEXEC);
	NEED(fd >= 0);
	NEED(pthread_create(&t, NULL, send_later, (void *)SIGUSR1) == 0);
	CHECK(read(fd, &info, sizeof(info)) == sizeof(info) && info.ssi_signo == SIGUSR1);
	pthread_join(t, NULL);
	close(fd);
	CHECK_EQ(count, 0);
	none = old;
	sigdelset(&none, SIGUSR1);
	raise(SIGUSR1);
	CHECK(sigsuspend(&none) == -1 && errno == EINTR && count == 1);
	raise(SIGUSR1);
	CHECK(pselect(0, NULL, NULL, NULL, &longer, &none) == -1 && errno == EINTR && count == 2);
	sigpending(&none);
	CHECK(!sigismember(&none, SIGUSR1));
	sigprocmask(SIG_SETMASK, &old, NULL);
	STEP("waiting");
}

static void *raise_here(void *arg)
{
	sigset_t one;

	for (int i = 0; i < 200; i++)
		raise(SIGUSR2);
	sigemptyset(&one), sigaddset(&one, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &one, NULL);
	return arg;
}

static __thread int mine;
static volatile int total;

static void add_mine(int sig)
{
	(void)sig;
	mine++;
	__atomic_fetch_add(&total, 1, __ATOMIC_SEQ_CST);
}

static void check_threads(void)
{
	pthread_t t[6];

	set(SIGUSR2, add_mine, 0, 0);
	for (int i = 0; i < 6; i++)
		NEED(pthread_create(&t[i], NULL, raise_here, NULL) == 0);
	for (int i = 0; i < 6; i++)
		pthread_join(t[i], NULL);
	CHECK(total == 1200 && mine == 0);
	STEP("threads");
}

static void check_stop(void)
{
	int status, seen[2];
	char c = 0;

	NEED(pipe(seen) == 0);
	pid_t pid = fork();

	if (pid == 0) {
		set(SIGCONT, tick, SA_RESTART, 0);
		ticks = 0;
		for (int i = 0; i < 3; i++) {
			raise(SIGSTOP);
			/* Stopping again would take back the report that it went on. */
			while (read(seen[0], &c, 1) != 1)
				;
		}
		_exit(ticks == 3 ? 55 : 1);
	}
	for (int i = 0; i < 3; i++) {
		NEED(waitpid(pid, &status, WUNTRACED) == pid);
		CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
		kill(pid, SIGCONT);
		CHECK(waitpid(pid, &status, WCONTINUED) == pid && WIFCONTINUED(status));
		NEED(write(seen[1], &c, 1) == 1);
	}
	close(seen[0]);
	close(seen[1]);
	NEED(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 55);
	STEP("stop and continue");
}

int main(void)
{
	check_handlers();
	check_flags();
	check_context();
	check_longjmp();
	check_timer();
	check_waiting();
	check_threads();
	check_stop();
	return check_end();
}
