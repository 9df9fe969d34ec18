/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of an event profile by function, class, file, ...: a row each, self and inclusive. */
#ifndef DWELL_EVENTS_EVENT_ROWS_H
#define DWELL_EVENTS_EVENT_ROWS_H

#include "base/text.h"
#include "events/events.h"

enum event_by {
	EVENT_BY_FUNCTION,
	EVENT_BY_CLASS, /* the class or namespace of a C++ function */
	EVENT_BY_FILE,	/* the file of the function */
	EVENT_BY_OBJECT,
	EVENT_BY_LINE,
	EVENT_BY_LOOP, /* the innermost loop of machine code around an instruction */
	EVENT_BY_PROCESS,
	EVENT_BY_THREAD,
	EVENT_BY_DATA,	/* data structures, which are the nodes of a profile of their own */
	EVENT_BY_COUNT, /* number of kinds that users can name */
	EVENT_BY_NODE,	/* a row for each node, in the same order, none left out */
};

/* "function", "class", ... */
extern const char *const event_by_names[EVENT_BY_COUNT];

struct event_row {
	const char *name;   /* "" if unknown */
	const char *file;   /* for functions and lines, or NULL */
	const char *object; /* for functions, and for code without a known line, or NULL */
	uint32_t line;
	uint64_t address;	 /* for loops: start in the object; 0: in no loop */
	int64_t process, thread; /* for processes and threads */
	uint64_t calls;		 /* calls from other rows */
	const uint64_t *self, *inclusive;
	/* Its callees call it again in unknown ways: the inclusive cost is an upper bound. */
	bool is_estimate;
	bool is_in_cycle;	/* it is on a cycle of calls, even if its cost is exact */
	struct event_form form; /* of a data structure; of several nodes that of the first one */
};

struct event_rows {
	struct event_row *items;
	size_t count;
	size_t *row_of_node; /* by index of the node; NULL by line or loop */
	uint64_t *values;    /* memory for the counts of all rows */
	struct arena texts;
	struct text notes; /* lines about code of loops that could not be read */
};

/*
 * Rows without any events are left out. Release with event_rows_release; the profile must outlive
 * it.
 */
int event_rows_init(struct event_rows *rows, const struct event_profile *p, enum event_by by,
		    struct err *err);
void event_rows_release(struct event_rows *rows);

#endif
