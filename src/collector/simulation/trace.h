/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces of accesses that other programs wrote, as input for a simulation.
 *
 *   lackey: valgrind --tool=lackey --trace-mem=yes: "I 04001090,3", " L 1ffeffe9a8,8", " S ...",
 *           " M ..."; lines of Valgrind, which begin with "==", are ignored
 *   dinero: a line has a label (0 for a load, 1 for a store, 2 for a fetch) and an address in hex;
 *           an access has one byte; the rest of the line is ignored
 */
#ifndef DWELL_COLLECTOR_SIMULATION_TRACE_H
#define DWELL_COLLECTOR_SIMULATION_TRACE_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "sim/system/hierarchy.h"

enum trace_format {
	TRACE_GUESS, /* determined by the first access */
	TRACE_LACKEY,
	TRACE_DINERO,
	TRACE_FORMATS,
};

struct trace_access {
	enum sim_access kind;
	uint64_t address;
	uint32_t bytes;
};

/*
 * Read a line without its end. Returns 1; 0 for a line of a trace that is not an access; or -1 with
 * *err.
 */
int trace_read_line(enum trace_format format, const char *line, struct trace_access *a,
		    struct err *err);

/*
 * Simulate a trace to its end. Adds to events[], by the indices of h->shared.list, including Ir, Dr
 * and Dw. The tag of an access is the address of the fetch before it. Returns 0, or -1 with *err,
 * which has `name` and the line.
 */
int trace_simulate(FILE *in, const char *name, enum trace_format format, struct sim_hierarchy *h,
		   uint64_t events[SIM_MAX_EVENTS], struct err *err);

#endif
