/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How misses spread over the stretches of a sampled simulation. A contrast is a sum of misses in
 * which each stretch has a sign. Stretches are taken in pairs: one has the sign that the other has
 * not. So the square of a contrast is, on average over all signs, the sum of squared differences
 * within pairs: what the choice of stretches may change (Wolter, Introduction to Variance
 * Estimation, chapters 3 and 8). Contrasts add up, unlike squares. So views have them for any sum
 * of misses.
 *
 * A stretch has a sign for each of STRETCH_CONTRASTS contrasts, a bit each: `signs`.
 *
 * The thread whose turn it is counts; all else needs the lock of collect.h.
 */
#ifndef DWELL_ENGINE_SIMULATE_SAMPLED_CONTRASTS_H
#define DWELL_ENGINE_SIMULATE_SAMPLED_CONTRASTS_H

#include <stdbool.h>
#include <stdint.h>

#include "channel/bin.h"
#include "engine/core/state.h"
#include "engine/core/util.h"

enum contrast_kind { CONTRAST_KNOWN, CONTRAST_UNKNOWN };

/* In a cache. */
struct contrast_sums {
	uint32_t now[STRETCH_MISSES]; /* in the stretch with the owner's signs, not added up yet */
	int32_t sums[STRETCH_MISSES][STRETCH_CONTRASTS];
};

/* Of an owner of misses. */
struct contrasts {
	uint32_t signs;
	uint32_t unused;
	struct contrast_sums caches[]; /* as many as the table has */
};

struct contrast_table {
	struct grow owners; /* by number */
	uint32_t bytes;	    /* of each */
	uint32_t caches;
};

/* The signs of this stretch; of the process' stretch with that number. */
extern uint32_t contrasts_now;
uint32_t contrasts_signs(uint64_t stretch);

/* A table of at most so many owners. False: no address space. */
bool contrasts_init(struct contrast_table *t, uint32_t most, uint32_t caches);
/* Room for owners up to this number. False: memory has run out. */
bool contrasts_reach(struct contrast_table *t, uint32_t number);
void contrasts_clear(struct contrast_table *t);

static inline struct contrasts *contrasts_at(const struct contrast_table *t, uint32_t number)
{
	return (struct contrasts *)(void *)(t->owners.base + (uint64_t)number * t->bytes);
}

/* Add up what the owner has counted; what it counts next is in this stretch. */
void contrasts_fold(const struct contrast_table *t, struct contrasts *c);

static inline void contrasts_count(struct contrasts *c, uint32_t cache, bool is_unknown)
{
	c->caches[cache].now[is_unknown ? CONTRAST_UNKNOWN : CONTRAST_KNOWN]++;
}

/* Add n misses in a stretch with such signs. */
void contrasts_add(int32_t sums[STRETCH_CONTRASTS], uint32_t signs, uint32_t n);

/*
 * Move the sums of a cache to r, after contrasts_fold. False: there are none, r is as before.
 */
bool contrasts_take(struct contrasts *c, uint32_t cache, struct record_contrasts *r);

/* ---- Of instructions, whatever data they miss on ---- */

/* In so many levels. False: no address space. */
bool contrasts_start(uint32_t levels, uint32_t most_sites);
/* The number of the instruction whose site it is, if it was looked up before; else 0. */
uint32_t contrasts_known(uint32_t site);
/* The same of the instruction at pc, with that site; 0: of none. Returns 0 without memory. */
uint32_t contrasts_find(uint32_t site, uint64_t pc);
/*
 * An access of that instruction has missed in some caches, and was unknown in some of them: a bit
 * for each, by enum bin_cache.
 */
void contrasts_missed(uint32_t number, uint32_t missed, uint32_t unknown);
void contrasts_flush(struct process *p);
void contrasts_forget_sites(uint32_t sites);
void contrasts_forked(void);

#endif
