/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that read the Callgrind format. */
#ifndef DWELL_IMPORT_CALLGRIND_PRIVATE_H
#define DWELL_IMPORT_CALLGRIND_PRIVATE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/map.h"
#include "base/text.h"
#include "import/sink.h"

/* Each kind of names has its own compression. */
enum name_kind {
	NAME_FILE,
	NAME_FUNCTION,
	NAME_OBJECT,
	NAME_KINDS,
};

struct names {
	struct map by_number[NAME_KINDS]; /* "(5)" -> the string's number */
	bool has_contexts; /* a quote in a function's name begins its recursion or caller */
};

void names_release(struct names *n);

/*
 * Read "name", "(5) name" or "(5)". "???" and the empty name are SINK_UNKNOWN, except for
 * functions.
 */
int names_read(struct names *n, struct sink *sink, enum name_kind kind, const char *text,
	       size_t *name, struct err *err);

/*
 * The node of a function with the file's name, which may include contexts. *is_recursive: it is
 * called while active. *name: the name without the text after the quote.
 */
int names_node(struct names *n, struct sink *sink, const struct sink_function *f, int64_t *node,
	       size_t *name, bool *is_recursive, struct err *err);

/* The full name of an event of Valgrind's tools; NULL for other events. */
const char *callgrind_describe(const char *event);

#define BLANKS	   " \t\r"
#define MAX_EVENTS 256 /* in the header, including derived ones */

/* The meaning of the next line with positions. */
enum pending {
	PENDING_NONE, /* its own costs */
	PENDING_CALL,
	PENDING_JUMP,
	PENDING_CONDITIONAL_JUMP,
};

struct position {
	uint64_t address, line;
};

struct reader {
	FILE *in;
	const char *name; /* of the file */
	uint64_t line_number;
	char *line; /* without its end; in `text` */
	struct text text;
	struct sink sink;
	struct names names;
	struct text *notes;
	char creator[64];

	/* The columns of the profile; fixed at the first line of a body. */
	struct store_event events[MAX_EVENTS];
	size_t event_count;
	size_t measured;
	bool events_fixed;
	struct arena texts;

	/* The current part. */
	uint32_t pid;
	int64_t thread;
	const char *command;
	bool has_process;		   /* sink.process is the process of this pid */
	size_t columns[STORE_MAX_COLUMNS]; /* for each column of the part: that of the profile */
	size_t column_count;
	bool has_address, has_line, has_block;
	uint64_t sums[STORE_MAX_COLUMNS];    /* sums of costs, for the line "totals" */
	bool has_costs;			     /* there were costs since the last totals */
	uint64_t summary[STORE_MAX_COLUMNS]; /* by column of the part, from the line "summary" */
	bool has_summary;

	/* The next line: its names, and the base of relative positions. */
	size_t object, file;
	struct position at;
	int64_t node; /* STORE_NONE: no function yet */
	size_t function;

	/* For calls and jumps. */
	size_t called_object, called_file;
	int64_t called; /* STORE_NONE: not given */
	bool called_is_recursive;
	size_t jump_file, jump_function;
	enum pending pending;
	uint64_t count, executed;
	struct position target;

	struct store_process *processes;
	size_t process_count, process_room;
};

/* Not given for a called function, or a jump's target: the same as the current one. */
#define NOT_SAID ((size_t)-3)

/*
 * Handlers of lines, by their first word. `value` is the rest, without leading blanks. Return 0, or
 * -1 with *err set. Lines of the header:
 */
int on_version(struct reader *r, const char *value, struct err *err);
int on_creator(struct reader *r, const char *value, struct err *err);
int on_pid(struct reader *r, const char *value, struct err *err);
int on_thread(struct reader *r, const char *value, struct err *err);
int on_command(struct reader *r, const char *value, struct err *err);
int on_description(struct reader *r, const char *value, struct err *err);
int on_positions(struct reader *r, const char *value, struct err *err);
int on_events(struct reader *r, const char *value, struct err *err);
int on_event(struct reader *r, const char *value, struct err *err);
int on_summary(struct reader *r, const char *value, struct err *err);
int on_totals(struct reader *r, const char *value, struct err *err);

/* Lines of the body that set the current names, */
int on_object(struct reader *r, const char *value, struct err *err);
int on_file(struct reader *r, const char *value, struct err *err);
int on_function(struct reader *r, const char *value, struct err *err);
int on_called_object(struct reader *r, const char *value, struct err *err);
int on_called_file(struct reader *r, const char *value, struct err *err);
int on_called_function(struct reader *r, const char *value, struct err *err);
int on_jump_file(struct reader *r, const char *value, struct err *err);
int on_jump_function(struct reader *r, const char *value, struct err *err);

/* and those for calls and jumps, whose position is in the next line. */
int on_calls(struct reader *r, const char *value, struct err *err);
int on_jump(struct reader *r, const char *value, struct err *err);
int on_conditional_jump(struct reader *r, const char *value, struct err *err);
int on_position_line(struct reader *r, struct err *err); /* r->line begins with a position */

/* Call this before the first line of a body, and after another part's header. */
int begin_body(struct reader *r, struct err *err);

const char *skip_blanks(const char *at);

/* Read a number, decimal or hexadecimal. Returns the text after it, or NULL. */
const char *read_count(const char *at, uint64_t *n);

#endif
