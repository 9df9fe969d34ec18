/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code that a user asks for by a word: a file, or a function. */
#ifndef DWELL_ESTIMATE_CODE_H
#define DWELL_ESTIMATE_CODE_H

#include "base/meant.h"
#include "profile/profile.h"

struct code {
	const char *file;	       /* the profile's; NULL: a function */
	struct meant function;	       /* `asked`: by the user; NULL: a file */
	uint32_t line;		       /* of the file; 0: all */
	const struct profile *profile; /* where function.is_one */
};

/*
 * Find a file by the end of its path ("walk.c", "src/walk.c"), else the functions of a name
 * ("sum", "list::sum", "list::sum(int)"). A name that is neither, or an ambiguous file, is an
 * error that names candidates. A name can stand for functions of several modules, and for variants
 * of a library's ("strcmp" for "__strcmp_evex"): where one of them makes most of their misses in
 * what q asks about, it is the one, else all are. The note of `function` says so. q NULL: all.
 */
int code_find(struct code *c, const struct profile *p, const struct query *q, const char *argument,
	      struct err *err);

/* Says that there are no samples in `argument`, and what there is near it. Returns -1. */
int code_fail_unknown(const struct profile *p, const char *argument, struct err *err);

/*
 * The innermost frame of a location that belongs to the code; NULL when the location is elsewhere.
 * So a line gets what was inlined into it from elsewhere, too.
 */
const struct store_frame *code_frame(const struct code *c, const struct store_location *l);

#endif
