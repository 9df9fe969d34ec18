/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The misses of a simulation by data structure: the names of their code and data. The causes of
 * misses are those of engine/simulate/observe/bins.h.
 */
#ifndef DWELL_ESTIMATE_COUNTED_COUNTED_H
#define DWELL_ESTIMATE_COUNTED_COUNTED_H

#include "base/text.h"
#include "estimate/data.h"

/*
 * Cycles that a miss of the first level waits, and one of the last: the usual ones, as in
 * base/machines.h. They are rough: the order of rows wants them.
 */
#define COUNTED_CYCLES_FIRST 10
#define COUNTED_CYCLES_LAST  200

/* Misses in a cache. */
struct counted_misses {
	uint64_t all;
	uint64_t cold;	    /* on lines that were never in the cache before */
	uint64_t by_self;   /* on lines that accesses to the same data structure evicted */
	uint64_t conflicts; /* not cold, and a fully associative cache would have hit */
	/* Of a sampled simulation: of these, such that may have been hits; others that may be. */
	uint64_t unknown, more;
	const struct trace_sample_bounds *bounds; /* NULL: of all accesses */
	/* Of such: those that are no unknown references; */
	double known;
	/* and how they spread: see model/trace_sample.h; in the profile's pool. */
	double *contrasts;
};

#define COUNTED_EXACT "exact, as all accesses were simulated"

/*
 * Add how they are known: COUNTED_EXACT, or "estimates from 43 stretches, 9.98 % of all accesses";
 * and what was given up, when, and how much. All views of data say it with these words.
 */
void counted_put_how(const struct profile *p, struct text *text);
/* Add a line that explains the bounds of rows, if the profile has estimates from stretches. */
void counted_put_bounds(const struct profile *p, struct text *text);
/* Are they exact, and those of the whole run? */
bool counted_are_exact(const struct profile *p);

/* The row of misses that no bin has, of no data structure. */
extern const struct data_row counted_unfollowed;
/* Those of a cache, without causes. */
struct counted_misses counted_not_followed(const struct profile_followed *f);
/* Add those of the first levels, and of the last one. */
void counted_add_not_followed(const struct profile *p, struct counted_misses *first,
			      struct counted_misses *last);

/* `more` must not be used any more, as its contrasts may have become those of the sum. */
void counted_add(struct counted_misses *to, const struct counted_misses *more);
/* Those of a bin of the profile. */
struct counted_misses counted_of(const struct profile *p, const struct store_bin *b);
/* Those of an eviction, without causes. */
struct counted_misses counted_of_eviction(const struct profile *p, const struct store_eviction *e);
/* Those on lines that accesses to other data structures evicted. */
uint64_t counted_by_others(const struct counted_misses *m);

/* Those that are neither cold nor conflicts. If the profile has no conflicts it makes no sense. */
uint64_t counted_capacity(const struct counted_misses *m);

/* Bounds: of what is unknown, and of what was not simulated. */
uint64_t counted_low(const struct counted_misses *m);
uint64_t counted_high(const struct counted_misses *m);
/* The same of the part of them that is known to be so many: at least, or at most. */
uint64_t counted_low_of(const struct counted_misses *m, double least);
uint64_t counted_high_of(const struct counted_misses *m, double most);

/* Tell whether the cache of this name is a first level; or the last. */
bool counted_is_first(const char *cache);
bool counted_is_last(const char *cache);

/*
 * The cycles that so many misses in the first level wait, of which `last` also miss in the last
 * one.
 */
double counted_cost(double first, double last);
/* The cost of misses (model/cost.h): first touches are apart. */
double counted_cycles(const struct counted_misses *first, const struct counted_misses *last);
/* The same of their lower bounds: what is sure. Rows of estimates are in this order. */
double counted_sure_cycles(const struct counted_misses *first, const struct counted_misses *last);
/* Sum up all misses of the profile, of code and of what was not followed, too. */
void counted_sum(const struct profile *p, struct counted_misses *first,
		 struct counted_misses *last);

struct counted {
	const struct profile *profile;
	const struct query *query;
	struct query unsorted; /* the same, for `data`, which has the order of samples */
	struct data data;      /* has a row for each data structure of the profile */
	const char *word;      /* a name of functions or data; NULL: of all */
	bool *marks;	       /* of data.rows: those that `word` means */
};

/*
 * For a profile that was opened for its bins, which must outlive it, like `word`. It
 * points into itself: no copies. Release with counted_release. Returns -1 with *err when memory
 * runs out.
 */
int counted_init(struct counted *c, const struct profile *p, const struct query *q, enum data_by by,
		 const char *word, struct err *err);
void counted_release(struct counted *c);

/* The row of a structure; never NULL. Of equal structures it is the same one. */
const struct data_row *counted_data(const struct counted *c, int64_t structure);

/* The function with the code, not one that is inlined there; NULL: not known. */
const struct store_frame *counted_frame(const struct counted *c, int64_t location);
/* Its name; "[unknown]" without one, "[several functions]" of STORE_NONE. */
const char *counted_function(const struct counted *c, int64_t location);

/* Tell whether `word` means the function (NULL: none) or the data; of counted_data. */
bool counted_means(const struct counted *c, const char *function, const struct data_row *data);

/* Set *err to a sentence: nothing that missed has the name `word`. */
void counted_fail(const struct counted *c, struct err *err);

#endif
