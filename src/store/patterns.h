/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How data structures are accessed in a simulation: strides and links, as windows saw them
 * (engine/simulate/observe/patterns.h). Ownership and errors as in store.h and store_read.h.
 */
#ifndef DWELL_STORE_PATTERNS_H
#define DWELL_STORE_PATTERNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store_read.h"

#define STORE_PATTERN_STEPS 4

struct store_pattern_step {
	uint64_t bytes; /* a usual stride, without its sign; 0: none here */
	uint64_t accesses, touched;
	uint64_t narrowest, widest; /* bytes of an access */
};

struct store_pattern {
	int64_t structure_id;
	uint64_t windows, seen; /* plain numbers; all that follows is weighted */
	uint64_t accesses;
	uint64_t known, usual, near;	 /* strides */
	uint64_t words;			 /* loads of what may be an address */
	uint64_t to_self, to_others;	 /* of these, used as one */
	uint64_t from_self, from_others; /* accesses through a word that was loaded before */
	uint64_t inside, hops;		 /* accesses in the block of the last one, in another one */
	uint64_t rows;			 /* of hops, where another structure held the address */
	struct store_pattern_step steps[STORE_PATTERN_STEPS];
};

/* Replaces that of the same structure. */
int store_put_pattern(struct store *s, const struct store_pattern *x, struct err *err);
/* Sorted by structure. */
int store_read_patterns(struct store *s, int64_t process, struct store_pattern **items,
			size_t *count, struct err *err);

#endif
