/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells whether a process that is not our child is still alive. Pids may be used again. */
#ifndef DWELL_COLLECTOR_TARGET_LIVENESS_H
#define DWELL_COLLECTOR_TARGET_LIVENESS_H

#include <stdbool.h>
#include <stdint.h>

struct liveness {
	uint32_t pid;
	uint64_t start_ticks; /* start time, since boot; 0: it was never seen alive */
};

void liveness_begin(struct liveness *l, uint32_t pid);
bool liveness_was_seen(const struct liveness *l);
bool liveness_check(const struct liveness *l);

#endif
