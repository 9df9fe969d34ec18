/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of dwell simulate --curve. */
#ifndef DWELL_CLI_COMMANDS_SIMULATE_CURVE_H
#define DWELL_CLI_COMMANDS_SIMULATE_CURVE_H

#include <stdint.h>

#include "collector/simulation/exact.h"

#define SIMULATE_CURVE_MAX_SIZES 1024
#define SIMULATE_MOST_ONE_IN	 ((uint64_t)1 << 20) /* of --lines 1/N */
#define SIMULATE_LEAST_SAMPLED	 64		     /* lines, of --lines 1/N:MOST */

/* Options that only curves have. */
struct simulate_curve {
	struct exact_options exact;
	uint64_t sizes[SIMULATE_CURVE_MAX_SIZES]; /* bytes */
};

/* The values without options. */
#define SIMULATE_CURVE_DEFAULTS                                                \
	{                                                                      \
		.exact = {.line_bytes = {64}, .line_count = 1, .process = -1}, \
	}

#endif
