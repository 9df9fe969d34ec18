/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums of misses by data structure. The engine sends what is new, more than once for most bins; the
 * profile has a row for each, so its size does not depend on how long the run takes. Rows are
 * written in the order of their first misses, those that have changed only.
 */
#ifndef DWELL_COLLECTOR_SIMULATION_WHOSE_SUMS_H
#define DWELL_COLLECTOR_SIMULATION_WHOSE_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "channel/channel.h"
#include "store/store.h"

/* A data structure with an instruction or function; location 0: with several functions. */
struct whose_place {
	int64_t structure, location; /* ids in the store */
};

/* Empty when all zero. */
struct whose_sums {
	struct map places; /* structure and location -> index */
	struct {
		struct whose_place_sums *items;
		size_t count, room;
	} by_place;
	struct {
		struct whose_bin *items;
		size_t count, room;
	} bins;
	struct map pairs; /* two places and a cache -> index */
	struct {
		struct whose_pair *items;
		size_t count, room;
	} evictions;
	struct {
		struct whose_pair_contrasts *items;
		size_t count, room;
	} eviction_contrasts; /* by index of evictions; those behind have none */
	struct {
		struct whose_references *items;
		size_t count, room;
	} references;
	struct map contrast_index; /* a place and a cache -> index */
	struct {
		struct whose_contrasts *items;
		size_t count, room;
	} contrasts;
};

void whose_sums_release(struct whose_sums *s);

/* Each adds to a sum. cache: enum bin_cache. Returns 0, or -1 when memory ran out. */
int whose_add_misses(struct whose_sums *s, struct whose_place place, uint32_t cache,
		     const struct bin_counts *counts);
int whose_add_evictions(struct whose_sums *s, struct whose_place missed, struct whose_place evictor,
			uint32_t cache, uint64_t count, uint64_t conflicts,
			const int64_t contrasts[STRETCH_CONTRASTS]);
/* Structure 0: of the instruction, whatever the data. */
int whose_add_contrasts(struct whose_sums *s, struct whose_place place, int64_t process,
			const struct record_contrasts *new);
int whose_add_references(struct whose_sums *s, struct whose_place place,
			 const struct record_references *new);

/*
 * Write the sums that have changed since they were written. names: of the caches, by enum
 * bin_cache. finds_conflicts: the run tells conflict misses from others. Returns 0, or -1 with *err
 * set.
 */
int whose_sums_write(struct whose_sums *s, const char *const names[BIN_CACHES],
		     bool finds_conflicts, struct store *store, struct err *err);

#endif
