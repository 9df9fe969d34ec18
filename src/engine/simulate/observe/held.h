/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a call that allocates a block misses and refers to. The block is not known until the call
 * returns, so these events wait, in order, to count for the right data structure then. They also
 * count as what they were found to be when the thread loses its turn, or there are too many.
 *
 * The thread whose turn it is uses it, as the counters of bins.h.
 */
#ifndef DWELL_ENGINE_SIMULATE_WHOSE_HELD_H
#define DWELL_ENGINE_SIMULATE_WHOSE_HELD_H

/* filter_miss.S holds references, too: struct held_event */
#define HELD_ADDRESS	0
#define HELD_NUMBER	8
#define HELD_BIN	24
#define HELD_KIND	28 /* 32 bits: with the cache, and how */
#define HELD_REFERENCES 1
#define HELD_BYTES	32

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/state.h"
#include "engine/simulate/observe/bins.h"

/* False: no address space. */
bool held_start(void);

extern bool held_on; /* events are to be held */
/* Where the next event is held, if that is below the limit. */
extern struct held_event *held_next, *held_limit;

/* A call begins: hold what happens from now on. */
void held_begin(void);
/* It has returned, with a block of so many bytes at start (0: with none): count what was held. */
void held_end(uint64_t start, uint64_t bytes);

/*
 * As bins_replaced, only if held_on. `address`: of the access; 0: it cannot lie in the block.
 * References may be held without it: misses may wait elsewhere (filter_notes.h).
 */
void held_miss(uint32_t bin, enum bin_cache cache, uint64_t line, uint64_t victim,
	       enum bin_miss how, uint64_t address);
/*
 * n references, the first to `address`, each `step` bytes behind the one before, counted exactly;
 * one that was seen in a window.
 */
void held_references(uint32_t bin, uint64_t address, int64_t step, uint64_t n);
void held_seen(uint32_t bin, uint64_t address, uint64_t weight, uint32_t group);

/* In a forked child: what is held is the parent's. */
void held_forked(void);

#endif
#endif
