/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Misses by data structure in a simulation, with their causes: a *bin* is an instruction with a
 * data structure; an *eviction* says whose lines were thrown out by whom.
 *
 * There is one row for each key; a run in progress writes it again when it has changed. Ownership
 * and errors as in store.h and store_read.h.
 */
#ifndef DWELL_STORE_WHOSE_H
#define DWELL_STORE_WHOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store_read.h"

enum store_structure_kind {
	STORE_OF_UNKNOWN,
	STORE_OF_SITE,	   /* blocks or mappings of a site */
	STORE_OF_VARIABLE, /* a variable of a file, or a gap between two */
	STORE_OF_CODE,	   /* the code of a file */
	STORE_STRUCTURE_KINDS,
};

struct store_structure {
	int64_t id;
	int64_t process_id;
	const char *kind;    /* "unknown", "site", "variable", "code" */
	int64_t site_id;     /* STORE_NONE: of no site */
	uint64_t start, end; /* of a variable or code; both 0: of neither */
	int64_t image;	     /* of a variable: of its file; else 0 */
};

extern const char *const store_structure_kinds[STORE_STRUCTURE_KINDS];

/* The run did not tell conflict misses from others. It is more than any sum of those. */
#define STORE_NOT_TOLD_APART UINT64_MAX

#define STORE_SEEN 3

/* Misses in one cache. */
struct store_bin {
	int64_t structure_id;
	int64_t location_id;
	const char *cache; /* "L1d", "L1i", "LL" */
	uint64_t misses;
	uint64_t cold;	  /* on lines that were never in the cache before */
	uint64_t by_self; /* on lines that accesses to the same structure evicted */
	/* on lines that a fully associative cache would have had; or STORE_NOT_TOLD_APART */
	uint64_t conflicts;
	/* in a sampled simulation, without a cause: as in stretches.h */
	uint64_t unknown, above;
	/* and lines that a stretch saw here, which was the first, second, or third to see them */
	uint64_t seen[STORE_SEEN];
	int64_t id; /* of the row to write; 0: a new one */
};

/*
 * Misses on lines that were evicted before, by function and structure of both accesses.
 */
struct store_eviction {
	const char *cache;
	/*
	 * That missed, and that evicted. The location is the function's first; STORE_NONE: of
	 * several functions.
	 */
	int64_t structure_id, location_id;
	int64_t evictor_structure_id, evictor_location_id;
	uint64_t misses, conflicts;	    /* as in struct store_bin */
	int64_t contrasts[STORE_CONTRASTS]; /* of a sampled simulation; else 0: see stretches.h */
	int64_t id;			    /* as of bins */
};

/* References of an instruction to a structure. */
#define STORE_WINDOW_GROUPS	16
#define STORE_WINDOW_REFERENCES 100 /* of each window */
struct store_references {
	int64_t structure_id, location_id;
	uint64_t counted;		       /* exactly, beside windows */
	uint64_t seen;			       /* in windows */
	uint64_t weights[STORE_WINDOW_GROUPS]; /* of those, by group of windows */
	int64_t id;			       /* as of bins */
};

int store_put_structure(struct store *s, const struct store_structure *x, struct err *err);
int store_put_bin(struct store *s, const struct store_bin *b, struct err *err);
int store_put_eviction(struct store *s, const struct store_eviction *e, struct err *err);
int store_put_references(struct store *s, const struct store_references *x, struct err *err);

/* Sorted by id. */
int store_read_structures(struct store *s, int64_t process, struct store_structure **items,
			  size_t *count, struct err *err);
/* In no order. */
int store_read_bins(struct store *s, int64_t process, struct store_bin **items, size_t *count,
		    struct err *err);
int store_read_evictions(struct store *s, int64_t process, struct store_eviction **items,
			 size_t *count, struct err *err);

/* By structure and location. */
int store_read_references(struct store *s, int64_t process, struct store_references **items,
			  size_t *count, struct err *err);

/* Tell whether the profile has bins. */
bool store_has_bins(struct store *s);

#endif
