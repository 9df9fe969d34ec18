/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The record of a simulated stretch of a run; a part of channel.h, included at the end of bin.h. */
#ifndef DWELL_CHANNEL_STRETCH_H
#define DWELL_CHANNEL_STRETCH_H

#include "channel/channel.h"

/* What happened in a cache during a stretch, which it began empty. */
struct stretch_cache {
	uint64_t missed;  /* accesses, those of the next two among them */
	uint64_t unknown; /* first touches of a place: they may have been hits */
	uint64_t above;	  /* other misses of accesses that were unknown in a cache above */
	/* of these two: after an eighth of the stretch, or after half of it */
	uint64_t late, half;
	/*
	 * Known misses of which it is known when the place was last used; the unknown misses that
	 * they stand for; and the same, had the stretch begun after an eighth of it. The last two
	 * are in units of 2^-16. See src/engine/simulate/observe/dead.h.
	 */
	uint64_t timed, dead, dead_late;
};

/* Accesses that were simulated: a sample of MemSpy's trace sampling. */
struct record_stretch {
	struct record_header h;
	uint64_t number; /* in the process, from 0 */
	uint64_t start;	 /* accesses of the process before it */
	uint64_t accesses, instructions;
	uint64_t signs; /* in contrasts, a bit each */
	struct stretch_cache caches[BIN_CACHES];
};

/*
 * Contrasts of misses between stretches: see src/engine/simulate/observe/contrasts.h. What is new
 * since the last record of the same instruction, data structure and cache.
 */
struct record_contrasts {
	struct record_header h;
	uint64_t position; /* as in struct record_bin */
	uint64_t pc;
	uint64_t cache;	 /* enum bin_cache */
	uint64_t is_bin; /* 0: of the instruction, whatever the data; `data` is 0 */
	struct bin_data data;
	int64_t sums[STRETCH_MISSES][STRETCH_CONTRASTS]; /* of known misses; of others */
};

_Static_assert(sizeof(struct record_contrasts) == 336, "layout of record_contrasts");
_Static_assert(sizeof(struct stretch_cache) == 64, "layout of stretch_cache");
_Static_assert(sizeof(struct record_stretch) == 48 + 64 * BIN_CACHES, "layout of record_stretch");

#endif
