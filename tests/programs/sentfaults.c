/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGTRAP that were sent are normal signals: they can be
 * blocked, pending, waited for, ignored, and go to another thread.
 */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

static const int kinds[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
#define KINDS 5

static volatile int count, code, value, order[8], on_stack;
static volatile pid_t by;
static char stack[65536];

static void handle(int sig, siginfo_t *info, void *context)
{
	volatile char here = 0;

	(void)context;
	if (count < 8)
		order[count] = sig;
	code = info->si_code;
	value = info->si_value.sival_int;
	by = gettid();
	on_stack = (char *)&here >= stack && (char *)&here < stack + sizeof(stack);
	count = count + 1; /* last: another thread waits for it, then looks at the others */
}

static void set(int sig, int flags)
{
	struct sigaction sa = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | flags};

	NEED(sigaction(sig, &sa, NULL) == 0);
	count = 0;
}

static sigset_t set_of(int sig)
{
	sigset_t s;

	sigemptyset(&s);
	sigaddset(&s, sig);
	return s;
}

static void block(int sig, int how)
{
	sigset_t s = set_of(sig);

	NEED(pthread_sigmask(how, &s, NULL) == 0);
}

static int is_pending(int sig)
{
	sigset_t s;

	sigemptyset(&s);
	NEED(sigpending(&s) == 0);
	return sigismember(&s, sig);
}

static uint64_t compute(int n)
{
	uint64_t seed = 7, sum = 0;

	for (int i = 0; i < n; i++)
		sum += check_random(&seed);
	return sum;
}

static void send(int sig, int how)
{
	pid_t pid;

	if (how == 0)
		raise(sig);
	else if (how == 1)
		kill(getpid(), sig);
	else if (how == 2)
		sigqueue(getpid(), sig, (union sigval){.sival_int = 99});
	else if (how == 3)
		syscall(SYS_tgkill, getpid(), gettid(), sig);
	else if ((pid = fork()) == 0)
		_exit(kill(getppid(), sig) != 0);
	else
		waitpid(pid, NULL, 0);
}

static const int codes[] = {SI_TKILL, SI_USER, SI_QUEUE, SI_TKILL, SI_USER};

static void check_blocked(int sig)
{
	for (int how = 0; how < 5; how++) {
		set(sig, 0);
		block(sig, SIG_BLOCK);
		send(sig, how);
		send(sig, how);
		compute(100000);
		CHECK(count == 0 && is_pending(sig));
		CHECK(count == 0 && is_pending(sig)); /* looking does not take it */
		block(sig, SIG_UNBLOCK);
		CHECK(count == 1 && code == codes[how] && !is_pending(sig));
		CHECK(how != 2 || value == 99);
		send(sig, how);
		CHECK(count == 2);
	}
}

/* The one to the thread and the one to the process are two. */
static void check_two(int sig)
{
	set(sig, 0);
	block(sig, SIG_BLOCK);
	send(sig, 1);
	send(sig, 3);
	block(sig, SIG_UNBLOCK);
	CHECK_EQ(count, 2);
}

static void check_taken(int sig)
{
	const struct timespec none = {0, 0}, brief = {0, 10000000}, longer = {5, 0};
	struct signalfd_siginfo got = {0};
	sigset_t s = set_of(sig), without;
	siginfo_t info;
	int fd, which = 0;

	set(sig, 0);
	block(sig, SIG_BLOCK);
	CHECK(sigtimedwait(&s, &info, &brief) == -1 && errno == EAGAIN);
	for (int how = 0; how < 5; how++) {
		send(sig, how);
		/* The library makes no difference between tkill and kill. */
		CHECK(sigtimedwait(&s, &info, &none) == sig &&
		      info.si_code == (codes[how] == SI_TKILL ? SI_USER : codes[how]));
		CHECK(!is_pending(sig));
	}
	raise(sig);
	CHECK(sigwait(&s, &which) == 0 && which == sig);
	fd = signalfd(-1, &s, SFD_NONBLOCK);
	struct pollfd p = {.fd = fd, .events = POLLIN};

	CHECK(poll(&p, 1, 0) == 0);
	kill(getpid(), sig);
	CHECK(poll(&p, 1, 5000) == 1 && p.revents == POLLIN);
	CHECK(read(fd, &got, sizeof(got)) == sizeof(got) && (int)got.ssi_signo == sig);
	CHECK(read(fd, &got, sizeof(got)) == -1 && errno == EAGAIN);
	close(fd);
	CHECK(count == 0);
	pthread_sigmask(SIG_SETMASK, NULL, &without);
	sigdelset(&without, sig);
	raise(sig);
	CHECK(sigsuspend(&without) == -1 && errno == EINTR && count == 1);
	kill(getpid(), sig);
	CHECK(ppoll(NULL, 0, &longer, &without) == -1 && errno == EINTR && count == 2);
	kill(getpid(), sig);
	CHECK(ppoll(NULL, 0, &none, NULL) == 0 && count == 2);
	block(sig, SIG_UNBLOCK);
	CHECK(count == 3);
}

