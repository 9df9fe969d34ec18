/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source code with the misses of each line, and the list of what can be shown so. */
#ifndef DWELL_REPORT_ANNOTATE_H
#define DWELL_REPORT_ANNOTATE_H

#include <jansson.h>

#include "report/code.h"
#include "report/hot.h"
#include "report/table.h"

struct annotation {
	const struct profile *profile;
	uint64_t size_bytes;
	struct hot_row *rows;	    /* by file and line; function is NULL */
	struct model_ratio *ratios; /* of the rows */
	size_t count;
	struct hot_cost total; /* of the whole process */
	const char *argument;  /* the file or function asked for */
	struct code code;
	struct shares shares; /* for the sources of its lines */
};

/*
 * The lines of a file or of functions that code_find() finds by `argument`. A line gets what it did
 * itself and what was inlined into it from elsewhere. Release with annotation_release.
 */
int annotation_init(struct annotation *a, const struct profile *p, uint64_t size_bytes,
		    const char *argument, struct err *err);
void annotation_release(struct annotation *a);

/*
 * Where the `count` lines with the most misses have their data from (section 3.10 of Berg and
 * Hagersten 2005), as a text below the source.
 */
int annotation_sources_text(const struct annotation *a, size_t count, const struct display *d,
			    struct text *out, struct err *err);

/*
 * The same, of one of the rows: an array with the places that the data comes from.
 * NULL when memory runs out.
 */
json_t *annotation_sources_json(const struct annotation *a, const struct hot_row *row);

/*
 * `notes` gets a sentence for each source file that cannot be read, or has
 * changed since the run; the lines' figures are shown all the same. `all`:
 * whole files, not only the surroundings of lines with samples.
 */
int annotation_text(const struct annotation *a, bool all, const struct display *d, struct text *out,
		    struct text *notes, struct err *err);
void annotation_csv(const struct annotation *a, struct text *out);
int annotation_json(const struct annotation *a, struct text *out, struct err *err);

/* The files and functions that could be annotated, hottest first. */
struct annotation_list {
	struct hot files, functions;
	uint64_t size_bytes;
};

int annotation_list_init(struct annotation_list *l, const struct profile *p, uint64_t size_bytes,
			 struct err *err);
void annotation_list_release(struct annotation_list *l);
int annotation_list_text(const struct annotation_list *l, size_t rows, const struct display *d,
			 struct text *out, struct err *err);
void annotation_list_csv(const struct annotation_list *l, struct text *out);
int annotation_list_json(const struct annotation_list *l, struct text *out, struct err *err);

#endif
