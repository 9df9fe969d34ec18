/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The access that C handles for the filter, when misses are counted by data structure: lines that
 * it brings to caches count for its bin (bins.h).
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_ACCESS_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/system/below.h"

struct filter_level;

struct filter_access {
	uint64_t pc; /* set by the caller, of accesses to data */
	uint64_t address;
	uint32_t bin;	/* 0: not looked up yet */
	uint8_t caches; /* in which it has missed, a bit for each */
	bool is_fetch;
};
extern struct filter_access filter_access;

/* An access to data at `address` begins; or a fetch. */
void filter_access_begin(uint64_t address);
void filter_access_fetch(uint64_t pc);

/* It has replaced a line of the level by `line`; the cell of that is NULL if there was none. */
void filter_access_replaced(const struct filter_level *l, uint64_t line, const uint32_t *victim);

/* The same in the levels below the filter. */
extern const struct sim_watch filter_access_watch;

#endif
