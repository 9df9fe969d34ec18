/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile of a run in progress; see dump.h. */
#include "collector/dump.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define MS ((uint64_t)1000000)
/*
 * Time for engines to report their counts. Sleeping processes do not answer, but have reported
 * everything before.
 */
#define PATIENCE_NS (300 * MS)
#define PAUSE_NS    (5 * MS)

static void answer(struct dump *d, const struct dump_run *run, const struct err *failure)
{
	recorder_pause(run->recorder, false);
	control_dump_answer(run->control, failure);
	d->state = DUMP_NONE;
}

/* ---- In the child ---- */

/* Ignore the signals that a terminal sends to the whole group: others handle them. */
static void leave_signals(void)
{
	static const int signals[] = {SIGINT,  SIGQUIT, SIGHUP,	 SIGTERM,
				      SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], signals[i] == SIGCHLD ? SIG_DFL : SIG_IGN);
}

static int complete(const struct dump_run *run, struct new_file *copy, struct err *err)
{
	if (store_continue_in(run->store, copy, err) != 0)
		return -1;
	recorder_message(run->recorder, "written by 'dwell dump' while the programs were "
					"running");
	recorder_resolve(run->recorder);
	if (recorder_failed(run->recorder) != NULL) {
		*err = *recorder_failed(run->recorder);
		return -1;
	}
	return run->finish(run->context, err);
}

static void write_and_exit(const struct dump_run *run, struct new_file *copy, int to)
{
	struct err err;

	leave_signals();
	recorder_forked(run->recorder);
	if (complete(run, copy, &err) != 0 && write(to, err.text, strlen(err.text)) < 0)
		_exit(2);
	_exit(0);
}

/* ---- In the collector ---- */

static int start_writer(struct dump *d, const struct dump_run *run, struct err *err)
{
	int ends[2];

	if (store_commit(run->store, err) != 0 ||
	    store_copy(run->store, control_dump_file(run->control), &d->copy, err) != 0)
		return -1;
	if (pipe2(ends, O_CLOEXEC) != 0) {
		err_set(err, "cannot write the dump: %s", strerror(errno));
		store_copy_end(d->copy, false);
		return -1;
	}
	d->writer = fork();
	if (d->writer == 0) {
		control_forked(run->control);
		write_and_exit(run, d->copy, ends[1]);
	}
	close(ends[1]);
	d->said = ends[0];
	if (d->writer > 0)
		return 0;
	err_set(err, "cannot write the dump: %s", strerror(errno));
	close(d->said);
	store_copy_end(d->copy, false);
	return -1;
}

/* Copy the profile: the engines have reported, or the wait is over. */
static void snapshot(struct dump *d, const struct dump_run *run)
{
	const uint64_t until = clock_now_ns() + PATIENCE_NS;
	struct err err;

	/* Stop at the deadline: streams of accesses never end. */
	while (slots_drain(run->slots) > 0 && clock_now_ns() < until)
		;
	slots_check(run->slots);
	if (start_writer(d, run, &err) == 0)
		d->state = DUMP_WRITING;
	else
		answer(d, run, &err);
}

static void look_at_writer(struct dump *d, const struct dump_run *run)
{
	struct rusage used;
	struct err err;
	ssize_t bytes;
	int status;

	if (wait4(d->writer, &status, WNOHANG, &used) != d->writer)
		return;
	d->cpu_ns += clock_usage_ns(&used);
	bytes = read(d->said, err.text, sizeof(err.text) - 1);
	close(d->said);
	if (bytes > 0)
		err.text[bytes] = '\0';
	else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		err_set(&err, "the dump could not be completed");
	else {
		store_copy_end(d->copy, true);
		answer(d, run, NULL);
		return;
	}
	store_copy_end(d->copy, false);
	answer(d, run, &err);
}

void dump_step(struct dump *d, const struct dump_run *run, uint64_t now_ns)
{
	static const struct err no_profile = {CONTROL_NO_PROFILE};

	if (d->state == DUMP_NONE && control_dump_file(run->control) != NULL) {
		if (run->recorder == NULL || recorder_failed(run->recorder) != NULL) {
			control_dump_answer(run->control, run->recorder == NULL
								  ? &no_profile
								  : recorder_failed(run->recorder));
			return;
		}
		d->question = host_ask(run->host);
		d->deadline_ns = now_ns + PATIENCE_NS;
		d->state = DUMP_ASKED;
	}
	if (d->state == DUMP_ASKED && recorder_pause(run->recorder, true) &&
	    (now_ns >= d->deadline_ns || slots_answered(run->slots, d->question)))
		snapshot(d, run);
	else if (d->state == DUMP_WRITING)
		look_at_writer(d, run);
}

void dump_end(struct dump *d, const struct dump_run *run)
{
	const struct timespec pause = {0, PAUSE_NS};

	while (d->state != DUMP_NONE || control_dump_file(run->control) != NULL) {
		if (run->recorder != NULL)
			recorder_step(run->recorder, clock_now_ns());
		dump_step(d, run, UINT64_MAX - PATIENCE_NS);
		if (d->state != DUMP_NONE)
			nanosleep(&pause, NULL);
	}
}
