/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How other commands of the same user find a run that goes on and speak to it: a
 * socket named after the recording process, in a directory that only this user
 * may enter, $XDG_RUNTIME_DIR/dwell or /tmp/dwell-UID.
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
	int waiting[CONTROL_CALLERS]; /* connections to be answered by control_answer */
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

/* Make the socket. Where that does not work there is none, and the run goes on without. */
void control_open(struct control *d);
/* Take back what control_open made. Callers that wait hear nothing more. */
void control_close(struct control *d);

/*
 * Answer who calls now. `concerns` tells whether the run has to do with a process. CONTROL_WHERE is
 * answered with `file`, "" where there is none. Returns whether somebody wants the run to stop.
 */
bool control_serve(struct control *d, bool (*concerns)(void *context, uint32_t pid), void *context,
		   const char *file);
/*
 * Profiling is over: answer those who wanted it to stop, "ok FILE" or why there is no profile. Who
 * asks control_serve from now on hears the same at once; `failure` has to live as long.
 */
void control_answer(struct control *d, const char *file, const struct err *failure);

/* The file that somebody wants a dump in, until it is answered; NULL: nobody does. */
const char *control_dump_file(const struct control *d);
/* Answer who wanted it: "ok FILE", or why it could not be had. */
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
