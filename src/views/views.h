/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Views that are no answer (answer/answer.h), as text, CSV and JSON: one file for each, with its
 * prototypes here. Their data comes from estimate/ (sampled profiles) or events/ (counted events).
 *
 * All functions append to `out`. Text fits the display, and has at most `rows` or `top` rows. CSV
 * and JSON have all, or as many as query_file_rows says, and the sum of the others.
 * Those that return an int return -1 when memory runs out.
 */
#ifndef DWELL_VIEWS_VIEWS_H
#define DWELL_VIEWS_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "model/model.h"
#include "views/fit.h"

struct annotation;
struct code_data;
struct curve;
struct event_annotation;
struct profile;
struct query;
struct structures;
struct summary;

/* ---- Sampled profiles ---- */

/* `rows`: of each table after the first screen, at most; see struct cost_limit. */
struct summary_page {
	const char *file; /* the profile, as in commands */
	size_t rows;
	bool is_verbose; /* show how samples were taken */
};

int summary_text(const struct summary *s, const struct summary_page *page, const struct display *d,
		 struct text *out, struct err *err);
/* Sections, named in the first column: process, count, cache, reuse, function, line, object. */
void summary_csv(const struct summary *s, struct text *out);
int summary_json(const struct summary *s, struct text *out, struct err *err);

/*
 * `notes` gets a sentence for each source file that cannot be read, or has changed since the run;
 * the lines' figures are shown nevertheless. `all`: whole files, not only lines around those with
 * samples.
 */
int annotation_text(const struct annotation *a, bool all, const struct display *d, struct text *out,
		    struct text *notes, struct err *err);
void annotation_csv(const struct annotation *a, struct text *out);
int annotation_json(const struct annotation *a, struct text *out, struct err *err);

/*
 * The origin of the data of the `count` lines with the most misses (section 3.10 of Berg and
 * Hagersten 2005), as text below the source.
 */
int annotation_sources_text(const struct annotation *a, size_t count, const struct display *d,
			    struct text *out, struct err *err);

/*
 * A plot for the terminal, with title, axes, the machine's caches, and for several curves (up to
 * CURVE_MOST) a legend.
 */
int curve_plot(const struct curve *curves, size_t count, const struct display *d, struct text *out,
	       struct err *err);

enum top_view {
	TOP_PROCESSES,
	TOP_FUNCTIONS, /* of the profile's chosen process */
	TOP_LINES,
};

/*
 * The screen of a run in progress: a head of three lines, and at most `rows` rows of a table.
 * Functions and lines are ranked by their misses in the query's cache, or in the machine's L2.
 */
int top_text(const struct profile *p, enum top_view view, const struct query *q, size_t rows,
	     const struct display *d, struct text *out, struct err *err);

/* The same for a simulation: the data structures of the profile's chosen process. */
int top_data_text(const struct structures *s, size_t rows, const struct display *d,
		  struct text *out, struct err *err);

/* ---- Counted events ---- */

/* `all`: whole files. `notes` gets a sentence for each source file that cannot be read. */
int event_annotation_text(const struct event_annotation *a, bool all, const struct display *d,
			  struct text *out, struct text *notes, struct err *err);
void event_annotation_csv(const struct event_annotation *a, struct text *out);
/* `data`: each line gets the data that it misses on; NULL: not known. */
int event_annotation_json(const struct event_annotation *a, const struct code_data *data,
			  struct text *out, struct err *err);

/* The same for machine code, read from the executed files, if they still exist. */
int event_code_text(const struct event_annotation *a, const struct display *d, struct text *out,
		    struct text *notes, struct err *err);
void event_code_csv(const struct event_annotation *a, struct text *out);
int event_code_json(const struct event_annotation *a, const struct code_data *data,
		    struct text *out, struct err *err);

#endif
