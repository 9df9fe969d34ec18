/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of dwell simulate that simulates fully associative caches of many sizes: --curve. */
#ifndef DWELL_CLI_SIMULATE_CURVE_H
#define DWELL_CLI_SIMULATE_CURVE_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/simulate_output.h"
#include "collector/exact.h"

#define SIMULATE_CURVE_MAX_SIZES 1024

struct simulate_curve {
	struct exact_options exact;
	uint64_t sizes[SIMULATE_CURVE_MAX_SIZES]; /* bytes */
	uint64_t low, high;			  /* bytes */
	uint64_t per_octave;
	uint64_t at;  /* bytes; 0: not said */
	uint64_t top; /* rows; 0: all */
	enum exact_rows_by by;
	bool has_by;
	const char *first; /* of its options that was given, or NULL */
};

/* What holds where no option says otherwise. */
#define SIMULATE_CURVE_DEFAULTS                                                 \
	{                                                                       \
		.exact = {.line_bytes = {64},                                   \
			  .line_count = 1,                                      \
			  .policies = {true, true},                             \
			  .seed = 1,                                            \
			  .process = -1},                                       \
		.low = 8u << 10, .high = 64u << 20, .per_octave = 1, .top = 20, \
	}

/* Its options: a child for the command's argp, whose input is a struct simulate_curve. */
extern const struct argp simulate_curve_argp;

/* Runs the command to its end. Returns what dwell is to exit with; does not return if it was killed. */
int simulate_curve_run(struct simulate_curve *o, char *const *command, struct simulate_output *out);

#endif
