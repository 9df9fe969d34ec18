/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulates a recorded trace and writes an event profile, with one process and one function. */
#ifndef DWELL_COLLECTOR_SIMULATION_TRACE_PROFILE_H
#define DWELL_COLLECTOR_SIMULATION_TRACE_PROFILE_H

#include "collector/simulation/trace.h"
#include "store/store.h"

/*
 * Simulate the trace `in`, called `name`, to its end, and write the events. *accesses is their
 * number without fetches. Returns 0, or -1 with *err.
 */
int trace_profile_write(FILE *in, const char *name, enum trace_format format,
			const struct sim_geometry *geometry, struct store *store,
			uint64_t *accesses, struct err *err);

#endif
