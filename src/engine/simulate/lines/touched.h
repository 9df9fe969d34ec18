/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many lines the process has touched. A line that was not the last one of its place in a small
 * table may be a new one; it sets a bit of a large table, by the hash of its group of 64 lines. The
 * reader corrects for bits that several lines share (linear counting: Whang, Vander-Zanden and
 * Taylor 1990). So the memory does not grow, and the count is off by less than a percent up to some
 * hundred million lines.
 *
 * The lock of collect.h guards all state.
 */
#ifndef DWELL_ENGINE_SIMULATE_LINES_TOUCHED_H
#define DWELL_ENGINE_SIMULATE_LINES_TOUCHED_H

#include <stdbool.h>

#include "channel/lines.h"

/* The small table: the lower half of the line's number, by its lowest bits. */
#define TOUCHED_RECENT 1024u

struct touched {
	uint32_t *recent;
	uint64_t *bits;	      /* LINES_TOUCHED_BITS of them */
	uint64_t lines;	      /* bits that are set */
	uint64_t level_lines; /* of them: the lines below level_threshold */
	uint64_t level_threshold;
	uint32_t seed; /* of lines_hash */
};

/* The process begins; the memory of its parent is used again. False: no memory. */
bool touched_start(struct touched *t, uint32_t seed, uint64_t level_threshold);
/* A line that was not in the small table: is it new? */
bool touched_look(struct touched *t, uint64_t line);

/* Is the line new? */
static inline bool touched_add(struct touched *t, uint64_t line)
{
	uint32_t *recent = &t->recent[line % TOUCHED_RECENT];

	if (*recent == (uint32_t)line)
		return false;
	*recent = (uint32_t)line;
	return touched_look(t, line);
}

#endif
