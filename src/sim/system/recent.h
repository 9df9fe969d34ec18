/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Line use of no-op accesses. They are to the line that was used last in its set of a first level,
 * so the set keeps their sum: the records of the line (cache/line_use.h), of which the first and
 * the last level have one each, get it before either begins or ends. Sums do not depend on the
 * order.
 *
 * The lines of both levels must be of one size.
 */
#ifndef DWELL_SIM_SYSTEM_RECENT_H
#define DWELL_SIM_SYSTEM_RECENT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/memory.h"

struct sim_core;
struct sim_shared;

struct sim_recent {
	uint64_t line;
	uint64_t touched; /* one bit per part */
	uint64_t uses;	  /* 0: the other members do not matter */
};

/*
 * Give the first levels of a core such sums, if they can have them. Returns 0, or -1 without
 * memory; release in both cases.
 */
int sim_recent_init(struct sim_core *c);
void sim_recent_release(struct sim_core *c);

/* Add the sum of the line, or of all lines, of a core's first levels to their records. */
void sim_recent_settle(struct sim_core *c, uint64_t line);
void sim_recent_settle_all(struct sim_core *c);

/* The sum of the line's set in a first level becomes that of the line, 0. */
void sim_recent_change(struct sim_core *c, unsigned slot, uint64_t line);

#endif
