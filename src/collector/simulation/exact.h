/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run whose every access is simulated exactly (src/sim) while the program makes it: miss-ratio
 * curves, and the misses of each instruction or piece of data, on their way to the profile.
 *
 * Each process has caches of its own. The threads of a process share them, in the order in which
 * their records arrive: stretches of some thousand accesses of one thread take turns.
 */
#ifndef DWELL_COLLECTOR_SIMULATION_EXACT_H
#define DWELL_COLLECTOR_SIMULATION_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "sim/curve/keys.h"

struct collector_options;

#define EXACT_MAX_LINES 11 /* sizes of line: 4 to 4096 */

enum exact_by {
	EXACT_BY_NOTHING,
	/* by code location, as the next one: views make lines or functions of them */
	EXACT_BY_LINE,
	EXACT_BY_FUNCTION,
	EXACT_BY_DATA,	 /* by the line of memory that an access begins in */
	EXACT_BY_OBJECT, /* by the variable or the site of the block that it begins in */
	EXACT_BYS,
};

extern const char *const exact_by_names[EXACT_BYS]; /* of EXACT_BY_NOTHING: NULL */

struct exact_options {
	uint32_t line_bytes[EXACT_MAX_LINES]; /* powers of two from 4 to 4096 */
	unsigned line_count;
	const uint64_t *size_bytes; /* rising, in whole lines of each size */
	unsigned size_count;	    /* with random replacement at most SIM_RANDOM_MAX_SIZES */
	bool policies[SIM_POLICIES];
	uint64_t seed;
	int64_t process;  /* order of the one to simulate; -1: all */
	enum exact_by by; /* with line_bytes[0] */
	unsigned at;	  /* index of the size for `by` */
};

/* Ask for what a run needs to be simulated so; the options have to live as long as the run. */
void exact_prepare(const struct exact_options *o, struct collector_options *run);

/* The curves of a process that runs. */
struct exact_process;

/* Whose accesses are summed: a line of memory, or what data_cost of the store says. */
struct exact_datum {
	int64_t process, site;
	uint64_t address;
};

/* For the recorder. */
struct exact {
	const struct exact_options *options;
	struct sim_keys keys; /* of code locations by id, or of `data` by index */
	struct map data_by_hash;
	struct {
		struct exact_datum *items;
		size_t count, room;
	} data;
};

#endif
