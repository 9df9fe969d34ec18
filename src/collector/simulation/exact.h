/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run whose every access is simulated exactly (src/sim) while the program makes it: collects
 * miss-ratio curves, and the misses of each instruction or piece of data, for the profile.
 *
 * Each process has its own caches. Its threads share them, in the order in which their records
 * arrive: stretches of some thousand accesses of one thread take turns.
 */
#ifndef DWELL_COLLECTOR_SIMULATION_EXACT_H
#define DWELL_COLLECTOR_SIMULATION_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "sim/curve/keys.h"

struct collector_options;

#define EXACT_MAX_LINES 11 /* line sizes: 4 to 4096 */

enum exact_by {
	EXACT_BY_NOTHING,
	/* by code location, like the next one: views combine these to lines or functions */
	EXACT_BY_LINE,
	EXACT_BY_FUNCTION,
	EXACT_BY_DATA,	 /* by the memory line in which an access begins */
	EXACT_BY_OBJECT, /* by the variable, or the block's site, in which an access begins */
	EXACT_BYS,
};

struct exact_options {
	uint32_t line_bytes[EXACT_MAX_LINES]; /* powers of two from 4 to 4096 */
	unsigned line_count;
	const uint64_t *size_bytes; /* ascending, in whole lines of each line size */
	unsigned size_count;	    /* with random replacement at most SIM_RANDOM_MAX_SIZES */
	bool policies[SIM_POLICIES];
	uint64_t seed;
	int64_t process;  /* order of the process to simulate; -1: all */
	enum exact_by by; /* with line_bytes[0] */
	unsigned at;	  /* index of the size for `by` */
	/*
	 * Not 0: only LRU curves of one size of line, from one in so many lines (line_sample.h);
	 * and the most lines of the sample, or 0.
	 */
	uint64_t one_in, most_sampled;
};

/* Set the options that the run needs. *o must live as long as the run. */
void exact_prepare(const struct exact_options *o, struct collector_options *run);

/* The curves of a running process. */
struct exact_process;

/* The datum that accesses are added to: a line of memory, or a datum of data_cost in the store. */
struct exact_datum {
	int64_t process, site;
	uint64_t address;
	int64_t image; /* of the file whose data lay there, or 0 */
};

/* The recorder's part. */
struct exact {
	const struct exact_options *options;
	struct sim_keys keys; /* by id of the code location, or by index in `data` */
	struct map data_by_hash;
	struct {
		struct exact_datum *items;
		size_t count, room;
	} data;
};

#endif
