/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often each line of a cache is used between fill and eviction, and which of its bytes. As in
 * Callgrind's --cacheuse, the instruction that loaded the line is charged:
 *
 *   AcCost  1000 / uses: small if a line is used often
 *   SpLoss  bytes of the line that were not touched (lines longer than 64 bytes are divided
 *           into 64 equal parts)
 */
#ifndef DWELL_SIM_CACHE_LINE_USE_H
#define DWELL_SIM_CACHE_LINE_USE_H

#include <stdint.h>

#include "sim/base/index.h"
#include "sim/base/memory.h"

struct sim_line_record {
	uint64_t touched; /* one bit per part */
	uint32_t uses;	  /* saturates */
	uint32_t tag;	  /* the instruction that loaded it */
};

struct sim_line_use {
	const struct sim_memory *memory; /* NULL: not in use */
	unsigned shift;			 /* of a line */
	unsigned part_shift;		 /* bytes of a part */
	uint64_t all_parts;		 /* bits of all parts */
	uint64_t room;
	struct sim_line_record *records;
	uint32_t *free; /* a stack of free records */
	uint64_t free_count;
	struct sim_index index; /* line -> record */
};

/* For a cache of `lines` lines. Returns 0, or -1 without memory; release u in both cases. */
int sim_line_use_init(struct sim_line_use *u, uint64_t lines, unsigned line_shift,
		      const struct sim_memory *memory);
void sim_line_use_release(struct sim_line_use *u);

/* A line is filled, or evicted. _end returns the line's record, all zero if it had none. */
void sim_line_use_begin(struct sim_line_use *u, uint64_t line, uint32_t tag);
struct sim_line_record sim_line_use_end(struct sim_line_use *u, uint64_t line);

/* The record of a line, or NULL. Valid until the next begin or end. */
struct sim_line_record *sim_line_use_find(struct sim_line_use *u, uint64_t line);

/* Mark bytes first .. last as used, as far as they are in the line. */
void sim_line_use_touch(struct sim_line_use *u, uint64_t line, uint64_t first, uint64_t last);

/* A record's AcCost and SpLoss. */
uint64_t sim_line_access_cost(const struct sim_line_record *r);
uint64_t sim_line_bytes_lost(const struct sim_line_use *u, const struct sim_line_record *r);

#endif
