/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals of others, as fast as they can be sent: the program goes on with its work. The argument
 * says which. By other processes: kill, queue, io, child, threads, many, leave. By threads of this
 * one: inner.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

#define WORK 3000000
#define MOST 4

static volatile uint64_t handled;
static int ends[2];
static pid_t senders[MOST];
static int count;

static void on_signal(int signal)
{
	(void)signal;
	handled++;
}

/* Takes all that waits, or the sender would wait, too. */
static void on_input(int signal)
{
	static char bytes[65536];
	const int before = errno;
	ssize_t n = read(ends[0], bytes, sizeof bytes);

	(void)signal;
	(void)n;
	handled++;
	errno = before;
}

static void on_child(int signal)
{
	const int before = errno;

	(void)signal;
	handled++;
	while (waitpid(-1, 0, WNOHANG) > 0)
		;
	errno = before;
}

static void handle(int signal, void (*handler)(int))
{
	struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART};

	NEED(sigaction(signal, &a, 0) == 0);
}

/* A child that calls `send` for ever; it ends with its parent. */
static void begin(void (*send)(pid_t parent, int signal), int signal)
{
	const pid_t parent = getpid();
	const pid_t child = fork();

	NEED(child >= 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			send(parent, signal);
	}
	senders[count++] = child;
}

static void by_kill(pid_t parent, int signal)
{
	if (kill(parent, signal) != 0)
		_exit(0);
}

/* Queued signals come one by one: without a pause natively, too, the program never goes on. */
static void by_queue(pid_t parent, int signal)
{
	for (int i = 0; i < 20; i++)
		sigqueue(parent, signal, (union sigval){.sival_int = i});
	usleep(1000);
}

static void by_thread(pid_t parent, int signal)
{
	syscall(SYS_tgkill, parent, parent, signal);
}

static void by_pipe(pid_t parent, int signal)
{
	(void)parent;
	(void)signal;
	if (write(ends[1], "some bytes", 10) < 0)
		_exit(0);
}

/* Each child of the parent that ends is a signal: made here, and handed over to it. */
static void by_ending(pid_t parent, int signal)
{
	(void)signal;
	(void)parent;
	if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) == 0)
		_exit(0);
}

static volatile int ended;

/* The signals of a thread of the process come from the process itself. */
static void *send_inside(void *to)
{
	while (!ended)
		pthread_kill(*(pthread_t *)to, SIGUSR1);
	return 0;
}

static void begin_inside(void)
{
	static pthread_t first;
	pthread_t sender;

	first = pthread_self();
	handle(SIGUSR1, on_signal);
	for (int i = 0; i < 2; i++) {
		NEED(pthread_create(&sender, 0, send_inside, &first) == 0);
		NEED(pthread_detach(sender) == 0);
	}
}

static sigjmp_buf place;
static volatile int may_leave;

static void on_leave(int signal)
{
	(void)signal;
	handled++;
	if (may_leave)
		siglongjmp(place, 1);
}

/* Handlers do not return, but jump out of the work, which goes on where it was. */
static uint64_t work_with_jumps(void)
{
	static uint64_t state, sum;
	static volatile int i;

	state = 88172645463325252ull;
	sum = 0;
	i = 0;
	sigsetjmp(place, 1);
	while (i < WORK / 10) {
		may_leave = 0; /* not in the middle of a step */
		sum += check_random(&state) & 0xff;
		i++;
		may_leave = 1;
	}
	may_leave = 0;
	return sum;
}

static uint64_t work(void)
{
	uint64_t state = 88172645463325252ull, sum = 0;

	for (int i = 0; i < WORK; i++)
		sum += check_random(&state) & 0xff;
	return sum;
}

static void *work_in_thread(void *unused)
{
	(void)unused;
	return (void *)(uintptr_t)work();
}

static void start(const char *how)
{
	if (strcmp(how, "kill") == 0) {
		handle(SIGWINCH, on_signal);
		begin(by_kill, SIGWINCH);
	} else if (strcmp(how, "queue") == 0) {
		handle(SIGRTMIN + 1, on_signal);
		begin(by_queue, SIGRTMIN + 1);
	} else if (strcmp(how, "threads") == 0) {
		handle(SIGUSR1, on_signal);
		begin(by_thread, SIGUSR1);
		begin(by_kill, SIGUSR1);
	} else if (strcmp(how, "leave") == 0) {
		handle(SIGWINCH, on_leave);
		begin(by_kill, SIGWINCH);
	} else if (strcmp(how, "inner") == 0) {
		begin_inside();
	} else if (strcmp(how, "io") == 0) {
		NEED(pipe(ends) == 0);
		handle(SIGIO, on_input);
		NEED(fcntl(ends[0], F_SETOWN, getpid()) == 0);
		NEED(fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK) == 0);
		begin(by_pipe, 0);
	} else if (strcmp(how, "child") == 0) {
		handle(SIGCHLD, on_child);
		begin(by_ending, 0);
	} else {
		handle(SIGWINCH, on_signal);
		handle(SIGUSR2, on_signal);
		handle(SIGRTMIN + 2, on_signal);
		begin(by_kill, SIGWINCH);
		begin(by_thread, SIGUSR2);
		begin(by_queue, SIGRTMIN + 2);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "many";
	const uint64_t right = work();
	pthread_t other;
	void *result;

	start(how);
	/* until they have begun */
	while (handled < 100)
		usleep(100);
	CHECK_EQ(work(), right);
	if (strcmp(how, "leave") == 0)
		CHECK(work_with_jumps() != 0);
	NEED(pthread_create(&other, 0, work_in_thread, 0) == 0);
	CHECK_EQ(work(), right);
	NEED(pthread_join(other, &result) == 0);
	CHECK_EQ((uintptr_t)result, right);
	ended = 1;
	for (int i = 0; i < count; i++)
		kill(senders[i], SIGKILL);
	return check_end();
}
