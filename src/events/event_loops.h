/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loops of the code that was executed: from the target of a jump that goes back, in the same
 * function, to the jump, if the one leads to the other again. They are found in the files that
 * were run, where these still are.
 */
#ifndef DWELL_EVENTS_EVENT_LOOPS_H
#define DWELL_EVENTS_EVENT_LOOPS_H

#include "base/text.h"
#include "events/events.h"

#define LOOP_NONE SIZE_MAX

struct event_loop {
	size_t node; /* index of one of its function's */
	const char *object;
	const char *file;    /* of its first instruction, or NULL */
	uint32_t line;	     /* or 0 */
	uint64_t start, end; /* addresses of its first and its last instruction, in the object */
	uint32_t component;  /* of its instructions, among those of the function */
	size_t parent;	     /* the loop around it, or LOOP_NONE */
};

struct event_loops {
	struct event_loop *items; /* those around others before them */
	size_t count, room;
	/* its number from 0 on, or LOOP_NONE: it has no code that is known */
	size_t *function_of_node;
	size_t node_count;
	struct map of_place; /* function and location -> the innermost loop's index */
};

/*
 * notes: a line for each file whose code cannot be looked at. Release with event_loops_release; the
 * profile must outlive it.
 */
int event_loops_init(struct event_loops *l, const struct event_profile *p, struct text *notes,
		     struct err *err);
void event_loops_release(struct event_loops *l);

/*
 * The innermost loop that the location is in, or LOOP_NONE. `node` is the index of the one that is
 * there: where a function jumps into another one, the same code may be of both, and then either has
 * loops of its own.
 */
size_t event_loops_at(const struct event_loops *l, size_t node, int64_t location);

#endif
