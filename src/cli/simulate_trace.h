/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell simulate --trace: a recorded trace in simulated caches, and the table of what happened. */
#ifndef DWELL_CLI_SIMULATE_TRACE_H
#define DWELL_CLI_SIMULATE_TRACE_H

#include "base/text.h"
#include "cli/view_format.h"
#include "collector/trace.h"
#include "views/table.h"

struct simulate_trace {
	const char *file; /* "-": standard input */
	enum trace_format trace_format;
	const struct sim_geometry *geometry;
	enum view_format format;
};

/* Append the table to `out`. Returns 0, or an exit code with *err set. */
int simulate_trace_run(const struct simulate_trace *t, const struct display *d, struct text *out,
		       struct err *err);

#endif
