/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loops of executed code: from the target of a backward jump, within one function, to the jump,
 * if a path leads from one to the other. They are found in the executed files, if these still
 * exist.
 */
#ifndef DWELL_EVENTS_EVENT_LOOPS_H
#define DWELL_EVENTS_EVENT_LOOPS_H

#include "base/text.h"
#include "events/events.h"

#define LOOP_NONE SIZE_MAX

struct event_loop {
	size_t node; /* index of a node of its function */
	const char *object;
	const char *file;    /* of its first instruction, or NULL */
	uint32_t line;	     /* 0: unknown */
	uint64_t start, end; /* addresses of its first and last instruction, in the object */
	uint32_t component;  /* component of its instructions, within the function */
	size_t parent;	     /* the loop around it, or LOOP_NONE */
};

struct event_loops {
	struct event_loop *items; /* outer loops come before inner ones */
	size_t count, room;
	/* numbers from 0, or LOOP_NONE for functions without known code */
	size_t *function_of_node;
	size_t node_count;
	struct map of_place; /* function and location -> index of the innermost loop */
};

/*
 * notes: a line for each file whose code cannot be read. Release with event_loops_release; the
 * profile must outlive it.
 */
int event_loops_init(struct event_loops *l, const struct event_profile *p, struct text *notes,
		     struct err *err);
void event_loops_release(struct event_loops *l);

/*
 * The innermost loop at the location, or LOOP_NONE. `node` is the index of its node: functions that
 * jump into each other share code, but each has its own loops.
 */
size_t event_loops_at(const struct event_loops *l, size_t node, int64_t location);

#endif
