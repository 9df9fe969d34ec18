/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns of rows: each type of row has a table of its columns, and three writers print rows as
 * text, CSV and JSON. The writers know the rows only by these tables.
 */
#ifndef DWELL_VIEWS_COLUMNS_H
#define DWELL_VIEWS_COLUMNS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"
#include "views/table.h"

/* What a column holds; it decides how each format writes it. */
enum unit {
	UNIT_TEXT,     /* words */
	UNIT_COUNT,    /* whole; in a text "12,345" */
	UNIT_NUMBER,   /* whole, its digits in all formats */
	UNIT_BYTES,    /* whole; in a text "64 KB" */
	UNIT_SHARE,    /* of one; in a text "12.30 %" */
	UNIT_RATIO,    /* of one; in a text "0.0012 %": two digits that say something */
	UNIT_FACTOR,   /* in a text "0.73" */
	UNIT_TRAFFIC,  /* bytes per access; in a text "12.3 B" */
	UNIT_INTERVAL, /* for texts: "2.9 - 3.5 %" */
	UNIT_TRUTH,    /* for JSON */
	UNIT_LIST,     /* for JSON: whatever it is */
	UNITS
};

/* What a row has in one column: the member that belongs to the unit. */
struct value {
	bool is_missing; /* nothing in texts and CSV, null in JSON */
	union {
		const char *text; /* NULL: missing */
		uint64_t whole;
		double real; /* NAN: missing */
		bool truth;
		const struct model_ratio *ratio;
		json_t *list; /* the writer's */
	};
	struct text *made; /* where a getter may put together its text; empty before */
};

struct column {
	const char *title; /* in texts */
	const char *key;   /* in CSV and JSON */
	enum unit unit;
	void (*get)(const void *row, struct value *v); /* NULL: it is a member of the row */
	size_t offset, bytes;			       /* the member, as COLUMN_MEMBER says */
	unsigned may_cut;			       /* as of a table_column */
	bool to_right;				       /* text that is figures */
	bool is_optional;			       /* JSON leaves it out where it is missing */
	unsigned precise;			       /* digits in CSV; 0: as most */
};

/* For `get` and the two behind it: a text, a double, or a whole number without sign. */
#define COLUMN_MEMBER(type, member) NULL, offsetof(type, member), sizeof(((const type *)0)->member)

/* Some columns, in the order of one format: of one table, or of several whose rows begin alike. */
struct column_list {
	const struct column *const *items;
	size_t count;
};

/* COLUMN_LIST(&table[A], &table[B]): it lasts as long as the block around it. */
#define COLUMN_LIST(...)                                                                   \
	(&(const struct column_list){(const struct column *const[]){__VA_ARGS__},          \
				     sizeof((const struct column *const[]){__VA_ARGS__}) / \
					     sizeof(struct column *)})

/* A table with these columns, and a row of it. */
struct table *columns_table(const struct column_list *l, const struct display *d);
void columns_table_row(const struct column_list *l, struct table *t, const void *row);

/* Lines of CSV: the keys, and a row. */
void columns_csv_head(const struct column_list *l, struct text *out);
void columns_csv_row(const struct column_list *l, const void *row, struct text *out);

/* A new object, or members added to one. */
json_t *columns_json(const struct column_list *l, const void *row);
void columns_json_put(const struct column_list *l, const void *row, json_t *object);

#endif
