/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulated stretches of a sampled simulation: what each cache saw in each of them. Ownership
 * and errors as in store.h and store_read.h.
 */
#ifndef DWELL_STORE_STRETCHES_H
#define DWELL_STORE_STRETCHES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store_read.h"

/* One cache in one stretch, which it began empty. */
struct store_stretch {
	int64_t process_id;
	uint64_t number;		 /* of the stretch in the process, from 0 */
	const char *cache;		 /* "L1d", "L1i", "LL" */
	uint64_t signs;			 /* in contrasts, a bit each */
	uint64_t start;			 /* accesses of the process before the stretch */
	uint64_t accesses, instructions; /* of the stretch */
	uint64_t misses;		 /* with the unknown references */
	uint64_t unknown;		 /* misses in a free place */
	uint64_t above; /* other misses of accesses that were unknown in a cache above */
	/* of these two: after an eighth of the stretch; after half */
	uint64_t late, half;
	/* what known misses say about unknown ones, see trace_sample.h; dead in units of 2^-16 */
	uint64_t timed, dead, dead_late;
};

int store_put_stretch(struct store *s, const struct store_stretch *x, struct err *err);
/* By process, number and cache; process STORE_ALL: of all. */
int store_read_stretches(struct store *s, int64_t process, struct store_stretch **items,
			 size_t *count, struct err *err);

/* The simulated accesses of a process, and their contrasts. */
struct store_lengths {
	double accesses, contrasts[STORE_CONTRASTS];
};
struct store_lengths store_stretch_lengths(const struct store_stretch *x, size_t count,
					   int64_t process);

/*
 * Contrasts of misses: sums over stretches, each with the sign that it has in the contrast. Of an
 * instruction on a data structure (STORE_NONE: on any) in a cache.
 */
struct store_contrasts {
	int64_t process_id, structure_id, location_id;
	const char *cache;
	int64_t known[STORE_CONTRASTS];	  /* of misses that are known */
	int64_t unknown[STORE_CONTRASTS]; /* of the others, `unknown` and `above` of stretches */
	int64_t id;			  /* of the row to write; 0: a new one */
};

int store_put_contrasts(struct store *s, const struct store_contrasts *x, struct err *err);
/* By structure, location and cache, those of any structure first. */
int store_read_contrasts(struct store *s, int64_t process, struct store_contrasts **items,
			 size_t *count, struct err *err);

/* The ways of the cache with this name, from the table of geometry; 0: not known. */
int store_read_ways(struct store *s, const char *cache, uint64_t *ways, struct err *err);

/* The sums of what the cache with this name saw; its other members stay 0. */
struct store_stretch store_stretch_sums(const struct store_stretch *x, size_t count,
					const char *cache);

/*
 * The misses of each of `count` stretches: those that are known, unknown references, and those
 * behind one. The arrays are one block: release it with free(known).
 */
struct store_series {
	double *known, *unknown, *above, *accesses;
	size_t count;
};
/* In the caches with these names, a list that ends with NULL. Returns 0, or -1 with *err. */
int store_stretch_series(const struct store_stretch *x, size_t count, const char *const *caches,
			 struct store_series *s, struct err *err);

#endif
