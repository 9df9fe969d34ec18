/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that say which caches to simulate: --cache, --machine, --config and what to count. */
#ifndef DWELL_CLI_GEOMETRY_OPTIONS_H
#define DWELL_CLI_GEOMETRY_OPTIONS_H

#include <stdbool.h>

#include "base/err.h"
#include "sim/base/geometry.h"

#define GEOMETRY_MOST_CACHES 24 /* options --cache */

/* In the order of the command line; but --cache always modifies --config and --machine. */
struct geometry_options {
	const char *machine, *config; /* NULL: not given */
	const char *caches[GEOMETRY_MOST_CACHES];
	unsigned cache_count; /* more than GEOMETRY_MOST_CACHES: an error */
	bool line_use, write_backs, no_instructions;
	uint32_t line_share; /* see struct sim_geometry */
};

/* Build the geometry that the options describe. Returns 0, or -1 with a usage error in *err. */
int geometry_options_build(const struct geometry_options *o, struct sim_geometry *g,
			   struct err *err);

#endif
