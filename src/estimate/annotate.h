/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The misses of each line of source code. */
#ifndef DWELL_ESTIMATE_ANNOTATE_H
#define DWELL_ESTIMATE_ANNOTATE_H

#include "estimate/code.h"
#include "estimate/hot.h"

struct annotation {
	const struct profile *profile;
	const struct query *query;
	struct hot_row *rows;	    /* by file and line; function is NULL */
	struct model_ratio *ratios; /* of the rows */
	size_t count;
	struct hot_cost total; /* of the whole process */
	const char *argument;  /* the requested file or function */
	struct code code;
	struct profile_share *shares; /* of the ends, for the origin of the lines' data */
};

/*
 * The lines of the file or functions that code_find() finds for `argument`. A line has its own
 * costs, and those of code inlined into it. Release with annotation_release.
 */
int annotation_init(struct annotation *a, const struct profile *p, const struct query *q,
		    const char *argument, struct err *err);
void annotation_release(struct annotation *a);

#endif
