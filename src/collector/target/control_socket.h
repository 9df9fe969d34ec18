/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How other commands of the same user find a run in progress and send it requests: a socket named
 * after the recording process, in a directory that only this user may enter, $XDG_RUNTIME_DIR/dwell
 * or /tmp/dwell-UID.
 *
 * One question per connection, a line "VERB PID" or "VERB PID FILE"; the answer is a line "ok
 * TEXT", "err TEXT", or "no" from a run that has nothing to do with that process.
 */
#ifndef DWELL_COLLECTOR_TARGET_CONTROL_SOCKET_H
#define DWELL_COLLECTOR_TARGET_CONTROL_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

#define CONTROL_NO_PROFILE "this run writes no profile: its result comes when it has ended"
#define CONTROL_CALLERS	   8 /* at one time that wait for the end */

struct control {
	int fd; /* listening, or -1: the run cannot be spoken to */
	char path[108];
	int waiting[CONTROL_CALLERS]; /* connections control_answer will answer them */
	uint32_t count;
	bool is_over;		   /* control_answer was called */
	const struct err *failure; /* of the profile then, or NULL */
	int dumper;		   /* a connection to be answered by control_dump_answer, or -1 */
	char *dump_file;	   /* that it wants written */
};

enum control_verb {
	CONTROL_WHERE, /* which profile is being written? */
	CONTROL_STOP,  /* end profiling; answered when the profile is complete */
	CONTROL_DUMP,  /* write what there is to a file; answered when that is complete */
};

/* What control_ask returns when the run, found, cannot do it. */
#define CONTROL_REFUSED (-2)

/* Make the socket. On failure the run continues without one. */
void control_open(struct control *d);
/* Remove the socket. Waiting callers get no answer. */
void control_close(struct control *d);

/*
 * Serve the callers of now. `concerns` tells whether a process belongs to the run. The answer to
 * CONTROL_WHERE is `file`, or "". Returns whether a caller wants the run to stop.
 */
bool control_serve(struct control *d, bool (*concerns)(void *context, uint32_t pid), void *context,
		   const char *file);
/*
 * Profiling is over: answer the callers of CONTROL_STOP with "ok FILE", or why there is no profile.
 * Later callers get the same answer at once, so `failure` must live until control_close.
 */
void control_answer(struct control *d, const char *file, const struct err *failure);

/* The file of the requested dump, until it is answered; NULL: no request. */
const char *control_dump_file(const struct control *d);
/* Answer that request: "ok FILE", or why there is no dump. */
void control_dump_answer(struct control *d, const struct err *failure);
/* In a child process: the connections are the parent's. */
void control_forked(struct control *d);

/*
 * The other side: ask the run that profiles process `pid`, or is written by it. Waits for the
 * answer and appends its text to *answer. `file`: for CONTROL_DUMP, from the root, without a line
 * end. -1: nobody knows the process, or the answer did not come; CONTROL_REFUSED: the run says why
 * not.
 */
int control_ask(enum control_verb verb, uint32_t pid, const char *file, struct text *answer,
		struct err *err);

#endif
