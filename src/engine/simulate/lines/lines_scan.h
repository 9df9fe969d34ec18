/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which entries of a stream buffer (sample/scan.h) may touch a line of the sample. Pure. */
#ifndef DWELL_ENGINE_SIMULATE_LINES_LINES_SCAN_H
#define DWELL_ENGINE_SIMULATE_LINES_LINES_SCAN_H

#define LINES_GROUP 64

/* struct lines_key */
#define LINES_SHIFT	0
#define LINES_REACH	8
#define LINES_SEED	16
#define LINES_THRESHOLD 20
#define LINES_FIRST	24
#define LINES_SECOND	28

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

struct lines_key {
	uint64_t shift;		/* log2 of the size of a line */
	uint64_t reach;		/* from the first to the last byte of the largest access */
	uint32_t seed;		/* of lines_hash */
	uint32_t threshold;	/* of the sample, which is less than all lines */
	uint32_t first, second; /* the factors of lines_hash */
};

_Static_assert(offsetof(struct lines_key, seed) == LINES_SEED, "layout");
_Static_assert(offsetof(struct lines_key, threshold) == LINES_THRESHOLD, "layout");
_Static_assert(offsetof(struct lines_key, second) == LINES_SECOND, "layout");

/*
 * Of whole groups at p: masks[g] has the entries that may touch a sampled line; undefined for
 * trailers. Reads all entries of a group, valid or not.
 */
typedef void lines_scan_fn(const uint64_t *p, uint64_t groups, const struct lines_key *key,
			   uint64_t *masks);

lines_scan_fn lines_scan;
/* For AVX-512 F, DQ and VL, as scan_filter_wide. Keeps vector and mask registers. */
lines_scan_fn lines_scan_wide;

#endif
#endif
