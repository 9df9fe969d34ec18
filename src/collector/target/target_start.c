/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts the target and waits for it. A terminal sends SIGINT and SIGQUIT to the target as well as
 * to us, so those are not passed on. Signals sent to us alone are meant for the target, and are
 * passed on. When the target stops, we stop by the same signal, so that our parent sees what it
 * would see of the target.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/target/target.h"

/* Static: signal handlers cannot find these otherwise. Set while has_signals. */
static volatile pid_t signal_target;
static struct host *signal_host;
static volatile sig_atomic_t is_stopping, has_gone_on;

enum disposition { PASS_ON, IGNORE, WAKE, GO_ON };

static struct {
	int number;
	enum disposition what;
	struct sigaction before;
} taken_signals[] = {
	{.number = SIGINT, .what = PASS_ON},
	{.number = SIGQUIT, .what = PASS_ON},
	{.number = SIGHUP, .what = PASS_ON},
	{.number = SIGTERM, .what = PASS_ON},
	{.number = SIGUSR1, .what = PASS_ON},
	{.number = SIGUSR2, .what = PASS_ON},
	{.number = SIGALRM, .what = PASS_ON},
	/* The target decides: it may have work to do before it stops, or ignore the signal. */
	{.number = SIGTSTP, .what = PASS_ON},
	{.number = SIGCONT, .what = GO_ON},
	/* A closed stderr and a file size limit are errors to report, not reasons to die. */
	{.number = SIGPIPE, .what = IGNORE},
	{.number = SIGXFSZ, .what = IGNORE},
	{.number = SIGCHLD, .what = WAKE},
};

#define TAKEN_COUNT (sizeof(taken_signals) / sizeof(taken_signals[0]))

static void pass_on(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	/* si_code > 0: sent by the kernel, for the terminal, to the whole group. */
	if (info->si_code <= 0 && signal_target > 0)
		kill(signal_target, number);
	errno = saved;
}

/* While stopped with the target, do not pass SIGCONT on: the sender may have continued both. */
static void go_on(int number, siginfo_t *info, void *context)
{
	has_gone_on = 1;
	if (!is_stopping)
		pass_on(number, info, context);
}

static void wake_up(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	if (signal_host != NULL)
		host_wake(signal_host);
}

static void (*const handlers[])(int, siginfo_t *, void *) = {
	[PASS_ON] = pass_on,
	[WAKE] = wake_up,
	[GO_ON] = go_on,
};

static void take_signals(struct target *t, struct host *host)
{
	size_t i;

	signal_host = host;
	t->has_signals = true;
	for (i = 0; i < TAKEN_COUNT; i++) {
		struct sigaction a = {.sa_flags = SA_SIGINFO | SA_RESTART};

		if (taken_signals[i].what == IGNORE)
			a = (struct sigaction){.sa_handler = SIG_IGN};
		else
			a.sa_sigaction = handlers[taken_signals[i].what];
		sigaction(taken_signals[i].number, &a, &taken_signals[i].before);
	}
}

static void give_back_signals(void)
{
	size_t i;

	for (i = 0; i < TAKEN_COUNT; i++)
		sigaction(taken_signals[i].number, &taken_signals[i].before, NULL);
}

/* Called in the child. Does not return; writes the errno to `report` if it cannot execute. */
static _Noreturn void become_target(struct target *t, struct host *host, int engine_fd, int report,
				    const sigset_t *mask)
{
	int code;

	give_back_signals();
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (t->is_native) {
		execve(t->path, t->argv, environ);
	} else if (dup2(host->fd, t->channel_fd) >= 0 && dup2(engine_fd, t->engine_fd) >= 0) {
		execveat(t->engine_fd, "", t->launch.argv, t->launch.envp, AT_EMPTY_PATH);
	}
	code = errno;
	if (write(report, &code, sizeof(code)) != (ssize_t)sizeof(code))
		_exit(125);
	_exit(126);
}

/* Read the child's errno. A successful exec closes the pipe instead. */
static int read_report(int fd)
{
	ssize_t n;
	int code = 0;

	do
		n = read(fd, &code, sizeof(code));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(code) ? code : 0;
}

int target_start(struct target *t, struct host *host, int engine_fd, enum target_failure *failure,
		 struct err *err)
{
	sigset_t all, mask;
	int report[2], code;

	*failure = TARGET_OUR_FAULT;
	if (pipe2(report, O_CLOEXEC) != 0)
		return err_set(err, "cannot make a pipe: %s", strerror(errno));
	/* None of our handlers may run in the child. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	take_signals(t, host);
	t->pid = fork();
	if (t->pid == 0)
		become_target(t, host, engine_fd, report[1], &mask);
	code = errno;
	signal_target = t->pid;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(report[1]);
	if (t->pid < 0) {
		close(report[0]);
		return err_set(err, "cannot start a process: %s", strerror(code));
	}
	code = read_report(report[0]);
	close(report[0]);
	if (!t->is_native)
		launch_release(&t->launch);
	if (code == 0)
		return 0;
	target_ended(t, true, &(int){0});
	*failure = TARGET_NOT_EXECUTABLE;
	return err_set(err, "cannot run '%s': %s", t->path, strerror(code));
}

/*
 * Tell whether its state has changed since its stop was seen. The change can still be waited for.
 */
static bool has_changed(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info,
		      WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT) != 0 ||
	       info.si_pid != 0;
}

#define MOST_LOOKS 20u /* while waiting for a SIGCONT sent to both processes */

/* The target was stopped by this signal: stop in the same way, until continued. */
static void stop_alike(const struct target *t, int number)
{
	const struct timespec pause = {0, 1000000};
	struct sigaction stop = {.sa_handler = SIG_DFL}, before;
	sigset_t set, mask;

	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, &mask);
	has_gone_on = 0;
	is_stopping = 1;
	if (number != SIGSTOP)
		sigaction(number, &stop, &before);
	raise(number);
	if (number != SIGSTOP)
		sigaction(number, &before, NULL);
	/* Other signals do not stop an orphaned process group. */
	if (!has_gone_on)
		raise(SIGSTOP);
	is_stopping = 0;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	for (unsigned i = 0; i < MOST_LOOKS; i++) {
		if (has_changed(t->pid))
			return;
		nanosleep(&pause, NULL);
	}
	kill(t->pid, SIGCONT);
}

bool target_ended(struct target *t, bool block, int *wait_status)
{
	pid_t ended;

	for (;;) {
		ended = waitpid(t->pid, wait_status, (block ? 0 : WNOHANG) | WUNTRACED);
		if (ended > 0 && WIFSTOPPED(*wait_status))
			stop_alike(t, WSTOPSIG(*wait_status));
		else if (ended >= 0 || errno != EINTR)
			break;
	}
	if (ended == 0)
		return false;
	signal_target = 0; /* the pid may now be reused */
	if (ended < 0)
		*wait_status = 0;
	return true;
}

void target_release(struct target *t)
{
	if (t->has_signals)
		give_back_signals();
	signal_host = NULL;
	signal_target = 0;
	if (t->launch.memory != NULL)
		launch_release(&t->launch);
	free(t->argv);
	free(t->path);
	free(t->script);
	t->has_signals = false;
	t->argv = NULL;
	t->path = t->script = NULL;
}
