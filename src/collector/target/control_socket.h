/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How other commands of the same user find a run in progress and send it requests. The socket is
 * named after the recording process. It is in a directory that only this user may enter,
 * $XDG_RUNTIME_DIR/dwell or /tmp/dwell-UID.
 *
 * A connection carries one request, a line "VERB PID" or "VERB PID FILE". The answer is a line "ok
 * TEXT", "err TEXT", or "no" from a run that does not own the process.
 */
#ifndef DWELL_COLLECTOR_TARGET_CONTROL_SOCKET_H
#define DWELL_COLLECTOR_TARGET_CONTROL_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

#define CONTROL_NO_PROFILE "this run writes no profile: its result comes when it has ended"
#define CONTROL_CALLERS	   8 /* callers that may wait for the end at one time */

struct control {
	int fd; /* listening; -1: the run has no socket */
	char path[108];
	int waiting[CONTROL_CALLERS]; /* connections that control_answer will answer */
	uint32_t count;
	bool is_over;		   /* control_answer was called */
	const struct err *failure; /* why there is no profile, or NULL; set with is_over */
	int dumper;		   /* a connection that waits for control_dump_answer, or -1 */
	char *dump_file;	   /* the file that it asked for */
};

enum control_verb {
	CONTROL_WHERE, /* which profile is being written? */
	CONTROL_STOP,  /* end profiling; the answer comes when the profile is complete */
	CONTROL_DUMP,  /* write the data so far to a file; the answer comes when that is complete */
};

/* Returned by control_ask if the run was found, but refused. */
#define CONTROL_REFUSED (-2)

/* Make the socket. On failure the run continues without one. */
void control_open(struct control *d);
/* Remove the socket. Waiting callers get no answer. */
void control_close(struct control *d);

/*
 * Serve waiting callers. `concerns` tells whether a process belongs to the run. The answer to
 * CONTROL_WHERE is `file`; "" for no profile. Returns whether a caller wants the run to stop.
 */
bool control_serve(struct control *d, bool (*concerns)(void *context, uint32_t pid), void *context,
		   const char *file);
/*
 * Profiling has ended: answer the callers of CONTROL_STOP with "ok FILE", or why there is no
 * profile. Later callers get the same answer at once, so `failure` must live until control_close.
 */
void control_answer(struct control *d, const char *file, const struct err *failure);

/* The file of the requested dump, until it is answered; NULL: no request. */
const char *control_dump_file(const struct control *d);
/* Answer that request: "ok FILE", or why there is no dump. */
void control_dump_answer(struct control *d, const struct err *failure);
/* Call this in a child process: the connections belong to the parent. */
void control_forked(struct control *d);

/*
 * The caller's side: send a request to the run that profiles process `pid`, or that has this pid
 * itself. Waits for the answer and appends its text to *answer. `file`: for CONTROL_DUMP, an
 * absolute name without a line end. Returns 0; -1 if no run knows the process, or did not answer;
 * CONTROL_REFUSED if the run refused, with its reason.
 */
int control_ask(enum control_verb verb, uint32_t pid, const char *file, struct text *answer,
		struct err *err);

#endif
