/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer of a view to a question: a title, rows with their columns, and facts beside them.
 * Text, CSV and JSON are written from it (views/answer_print.h); it knows none of them.
 */
#ifndef DWELL_ANSWER_ANSWER_H
#define DWELL_ANSWER_ANSWER_H

#include <jansson.h>

#include "answer/rows.h"
#include "base/text.h"
#include "estimate/subset.h"
#include "profile/profile.h"

#define ANSWER_TABLES	5
#define BAR_LABEL_BYTES (3 * FIGURE_BYTES)

/* What a view is asked. All that it points to outlives the answer. */
struct question {
	const char *file; /* the profile */
	const struct query *query;
	const struct profile_cache *caches; /* of the query's machine */
	const char *word;		    /* a name to choose rows by; NULL: none */
	bool has_policy;		    /* the query's replacement policy was asked for */
	const uint64_t *sizes;		    /* of caches, in bytes; none: the view's choice */
	size_t size_count;
	uint32_t small_line;	    /* bytes: a line size to compare with */
	enum subset_kind part_kind; /* of a part of the accesses, by name; NULL: all */
	const char *part;
	int by, sites_by; /* indices into the choices of the view's options */
};

/* Bars for text, each of two parts that are shares of one whole. */
struct bars {
	const char *title, *dark, *light; /* what they are */
	const struct bar {
		char label[BAR_LABEL_BYTES];
		double dark, light;
		bool follows_gap; /* some are left out before it */
	} * items;
	size_t count;
};

/* It points into itself: no copies. Zero before; release with answer_release. */
struct answer {
	struct text title;   /* lines for people; empty: none */
	struct text notes;   /* lines below it, each a note */
	size_t title_indent; /* of what continues a line */
	union {
		struct {
			struct rows rows, second;
		};
		struct rows tables[ANSWER_TABLES]; /* in each format for which they have columns */
	};
	struct bars bars;     /* below them in text */
	size_t usual_rows;    /* of text, unless the question says; 0: all */
	json_t *head, *about; /* members of the JSON object before and after rows; NULL: none */
	struct text told;     /* how the question was understood: lines for stderr */
	struct text remarks;  /* lines for people, after the rows */
	struct text details;  /* more of them, which are not broken */

	bool is_question_wrong; /* if it fails: not the profile, but what was asked */
	struct profile profile; /* what the rows point into; closed with the answer */
	void *held;		/* the same, by the view */
	void (*release)(void *held);
};

/*
 * Tell whether the view, or command, shows profiles of the kind of this file. Returns 0, also if
 * the file cannot be read; or -1 with a sentence why not.
 */
int answer_takes(const char *view, const char *file, struct err *err);

/* Answer a question to the view of this name. Returns 0, or -1 with *err. */
int answer_init(struct answer *a, const char *view, const struct question *q, struct err *err);
void answer_release(struct answer *a);

/* ---- For views ---- */

/*
 * Marks in lines for people: a space at which a line is not broken; and around a name of code that
 * may be very long, and is shortened then.
 */
#define ANSWER_STAY "\x1f"
#define ANSWER_NAME "\x1e"

/* Add words of the profile to lines for people; NULL: none. */
void answer_words(struct text *out, const char *words);

/* Open a->profile with these parts for the question's process, machine and line size. */
int answer_open(struct answer *a, const struct question *q, unsigned parts, struct err *err);

/* Memory of zeros for a view, which `release` gets when it is set; NULL with *err. */
void *answer_hold(struct answer *a, size_t bytes, struct err *err);

/*
 * All views, and the kinds of profile that they show (profile/kinds.h). The function of each fills
 * an answer, and returns 0, or -1 with *err.
 */
/* clang-format off */
#define VIEWS(row) \
	row(bins, KIND_BINS) \
	row(causes, KIND_BINS) \
	row(code, KINDS_RECORDED) \
	row(code_list, KINDS_RECORDED) \
	row(fields, KINDS_RECORDED | KIND_BINS) \
	row(info, ~0u) \
	row(objects, KINDS_RECORDED | KIND_BINS | KIND_CURVES) \
	row(paths, KINDS_RECORDED) \
	row(processes, KINDS_RECORDED | KINDS_COUNTED) \
	row(reuse, KINDS_RECORDED) \
	row(spatial, KINDS_RECORDED)
/* clang-format on */

#define VIEW_DECLARED(name, takes) \
	int view_##name(const struct question *q, struct answer *a, struct err *err);
VIEWS(VIEW_DECLARED)
#undef VIEW_DECLARED

#endif
