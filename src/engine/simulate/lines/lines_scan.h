/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which entries of a stream buffer (sample/scan.h) may touch a line of the sample, and which may
 * touch a new line (touched.h). Pure.
 */
#ifndef DWELL_ENGINE_SIMULATE_LINES_LINES_SCAN_H
#define DWELL_ENGINE_SIMULATE_LINES_LINES_SCAN_H

#define LINES_GROUP 64

/* struct lines_key */
#define LINES_REACH	0
#define LINES_SEED	32
#define LINES_FIRST	64
#define LINES_SECOND	96
#define LINES_THRESHOLD 128
#define LINES_SIGN	160
#define LINES_PLACES	192
#define LINES_RECENT	224
#define LINES_SHIFT	232

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

#define LINES_LANES 8 /* of vectors */

/* Most have a copy for each lane. */
struct lines_key {
	uint64_t reach[LINES_LANES / 2]; /* from the first to the last byte of the largest access */
	uint32_t seed[LINES_LANES];	 /* of lines_hash */
	uint32_t first[LINES_LANES], second[LINES_LANES]; /* the factors of lines_hash */
	/* of the sample, which is less than all lines; less 2^31, as vectors compare signed */
	uint32_t threshold[LINES_LANES];
	uint32_t sign[LINES_LANES];   /* 2^31 */
	uint32_t places[LINES_LANES]; /* of the table of recent lines, less 1 */
	const uint32_t *recent;	      /* see touched.h */
	uint64_t shift;		      /* log2 of the size of a line */
};

_Static_assert(offsetof(struct lines_key, seed) == LINES_SEED, "layout");
_Static_assert(offsetof(struct lines_key, first) == LINES_FIRST, "layout");
_Static_assert(offsetof(struct lines_key, second) == LINES_SECOND, "layout");
_Static_assert(offsetof(struct lines_key, threshold) == LINES_THRESHOLD, "layout");
_Static_assert(offsetof(struct lines_key, sign) == LINES_SIGN, "layout");
_Static_assert(offsetof(struct lines_key, places) == LINES_PLACES, "layout");
_Static_assert(offsetof(struct lines_key, recent) == LINES_RECENT, "layout");
_Static_assert(offsetof(struct lines_key, shift) == LINES_SHIFT, "layout");

/* reach, threshold and places: at most 2^31 */
void lines_key_fill(struct lines_key *k, uint64_t shift, uint64_t reach, uint32_t seed,
		    uint32_t threshold, const uint32_t *recent, uint32_t places);

/* Of the entries of a group. */
struct lines_masks {
	uint64_t chosen; /* they may touch a sampled line; undefined for trailers */
	uint64_t fresh;	 /* their first line is not in the table; 0 for trailers */
};

/* Looks at whole groups at p. Reads all entries of a group, valid or not. */
typedef void lines_scan_fn(const uint64_t *p, uint64_t groups, const struct lines_key *key,
			   struct lines_masks *masks);

lines_scan_fn lines_scan;
/* With AVX2, on processors without AVX-512; keeps vector registers. */
lines_scan_fn lines_scan_fast;
/* The same with AVX-512, as scan_filter_wide. */
lines_scan_fn lines_scan_wide;

#endif
#endif
