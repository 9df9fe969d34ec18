/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The progress line, written by a separate thread: views know nothing of time. */
#include "cli/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Static: there is one terminal, and one command that uses it. */
static struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t over;
	const char *what;
	bool runs, is_over, is_shown;
} line = {.lock = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER};

static void *show(void *unused)
{
	struct timespec at;
	unsigned seconds = 0;

	(void)unused;
	clock_gettime(CLOCK_REALTIME, &at);
	pthread_mutex_lock(&line.lock);
	while (!line.is_over) {
		at.tv_sec++;
		while (!line.is_over && pthread_cond_timedwait(&line.over, &line.lock, &at) == 0)
			;
		if (line.is_over)
			break;
		fprintf(stderr, "\rdwell %s: at work for %u s\033[K", line.what, ++seconds);
		line.is_shown = true;
	}
	pthread_mutex_unlock(&line.lock);
	return NULL;
}

void progress_begin(const char *what)
{
	sigset_t all, before;

	if (!isatty(STDERR_FILENO))
		return;
	line.what = what;
	/* Leave signals to the command's thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	line.runs = pthread_create(&line.thread, NULL, show, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_end(void)
{
	if (!line.runs)
		return;
	pthread_mutex_lock(&line.lock);
	line.is_over = true;
	pthread_cond_signal(&line.over);
	pthread_mutex_unlock(&line.lock);
	pthread_join(line.thread, NULL);
	line.runs = false;
	if (line.is_shown)
		fputs("\r\033[K", stderr);
}
