/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The formats of dwell export. A format is one file with one function, export_NAME, and a row here.
 * The command takes names, help and completion from the rows.
 */
#ifndef DWELL_EXPORT_FORMATS_H
#define DWELL_EXPORT_FORMATS_H

#include "export/columns.h"
#include "export/proto.h"
#include "export/stacks.h"

/*
 * All formats, in the order of help; each with its name and properties (struct export_format).
 *
 * callgrind: for callgrind_annotate and KCachegrind. Measured columns are written as they are, and
 * derived ones as formulas if they are sums of events, each times a whole number. Each other column
 * gets a line in `notes`.
 * folded: "main;work;read 1234", whole numbers of one column, a line for each stack with any
 * speedscope: JSON of speedscope's file format, a profile for each column
 * pprof: profile.proto, gzipped; each column is a sample type; leaves have lines and addresses
 * csv, json: a row for each line of each function (of each process), all columns
 */
/* clang-format off */
#define EXPORT_FORMATS(row) \
	row(callgrind, .has_parts = true, \
	    .mark = "# callgrind format\nversion: 1\ncreator: dwell") \
	row(folded, .has_stacks = true, .of_one_event = true, .inlined_are_called = true) \
	row(speedscope, .has_stacks = true, .inlined_are_called = true, \
	    .mark = "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"," \
		    "\"exporter\":\"dwell") \
	row(pprof, .has_stacks = true, .is_binary = true, .mark = PROTO_GZIP_COMMENT, \
	    .mark_at = PROTO_GZIP_COMMENT_AT) \
	row(csv, .mark = "function,file,line,object,") \
	row(json, .mark = "{\n  \"command\": ")
/* clang-format on */

/* Input and output of a format's writer. */
struct export_job {
	struct export_data data;
	struct export_columns columns;
	struct stacks stacks; /* if has_stacks */
	bool apart;	      /* each process and thread is a part; if has_parts */
	struct text out;
	struct text notes; /* sentences for the user, a line each */
};

struct export_format {
	const char *name;
	/* Appends to `out`. Returns -1 when memory runs out, or what the format cannot hold. */
	int (*write)(struct export_job *j, struct err *err);
	bool has_parts;
	bool has_stacks;
	bool of_one_event; /* a file holds one event only; by default the profile's primary one */
	bool inlined_are_called; /* shows inlined functions as calls, as it has no other way */
	bool is_binary;
	/* What each file has at the byte `mark_at`; NULL: lines of a text and a number. */
	const char *mark;
	size_t mark_at;
};

/*
 * Tell whether the file that begins with these bytes may be one of the format. export replaces no
 * others unasked.
 */
bool export_is_of_format(const struct export_format *f, const char *bytes, size_t count);

#define EXPORT_DECLARED(name, ...) int export_##name(struct export_job *j, struct err *err);
EXPORT_FORMATS(EXPORT_DECLARED)
#undef EXPORT_DECLARED

#endif
