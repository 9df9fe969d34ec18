/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Misses by data structure and field: of samples for a cache of one size, or as a simulation has
 * counted them. members.h names the fields.
 */
#ifndef DWELL_ESTIMATE_FIELDS_FIELDS_H
#define DWELL_ESTIMATE_FIELDS_FIELDS_H

#include "estimate/counted/counted.h"
#include "estimate/data.h"

struct fields_row {
	const struct data_row *data;
	const char *field;		   /* NULL: it has none, or it cannot be told */
	const char *type;		   /* of the field; NULL: unknown */
	struct hot_cost cost;		   /* of samples */
	struct counted_misses first, last; /* counted misses */
	double cost_share;		   /* of what all misses cost */
	double sure;			   /* cycles; see counted_sure_cycles */
};

struct fields {
	struct data data;
	bool is_counted;
	struct fields_row *rows; /* most sure cost, or most misses, first */
	size_t count;
	struct arena strings;
};

/*
 * Append the name of the field on which the instruction of the bin misses in its structure, whose
 * row in a `data` of the profile is r; nothing if it has none, or cannot be told. Returns its type,
 * or NULL; the profile owns it.
 */
const char *fields_name_bin(const struct profile *p, const struct data_row *r,
			    const struct store_bin *b, struct text *out);

/*
 * The fields of a profile: by samples, or by bins, which must outlive them.
 * `q` has the cache, for samples. Release with fields_release. Returns -1 with *err when memory
 * runs out.
 */
int fields_init(struct fields *f, const struct profile *p, const struct query *q, enum data_by by,
		struct err *err);
void fields_release(struct fields *f);

#endif