static void check_ignored(int sig)
{
	const struct timespec brief = {0, 30000000};

	set(sig, 0);
	signal(sig, SIG_IGN);
	for (int how = 0; how < 5; how++)
		send(sig, how);
	/* Nothing is interrupted by an ignored signal. */
	pid_t pid = fork();

	if (pid == 0) {
		usleep(5000);
		_exit(kill(getppid(), sig) != 0);
	}
	CHECK(nanosleep(&brief, NULL) == 0);
	waitpid(pid, NULL, 0);
	/* Ignoring takes back what is pending. */
	set(sig, 0);
	block(sig, SIG_BLOCK);
	send(sig, 0), send(sig, 1);
	signal(sig, SIG_IGN);
	CHECK(!is_pending(sig));
	set(sig, 0);
	block(sig, SIG_UNBLOCK);
	CHECK(count == 0);
}

static void again(int sig)
{
	count = count + 1;
	if (count < 5)
		raise(sig);
	else
		code = count;
}

static void check_flags(int sig)
{
	stack_t alt = {.ss_sp = stack, .ss_size = sizeof(stack)}, off = {.ss_flags = SS_DISABLE};
	struct sigaction sa, nested = {.sa_handler = again, .sa_flags = SA_NODEFER};

	set(sig, SA_RESETHAND);
	raise(sig);
	sigaction(sig, NULL, &sa);
	CHECK(count == 1 && sa.sa_handler == SIG_DFL);
	NEED(sigaltstack(&alt, NULL) == 0);
	set(sig, SA_ONSTACK);
	kill(getpid(), sig);
	CHECK(count == 1 && on_stack);
	NEED(sigaltstack(&off, NULL) == 0);
	for (int defer = 0; defer < 2; defer++) {
		count = 0;
		nested.sa_flags = defer ? 0 : SA_NODEFER;
		sigaction(sig, &nested, NULL);
		raise(sig);
		CHECK(count == 5);
	}
}

static int status_of(pid_t pid)
{
	int status = -1;

	NEED(pid > 0 && waitpid(pid, &status, 0) == pid);
	return status;
}

/* 0: sent, then let in; 1: a fault while a sent one is pending; 2: across exec. */
static void check_default(int sig, int which)
{
	pid_t pid = fork();

	if (pid == 0) {
		signal(sig, SIG_DFL);
		block(sig, SIG_BLOCK);
		raise(sig);
		compute(10000);
		if (which == 0)
			block(sig, SIG_UNBLOCK);
		else if (which == 1)
			*(volatile int *)8 = 1;
		else
			execl("/proc/self/exe", "sentfaults", "pending",
			      sig == SIGSEGV ? "11" : "0", NULL);
		_exit(1);
	}
	int status = status_of(pid);

	if (which == 2)
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 42);
	else
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == (which ? SIGSEGV : sig));
}

static void check_together(void)
{
	sigset_t all, old;

	for (int i = 0; i < KINDS; i++)
		set(kinds[i], SA_NODEFER);
	set(SIGUSR1, SA_NODEFER);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	for (int i = 0; i < KINDS; i++)
		raise(kinds[i]);
	raise(SIGUSR1);
	CHECK(count == 0);
	sigprocmask(SIG_SETMASK, &old, NULL);
	CHECK_EQ(count, KINDS + 1);
	/* The kernel puts the frames of faults' kinds first, so the others' handlers run first. */
	CHECK(order[0] == SIGUSR1 && order[1] == SIGSEGV && order[5] == SIGILL);
	STEP("all at once");
}

/* ---- Several threads ---- */

enum job { LETS_IN, WAITS, READS, LETS_IN_LATER, RESTARTS };
struct worker {
	enum job job;
	int sig;
	volatile int ready, go, took;
	pid_t tid;
	int ends[2];
};

static void *work(void *arg)
{
	const struct timespec longer = {10, 0};
	struct worker *w = arg;
	sigset_t s = set_of(w->sig);
	struct signalfd_siginfo got;
	char byte;
	int fd;

	w->tid = gettid();
	switch (w->job) {
	case LETS_IN:
		block(w->sig, SIG_UNBLOCK);
		w->ready = 1;
		while (!w->go)
			compute(100);
		break;
	case WAITS:
		w->ready = 1;
		w->took = sigtimedwait(&s, NULL, &longer);
		break;
	case READS:
		fd = signalfd(-1, &s, 0);
		w->ready = 1;
		w->took = read(fd, &got, sizeof(got)) == sizeof(got) ? (int)got.ssi_signo : -1;
		close(fd);
		break;
	case LETS_IN_LATER:
		w->ready = 1;
		while (!w->go)
			compute(100);
		block(w->sig, SIG_UNBLOCK);
		break;
	case RESTARTS:
		block(w->sig, SIG_UNBLOCK);
		w->ready = 1;
		w->took = read(w->ends[0], &byte, 1) == 1 ? w->sig : -errno;
		break;
	}
	return NULL;
}

