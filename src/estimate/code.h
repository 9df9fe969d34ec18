/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code that a user names: a file, or a function. */
#ifndef DWELL_ESTIMATE_CODE_H
#define DWELL_ESTIMATE_CODE_H

#include "base/meant.h"
#include "profile/profile.h"

struct code {
	const char *file;	       /* the profile's; NULL: a function */
	struct meant function;	       /* the user's name; NULL: a file */
	uint32_t line;		       /* line of the file; 0: all */
	const struct profile *profile; /* set if function.is_one */
};

/*
 * Find a file by the end of its path ("walk.c", "src/walk.c"), else functions by name ("sum",
 * "list::sum", "list::sum(int)"). Fails, with candidates, if the name is neither, or if a file is
 * ambiguous. A name can mean functions of several modules, and variants in a library ("strcmp" for
 * "__strcmp_evex"). If one of them has most of their misses in the query's cache, it is chosen,
 * else all are. The note of `function` says so. q NULL: all.
 */
int code_find(struct code *c, const struct profile *p, const struct query *q, const char *argument,
	      struct err *err);

/* Set *err: there are no samples in `argument`; names similar to it. Returns -1. */
int code_fail_unknown(const struct profile *p, const char *argument, struct err *err);

/*
 * The innermost frame of a location that belongs to the code, so that a line includes code inlined
 * into it. Returns NULL if the location is elsewhere.
 */
const struct store_frame *code_frame(const struct code *c, const struct store_location *l);

#endif
