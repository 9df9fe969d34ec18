/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces of accesses that other programs wrote, fed to a simulation.
 *
 *   lackey: valgrind --tool=lackey --trace-mem=yes: "I 04001090,3", " L 1ffeffe9a8,8", " S ...",
 *           " M ..."; Valgrind's own lines, which begin with "==", are passed over
 *   dinero: a line has a label, 0 for a load, 1 for a store, 2 for a fetch, and an address in hex;
 *           an access is of one byte; what follows on the line is passed over
 */
#ifndef DWELL_COLLECTOR_SIMULATION_TRACE_H
#define DWELL_COLLECTOR_SIMULATION_TRACE_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "sim/system/hierarchy.h"

enum trace_format {
	TRACE_GUESS, /* by the first line that is an access */
	TRACE_LACKEY,
	TRACE_DINERO,
	TRACE_FORMATS,
};

extern const char *const trace_format_names[TRACE_FORMATS]; /* of TRACE_GUESS: NULL */

struct trace_access {
	enum sim_access kind;
	uint64_t address;
	uint32_t bytes;
};

/*
 * Read a line without its end. Returns 1; 0 where it is none of an access, but belongs to such a
 * trace; or -1 with a sentence.
 */
int trace_read_line(enum trace_format format, const char *line, struct trace_access *a,
		    struct err *err);

/*
 * Simulate a trace to its end. Adds to events[], by the indices of h->list, Ir, Dr and Dw as well;
 * the tag of an access is that of the fetch before it. Returns 0, or -1 with a sentence that names
 * `name` and the line.
 */
int trace_simulate(FILE *in, const char *name, enum trace_format format, struct sim_hierarchy *h,
		   uint64_t events[SIM_MAX_EVENTS], struct err *err);

#endif
