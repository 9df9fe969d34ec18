/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Empties the simulated caches, so that a stretch begins with none of what was before. */
#ifndef DWELL_ENGINE_SIMULATE_SAMPLED_COLD_H
#define DWELL_ENGINE_SIMULATE_SAMPLED_COLD_H

#include <stdbool.h>
#include <stdint.h>

#include "channel/bin.h"

/* Called once, before the first line comes. False: no address space. */
bool cold_start(void);
/* Empty all caches. No thread is in the filter variant, and no misses are noted. */
void cold_empty(void);
/* What bins.c keeps of the set of a line, for each cache. NULL: memory has run out. */
uint32_t *cold_set(enum bin_cache cache, uint64_t line);
/*
 * A line (its number) has come to a free place of a cache below those of the filter. If memory runs
 * out, the set stays filled: then some unknown references of the next stretch are taken for known
 * ones.
 */
void cold_filled(uint32_t level, uint64_t line);

#endif
