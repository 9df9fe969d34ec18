/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The caches of one core of some processors, as specified by their makers. */
#ifndef DWELL_BASE_MACHINES_H
#define DWELL_BASE_MACHINES_H

#include <stddef.h>
#include <stdint.h>

#define MACHINE_LEVELS 3

/* The relation of a level to those above it. */
enum machine_level_kind {
	MACHINE_ALONE,
	MACHINE_INCLUSIVE,
	MACHINE_VICTIMS, /* filled by evictions of the level above: exclusive */
};

struct machine_level {
	uint64_t size_bytes; /* 0: missing or unknown */
	uint32_t ways;
	uint32_t line_bytes;
	enum machine_level_kind kind;
	/*
	 * How long one of its misses waits until the next level serves it, in cycles: nominal and
	 * rough, as machines of one kind differ by their clocks and memory.
	 */
	uint32_t miss_cycles;
};

/*
 * That of a machine which is not in the table, by the size of the cache that serves the miss; 0:
 * memory.
 */
uint32_t machine_usual_cycles(uint64_t next_bytes);

struct machine_model {
	const char *name;
	struct machine_level code; /* first-level instruction cache */
	/*
	 * Data or unified caches. Level 3 is that of one cluster of cores, or of the largest common
	 * model.
	 */
	struct machine_level levels[MACHINE_LEVELS];
};

extern const struct machine_model machine_models[];
extern const size_t machine_model_count;

/* Returns NULL for an unknown name. */
const struct machine_model *machine_model_find(const char *name);

#endif
