/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns of rows. Each type of row has a table of its columns, and the writers of text, CSV and
 * JSON know rows only by these tables.
 */
#ifndef DWELL_ANSWER_COLUMNS_H
#define DWELL_ANSWER_COLUMNS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answer/figures.h"
#include "model/model.h"

#define COLUMN_WORDS 2 /* for may_cut: not a name, so the end is cut */

/* The content of a column, which decides its form in each format. */
enum unit {
	UNIT_TEXT,     /* words */
	UNIT_COUNT,    /* whole; "12,345" in text */
	UNIT_NUMBER,   /* whole; digits only in all formats */
	UNIT_BYTES,    /* whole; "64 KB" in text */
	UNIT_SHARE,    /* of one; "12.30 %" in text */
	UNIT_RATIO,    /* of one; "0.0012 %" in text, with two significant digits */
	UNIT_MISSES,   /* of one; in a text "0.123 %", for comparisons */
	UNIT_POINTS,   /* the same with its sign: "+0.004 %" */
	UNIT_FACTOR,   /* "0.73" in text */
	UNIT_TRAFFIC,  /* bytes per access; "12.3 B" in text */
	UNIT_INTERVAL, /* for text: "2.9 - 3.5 %" */
	UNIT_EVENT,    /* how many events: in a text "1,326,305", or "0.01234"; "-" where NAN */
	UNIT_CHANGE,   /* the same with its sign: "+1,234" */
	UNIT_GROWTH,   /* of one; in a text "+5.22 %", or "new": infinite */
	UNIT_ADDRESS,  /* whole; in CSV "0x401136" */
	UNIT_TRUTH,    /* in a text "yes" or "no", in CSV 1 or 0 */
	UNIT_LIST,     /* for JSON: any value */
	UNITS
};

/* A cell. The unit decides which member is set. */
struct value {
	bool is_missing;  /* empty in text and CSV, null in JSON */
	bool is_estimate; /* in a text "~" follows */
	union {
		const char *text; /* NULL: missing */
		uint64_t whole;
		double real; /* NAN: missing, but for events */
		bool truth;
		const struct model_ratio *ratio;
		json_t *list; /* taken over by the writer */
	};
	struct text *made; /* for a getter that composes its text; empty before */
	size_t number;	   /* that of the column */
};

struct column {
	const char *title; /* in text */
	const char *key;   /* in CSV and JSON */
	enum unit unit;
	void (*get)(const void *row, struct value *v); /* NULL: the value is a member of the row */
	size_t offset, bytes;			       /* of the member, by COLUMN_MEMBER */
	unsigned may_cut; /* true: on narrow terminals; or COLUMN_WORDS */
	bool to_right;	  /* text that is a figure */
	bool is_optional; /* JSON omits a missing value */
	bool zero_is_missing;
	bool is_kind;	     /* names the section of a file: others are of the same */
	bool adds_up;	     /* the sum of rows is one of such rows together */
	unsigned precise;    /* digits in CSV; 0: the default */
	const char *missing; /* in texts; NULL: nothing */
	size_t number;	     /* tells columns apart that share a getter */
	const char *prefix;  /* of the key in CSV; NULL: none */
	const char *group;   /* in JSON: the object that it is in; NULL: that of the row */
};

/* `get`, offset and bytes for a member: a text, a double, or an unsigned whole number. */
#define COLUMN_MEMBER(type, member) NULL, offsetof(type, member), sizeof(((const type *)0)->member)

/* Columns in the order of one format, from one table, or from several whose rows begin alike. */
struct column_list {
	const struct column *const *items;
	size_t count;
};

/* COLUMN_LIST(&table[A], &table[B]): valid in the enclosing block. */
#define COLUMN_LIST(...)                                                                   \
	(&(const struct column_list){(const struct column *const[]){__VA_ARGS__},          \
				     sizeof((const struct column *const[]){__VA_ARGS__}) / \
					     sizeof(struct column *)})

/* A cell; `made` is emptied, and holds the text if the getter composes one. */
struct value column_value(const struct column *c, const void *row, struct text *made);
/* Whether the value is whole, and not real. */
bool column_is_whole(const struct column *c);

/*
 * The words of a cell: `figure`, or what the value has, for which `made` is room. NULL: it has
 * none.
 */
const char *column_words(const struct column *c, const void *row, struct text *made,
			 char figure[FIGURE_BYTES]);

/* The cell of a column in a text. */
void columns_cell(const struct column *c, const void *row, struct text *out);

/* Add a value that is not missing to CSV; set it in the JSON object of its row. */
void value_csv(const struct column *c, const struct value *v, struct text *out);
void value_json(const struct column *c, const struct value *v, json_t *object);

/* Add the heading of a CSV file; add a row. */
void columns_csv_head(const struct column_list *l, struct text *out);
void columns_csv_row(const struct column_list *l, const void *row, struct text *out);

/* Make an object, or add members to one. */
json_t *columns_json(const struct column_list *l, const void *row);
void columns_json_put(const struct column_list *l, const void *row, json_t *object);

#endif
