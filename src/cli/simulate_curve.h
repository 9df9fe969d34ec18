/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of dwell simulate that simulates fully associative caches of many sizes: --curve. */
#ifndef DWELL_CLI_SIMULATE_CURVE_H
#define DWELL_CLI_SIMULATE_CURVE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/simulate_output.h"
#include "collector/exact.h"

#define SIMULATE_CURVE_MAX_SIZES 1024

struct options;

/* What of its options is not in those of all commands. */
struct simulate_curve {
	struct exact_options exact;
	uint64_t sizes[SIMULATE_CURVE_MAX_SIZES]; /* bytes */
	enum exact_rows_by by;
	bool has_by;
};

/* What holds where no option says otherwise. */
#define SIMULATE_CURVE_DEFAULTS                                                \
	{                                                                      \
		.exact = {.line_bytes = {64}, .line_count = 1, .process = -1}, \
	}

/* Runs the command to its end. Returns what dwell is to exit with; does not return if it was killed. */
int simulate_curve_run(struct options *o, struct simulate_output *out);

#endif
