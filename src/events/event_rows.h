/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of an event profile by function, class, file, ...: a row each, self and inclusive. */
#ifndef DWELL_EVENTS_EVENT_ROWS_H
#define DWELL_EVENTS_EVENT_ROWS_H

#include "base/text.h"
#include "events/events.h"

enum event_by {
	EVENT_BY_FUNCTION,
	EVENT_BY_CLASS, /* the class or namespace that a C++ function is in */
	EVENT_BY_FILE,	/* that the function is in */
	EVENT_BY_OBJECT,
	EVENT_BY_LINE,
	EVENT_BY_LOOP, /* of machine code, the innermost one around an instruction */
	EVENT_BY_PROCESS,
	EVENT_BY_THREAD,
	EVENT_BY_COUNT, /* of those that users name */
	EVENT_BY_NODE,	/* a row for each node, in their order: no row is left out */
};

/* "function", "class", ... */
extern const char *const event_by_names[EVENT_BY_COUNT];

struct event_row {
	const char *name;   /* of what the rows are by; "" where it is not known */
	const char *file;   /* of functions and lines, or NULL */
	const char *object; /* of functions, and of code whose line is not known, or NULL */
	uint32_t line;
	uint64_t address;	 /* of loops: where they begin in the object; 0: in no loop */
	int64_t process, thread; /* of processes and threads */
	uint64_t calls;		 /* from outside of it */
	const uint64_t *self, *inclusive;
	/*
	 * Its callees call it again in ways that are not known: the inclusive cost is an upper
	 * bound.
	 */
	bool is_estimate;
	bool is_in_cycle; /* the same, also where it is exact */
};

struct event_rows {
	struct event_row *items;
	size_t count;
	size_t *row_of_node; /* by index of nodes; NULL by line or loop */
	uint64_t *values;    /* of the rows */
	struct arena texts;
	struct text notes; /* lines: of loops, which code could not be looked at */
};

/*
 * Rows without any events are left out. Release with event_rows_release; the profile must outlive
 * it.
 */
int event_rows_init(struct event_rows *rows, const struct event_profile *p, enum event_by by,
		    struct err *err);
void event_rows_release(struct event_rows *rows);

#endif
