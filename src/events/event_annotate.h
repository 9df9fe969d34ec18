/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source or machine code, with the events of each line, and of its calls. */
#ifndef DWELL_EVENTS_EVENT_ANNOTATE_H
#define DWELL_EVENTS_EVENT_ANNOTATE_H

#include "base/meant.h"
#include "events/event_columns.h"
#include "events/event_rows.h"

/* The events of a line or instruction itself; or, with `callee`, of its calls of one function. */
struct event_line {
	const char *object; /* path of the instruction's ELF file, or NULL */
	uint64_t address;   /* of the instruction, in that file; 0: unknown */
	const char *file;   /* or NULL */
	uint32_t line;	    /* 0: unknown */
	const char *callee; /* or NULL */
	uint64_t calls;
	const uint64_t *values;
	int64_t location; /* of the first cost */
};

/* The line, by its number in the annotation, that has the code at a location. */
struct event_place {
	int64_t location;
	size_t line;
};

struct event_annotation {
	const struct event_profile *p;
	const struct event_columns *columns;
	const char *argument;
	struct meant function; /* if it is not a file */
	/*
	 * Sorted by file and line, or by object and address, then by callee; own events come first.
	 */
	struct event_line *lines;
	size_t count;
	struct event_place *places; /* of own events, in the order of locations */
	size_t place_count;
	uint64_t *values;
	double total; /* of the event to sort by, in the whole profile */
};

/*
 * Collect the lines, or (by_address) the instructions, of the files whose path ends in `argument`;
 * or else of the functions that it means. If there are neither, that is an error. Release with
 * event_annotation_release.
 */
int event_annotation_init(struct event_annotation *a, const struct event_profile *p,
			  const struct event_columns *columns, const char *argument,
			  bool by_address, struct err *err);
void event_annotation_release(struct event_annotation *a);

/* The number of the line with the code at a location; SIZE_MAX: none has it. */
size_t event_annotation_line(const struct event_annotation *a, int64_t location);

#endif
