/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How other commands of the same user find a run that goes on and speak to it: a
 * socket named after the recording process, in a directory that only this user
 * may enter, $XDG_RUNTIME_DIR/dwell or /tmp/dwell-UID.
 *
 * One question per connection, a line "VERB PID"; the answer is a line "ok TEXT",
 * or "no" from a run that has nothing to do with that process.
 */
#ifndef DWELL_COLLECTOR_DOOR_H
#define DWELL_COLLECTOR_DOOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

#define DOOR_CALLERS 8 /* at one time that wait for the end */

struct door {
	int fd; /* listening, or -1: the run cannot be spoken to */
	char path[108];
	int waiting[DOOR_CALLERS]; /* connections to be answered by door_answer */
	uint32_t count;
};

enum door_verb {
	DOOR_WHERE, /* which profile is being written? */
	DOOR_STOP,  /* end profiling; answered when the profile is complete */
};

/* Make the socket. Where that does not work there is none, and the run goes on without. */
void door_open(struct door *d);
/* Take back what door_open made. Callers that wait hear nothing more. */
void door_close(struct door *d);

/*
 * Answer who calls now. `concerns` tells whether the run has to do with a process. DOOR_WHERE is
 * answered with `file`. Returns whether somebody wants the run to stop.
 */
bool door_serve(struct door *d, bool (*concerns)(void *context, uint32_t pid), void *context,
		const char *file);
/* Answer those who wanted it, "ok FILE". */
void door_answer(struct door *d, const char *file);

/*
 * The other side: ask the run that profiles process `pid`, or is written by it. Waits for the
 * answer and appends its text to *answer. -1: nobody knows the process, or the answer did not come.
 */
int door_ask(enum door_verb verb, uint32_t pid, struct text *answer, struct err *err);

#endif
