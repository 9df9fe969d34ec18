/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What known misses say about unknown references (after Wood, Hill and Kessler 1991; MemSpy,
 * section 6.4).
 *
 * A place is dead from the last use of its line until the miss that evicts it. Had the stretch
 * begun within this dead time, the miss would have been unknown. So of the stretches in which a
 * miss with the dead time d (a part of a stretch) lies, d do not know it, and 1 - d do: each known
 * one stands for d / (1 - d) unknown ones.
 *
 * That is uncertain where d is near to 1. So unknown references behind half of the stretch are
 * counted apart, and d is a half at most. Behind an eighth all counts are made again, as if the
 * stretch had begun there: places that stay unused for long are dead more often. The sums are those
 * of struct stretch_cache; src/model/trace_sample.h makes rho of them.
 *
 * Not all misses come here, because code handles most. Those that do stand for the rest.
 *
 * The thread whose turn it is calls.
 */
#ifndef DWELL_ENGINE_SIMULATE_SAMPLED_DEAD_H
#define DWELL_ENGINE_SIMULATE_SAMPLED_DEAD_H

#include <stdint.h>

#include "channel/bin.h"

#define DEAD_WHOLE (1u << 16) /* a stretch */
#define DEAD_LATE  (DEAD_WHOLE / 8)
#define DEAD_HALF  (DEAD_WHOLE / 2)

/* The first levels, and LL, count time apart. */
enum dead_clock { DEAD_CLOCK_FIRST, DEAD_CLOCK_LAST, DEAD_CLOCKS };

/* A stretch begins. */
void dead_begin(void);
/* The stretch: its length, and the accesses of turns that are over. Of mode/stretches.c. */
extern struct dead_stretch {
	uint64_t planned, done;
} dead_stretch;
extern struct stretch_cache stretch_caches[BIN_CACHES];

/*
 * So many accesses of this turn are over. Misses since the last call are about to come. No lock.
 */
void dead_reach(uint64_t accesses);
/* The same: so much of the stretch is over, of DEAD_WHOLE. */
void dead_reach_part(uint32_t part);
/* They have come. The clocks show these times. A miss that comes now stands for so many. */
void dead_look(const uint64_t times[DEAD_CLOCKS], uint64_t stand_for);
/* That miss has come; further ones stand for none, as nobody knows the time. */
void dead_looked(void);
/* A reference is unknown; or would be, if it had not been above. */
void dead_unknown(struct stretch_cache *c);
/* A known miss evicts a line that was last used at `time`. */
void dead_missed(struct stretch_cache *c, enum dead_clock clock, uint64_t time);

#endif
