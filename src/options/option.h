/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of a command line, from one table. A row defines an option's name, its value, and the
 * variable for the value; a command lists the rows that it takes. So a letter or a long name means
 * the same in every command. Parsing, help, defaults, messages and completions use the same rows.
 */
#ifndef DWELL_OPTIONS_OPTION_H
#define DWELL_OPTIONS_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define OPTION_IDS 128 /* most rows of a table */

/* The type of a value, and of its variable. */
enum option_type {
	OPTION_FLAG,	/* bool: true; takes no value */
	OPTION_MARK,	/* nothing but that it is given; takes no value */
	OPTION_COUNT,	/* uint64_t from least to most */
	OPTION_PROCESS, /* int64_t: number of a process, from 0 */
	OPTION_SIZE,	/* uint64_t: bytes, such as 32K */
	OPTION_LINE,	/* uint64_t: bytes, a power of two from least to most */
	OPTION_TEXT,	/* const char *, borrowed */
	OPTION_CHOICE,	/* int: index of the choice */
	OPTION_PERCENT, /* double: a fraction, from 0 to 100 percent */
	OPTION_SECONDS, /* uint64_t: nanoseconds, from seconds; limits in milliseconds */
	OPTION_CALL,	/* parsed by `take`; called with NULL for a flag */
};

/* Candidates for completing the value. */
enum option_names {
	OPTION_NAMES_NONE,
	OPTION_NAMES_FILE,
	OPTION_NAMES_FUNCTION,
	OPTION_NAMES_OBJECT,
	OPTION_NAMES_LINE,
	OPTION_NAMES_EVENT,
	OPTION_NAMES_MACHINE,
};

struct option_row {
	const char *name;     /* long name, without dashes */
	int letter;	      /* 0: none */
	const char *argument; /* in help; NULL: the option takes no value */
	enum option_type type;
	size_t offset;	 /* of the member in option_parse's result; for a list, of its first item */
	size_t count_at; /* for a list: offset of its size_t count; 0: not a list */
	size_t room;	 /* for a list: number of items that fit */
	const char *help;
	const char *group; /* heading in help, for consecutive rows */
	/* The value of `--name` alone; others need `=` then. NULL: there is none. */
	const char *bare;
	const char *what; /* name of the value in messages; NULL: the long name */
	uint64_t least, most;
	const char *const *choices; /* ends with NULL */
	enum option_names names;
	const char *earlier; /* an old name, still accepted but not shown; or NULL */
	/*
	 * For OPTION_CALL: sets the value in option_parse's result. Returns 0, or -1 with *err set.
	 */
	int (*take)(void *into, const char *text, struct err *err);
};

struct option_table {
	const struct option_row *rows; /* by id; row 0 is unused */
	size_t count;
};

/* A row that a command takes, with its differences there. */
struct option_use {
	int id;			    /* 0: the end of the list */
	const char *usual;	    /* default value, shown in help; or NULL */
	const char *shown;	    /* shown in help instead of the default; or NULL */
	const char *const *choices; /* replace those of the row; or NULL */
	uint64_t least;		    /* replaces that of the row; or 0 */
	bool adds_up;		    /* for a list: all count; otherwise the last one */
};

struct option_command {
	const char *name;      /* "report" */
	const char *arguments; /* words besides options, for help: "[FILE]"; a line for each form */
	const char *doc;       /* for help, above the options */
	const char *notes;     /* below the options; or NULL */
	const struct option_use *uses;
	bool runs_a_command; /* options end at the first word */
};

/* Where an option was set last. */
enum option_source {
	OPTION_UNSET,
	OPTION_BY_DEFAULT,
	OPTION_BY_ENVIRONMENT,
	OPTION_BY_USER,
};

struct option_state {
	unsigned char source[OPTION_IDS];
	unsigned order[OPTION_IDS]; /* by id: place among the user's options, from 1 */
	unsigned given;
	char **words; /* arguments that are not options */
	int word_count;
	char *environment; /* memory for the texts of DWELL_OPTIONS */
};

/*
 * Read defaults, then the named environment variable, then the arguments, into `into` and *s.
 * Reorders the words of `argv`. The environment may have options of other commands, which are
 * ignored. Returns 0, or -1 with *err. Release *s with option_release.
 */
int option_parse(const struct option_table *t, const struct option_command *c,
		 const char *environment, int argc, char **argv, void *into, struct option_state *s,
		 struct err *err);
void option_release(struct option_state *s);

/* Whether the option is on the command line; or there or in the environment. */
bool option_given(const struct option_state *s, int id);
bool option_set(const struct option_state *s, int id);

/* The first option that the user gave, of a list that ends with 0. Returns 0 for none. */
int option_first(const struct option_state *s, const int *ids);

/* The command's use of the row, or NULL. */
const struct option_use *option_use_of(const struct option_command *c, int id);

/* The choices of a value in this use; NULL if it has none. */
const char *const *option_choices(const struct option_table *t, const struct option_use *u);

struct text;

/* The help of a command: "Usage: dwell NAME [OPTION...] ARGUMENTS", what it does, its options. */
void option_help(const struct option_table *t, const struct option_command *c, struct text *out);

#endif
