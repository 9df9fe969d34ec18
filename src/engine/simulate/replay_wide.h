/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaying with AVX-512 for the usual caches: one first level each for code and data and one more
 * level, of 64-byte lines, up to 16 ways, LRU, and a power of two of sets. A set's entries are one
 * or two vector registers, so a line is found without a branch. Of several hierarchies in one pass
 * (sim/system/multi.h) it replays the fronts.
 *
 * It handles segments of up to 8 accesses, each on one line. The others go to replay_odd, and so
 * does code on two lines of which the second misses.
 *
 * Offsets are for replay_wide.S.
 */
#ifndef DWELL_ENGINE_SIMULATE_REPLAY_WIDE_H
#define DWELL_ENGINE_SIMULATE_REPLAY_WIDE_H

/* struct replay_cache */
#define C_NOOP	  0
#define C_ENTRIES 8
#define C_MASK	  16
#define C_STRIDE  24
#define C_WAYS	  32
#define C_ABOVE	  36
#define C_OLDEST  37
#define C_PART	  38
/* struct replay_wide */
#define W_DATA	   0
#define W_CODE	   40
#define W_LAST	   80
#define W_SEGMENTS 120
#define W_MULTI	   128
/* struct segment */
#define S_CODE_LINE	8
#define S_STRADDLES	20
#define S_QUICK		21
#define S_SIZE		26
#define S_COUNTS	56
#define S_SHIFT		3 /* SEGMENT_SHIFT */
#define S_GRAPH		64
#define TRAILER_NUMBERS 0x1fffffff /* STREAM_NUMBER_MASK */

#ifndef __ASSEMBLER__

#include <stddef.h>

#include "engine/simulate/segments.h"
#include "sim/system/hierarchy.h"

struct replay_cache {
	uint64_t *noop; /* by set; see sim/system/hierarchy.h */
	uint64_t *entries;
	uint64_t mask;			  /* sets - 1 */
	uint64_t stride;		  /* bytes of a set */
	uint32_t ways;			  /* a bit for each way */
	uint8_t above;			  /* a bit for each way from the ninth on, from bit 0 */
	uint8_t oldest_shift, part_shift; /* see sim/cache/cache_packed.h */
	uint8_t unused;
};

struct replay_wide {
	struct replay_cache data, code, last;
	uint8_t *segments; /* see segments_of_trailer */
	/* 1: data and code are the fronts of several hierarchies; last is unused */
	uint64_t is_multi;
};

_Static_assert(TRAILER_NUMBERS == STREAM_NUMBER_MASK, "trailers");
_Static_assert(offsetof(struct replay_cache, entries) == C_ENTRIES, "layout");
_Static_assert(offsetof(struct replay_cache, mask) == C_MASK, "layout");
_Static_assert(offsetof(struct replay_cache, stride) == C_STRIDE, "layout");
_Static_assert(offsetof(struct replay_cache, ways) == C_WAYS, "layout");
_Static_assert(offsetof(struct replay_cache, oldest_shift) == C_OLDEST, "layout");
_Static_assert(offsetof(struct replay_cache, part_shift) == C_PART, "layout");
_Static_assert(offsetof(struct replay_cache, above) == C_ABOVE, "layout");
_Static_assert(offsetof(struct replay_wide, code) == W_CODE, "layout");
_Static_assert(offsetof(struct replay_wide, last) == W_LAST, "layout");
_Static_assert(offsetof(struct replay_wide, segments) == W_SEGMENTS, "layout");
_Static_assert(offsetof(struct replay_wide, is_multi) == W_MULTI, "layout");
_Static_assert(offsetof(struct segment, counts) == S_COUNTS, "layout");
_Static_assert(SEGMENT_LINE_BYTES == S_GRAPH, "layout");
_Static_assert(SEGMENT_SHIFT == S_SHIFT, "layout");
_Static_assert(offsetof(struct segment, code_line) == S_CODE_LINE, "layout");
_Static_assert(offsetof(struct segment, quick) == S_QUICK, "layout");
_Static_assert(offsetof(struct segment, straddles) == S_STRADDLES, "layout");
_Static_assert(offsetof(struct segment, size) == S_SIZE, "layout");

/* Can replay_wide look into the cache? Then describe it in *w. */
bool replay_wide_fits(const struct sim_cache *c, struct replay_cache *w);
/*
 * The same for the first level of code. If fetches are not simulated, *w says that all are no-op.
 */
bool replay_wide_fits_code(const struct sim_cache *c, const struct sim_noop *noop,
			   struct replay_cache *w);

/*
 * Replay the entries [p, end) of a buffer, which has REPLAY_WIDE_BEFORE entries before p. Keeps all
 * vector registers.
 */
#define REPLAY_WIDE_BEFORE 2
void replay_wide(struct replay_wide *w, const uint64_t *p, const uint64_t *end);

/*
 * Called by replay_wide: replay any segment, whose entries begin at p. is_entered: the call graph
 * knows that it is entered. Returns the beginning of the next segment.
 */
const uint64_t *replay_odd(const uint64_t *p, bool is_entered);
/* The first line of code of s missed in the first level; and in the last one, if `last`. */
void replay_code_missed(struct segment *s, bool last);
/* Access i of s missed in the first level; and in the last one, if `last`. */
void replay_missed(struct segment *s, uint32_t i, bool last);

#endif
#endif
