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
	uint64_t filled;  /* places that held a line at its end */
	/*
	 * Generations: from a known miss that brings a line to a place, to the next miss there. A
	 * line is dead from its last use on. Sums of times, in any unit.
	 */
	uint64_t generations, generation_time, dead_time;
};

/* Accesses that were simulated: a sample of MemSpy's trace sampling. */
struct record_stretch {
	struct record_header h;
	uint64_t number; /* in the process, from 0 */
	uint64_t start;	 /* accesses of the process before it */
	uint64_t accesses, instructions;
	struct stretch_cache caches[BIN_CACHES];
};

_Static_assert(sizeof(struct stretch_cache) == 56, "layout of stretch_cache");
_Static_assert(sizeof(struct record_stretch) == 40 + 56 * BIN_CACHES, "layout of record_stretch");

#endif
