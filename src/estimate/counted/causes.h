/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why lines were missing in a simulation: they are new, or an access has evicted them (MemSpy,
 * section 6.5; DTrack, 4.4).
 */
#ifndef DWELL_ESTIMATE_COUNTED_CAUSES_H
#define DWELL_ESTIMATE_COUNTED_CAUSES_H

#include "estimate/counted/counted.h"

/* The key comes first. */
struct cause_row {
	const char *cache; /* "L1d", "L1i", "LL" */
	const char *function, *data;
	const char *evictor_function, *evictor_data; /* NULL: none, the misses are cold */
	/* 1: none, as these are unknown references of a sampled simulation; see counted.h */
	uint64_t is_unknown;
	uint64_t misses;
	/*
	 * Their bounds, `misses` if these are exact. An unknown reference may have any cause, so
	 * the upper one holds those of what missed, too.
	 */
	uint64_t low, high;
	struct counted_misses of;   /* how estimates spread; `all` is `misses` */
	double cold_low, cold_high; /* of cold misses: what is known of the lines */
	uint64_t conflicts;	    /* of these, if the profile has them; see counted.h */
	double share;		    /* of all misses in the cache */
	double cost; /* share of what all misses cost, first touches too; NAN in between */
};

/* What tells rows apart. */
enum causes_by { CAUSES_BY_DATA, CAUSES_BY_FUNCTION, CAUSES_BY_BOTH };

struct causes {
	struct counted names;
	enum causes_by by;
	struct cause_row
		*rows; /* most cost first, of estimates by `low`; those that the query shows */
	size_t count;
};

/*
 * The causes of a profile that was opened for its causes, which must outlive them. `word`: as
 * in counted_init, for what missed. Release with causes_release. Returns -1 with *err: memory ran
 * out, or no row has the name.
 */
int causes_init(struct causes *c, const struct profile *p, const struct query *q, enum causes_by by,
		const char *word, struct err *err);
void causes_release(struct causes *c);

#endif