static void check_thread(enum job job, int sig)
{
	struct worker w = {.job = job, .sig = sig};
	const struct timespec brief = {0, 20000000};
	pthread_t t;

	set(sig, 0);
	block(sig, SIG_BLOCK);
	NEED(pthread_create(&t, NULL, work, &w) == 0);
	while (!w.ready)
		compute(1000);
	if (job == WAITS || job == READS)
		nanosleep(&brief, NULL);
	kill(getpid(), sig);
	compute(100000);
	if (job == LETS_IN) {
		for (int i = 0; i < 5000 && count == 0; i++)
			usleep(1000);
		CHECK(count == 1 && by == w.tid);
	} else if (job == LETS_IN_LATER) {
		CHECK(count == 0 && is_pending(sig));
	}
	w.go = 1;
	pthread_join(t, NULL);
	CHECK((job == WAITS || job == READS) == (w.took == sig));
	CHECK(count == (job == LETS_IN || job == LETS_IN_LATER));
	CHECK(!count || by == w.tid);
	CHECK(!is_pending(sig));
	block(sig, SIG_UNBLOCK);
	CHECK(!count || by == w.tid);
}

/*
 * Another thread sleeps in a call that goes on behind the handler. The signal is this thread's own,
 * or comes from outside while this one, which blocks it, computes.
 */
static void check_restart(int sig, int is_own)
{
	/* As where the C library has no handler for its signal 33: an engine may send it, too. */
	const uint64_t none[4] = {0};
	uint64_t library[4];
	struct worker w = {.job = RESTARTS, .sig = sig};
	pthread_t t;

	set(sig, SA_RESTART);
	block(sig, SIG_BLOCK);
	NEED(syscall(SYS_rt_sigaction, 33, NULL, library, 8) == 0);
	NEED(pipe(w.ends) == 0 && pthread_create(&t, NULL, work, &w) == 0);
	while (!w.ready)
		compute(1000);
	NEED(syscall(SYS_rt_sigaction, 33, none, NULL, 8) == 0);
	usleep(20000);
	pid_t sender = fork();

	if (sender == 0) {
		usleep(5000);
		_exit(!is_own && kill(getppid(), sig) != 0);
	}
	if (is_own)
		kill(getpid(), sig);
	while (count == 0)
		compute(1000);
	usleep(20000);
	CHECK(write(w.ends[1], "x", 1) == 1);
	waitpid(sender, NULL, 0);
	pthread_join(t, NULL);
	CHECK_EQ(w.took, sig);
	CHECK(count == 1 && by == w.tid);
	close(w.ends[0]);
	close(w.ends[1]);
	NEED(syscall(SYS_rt_sigaction, 33, library, NULL, 8) == 0);
	block(sig, SIG_UNBLOCK);
}

static void *execute(void *arg)
{
	execl("/proc/self/exe", "sentfaults", "pending", "11", NULL);
	return arg;
}

/* What is pending for the process stays so when a thread executes that is not the first. */
static void check_exec_by_thread(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pthread_t t;

		block(SIGSEGV, SIG_BLOCK);
		kill(getpid(), SIGSEGV);
		compute(10000);
		pthread_create(&t, NULL, execute, NULL);
		pthread_join(t, NULL);
		_exit(1);
	}
	CHECK_EQ(status_of(pid), 42 << 8);
}

int main(int argc, char **argv)
{
	if (argc > 2)
		return is_pending(atoi(argv[2]) ? SIGSEGV : SIGBUS) ? 42 : 1;
	for (int i = 0; i < KINDS; i++) {
		check_blocked(kinds[i]);
		check_two(kinds[i]);
		check_taken(kinds[i]);
		check_ignored(kinds[i]);
		check_flags(kinds[i]);
		check_default(kinds[i], 0);
		STEP("signal %d", kinds[i]);
	}
	check_default(SIGSEGV, 1);
	check_default(SIGSEGV, 2);
	check_default(SIGBUS, 2);
	check_exec_by_thread();
	STEP("faults, exec");
	check_together();
	for (int job = LETS_IN; job <= LETS_IN_LATER; job++)
		for (int i = 0; i < KINDS; i++)
			check_thread((enum job)job, kinds[i]);
	for (int i = 0; i < KINDS; i++)
		check_restart(kinds[i], 1), check_restart(kinds[i], 0);
	STEP("threads");
	return check_end();
}
