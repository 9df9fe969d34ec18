/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of a command line from one table. A row says what an option is called, what it takes, and
 * where its value goes; a command lists the rows that it takes. So one letter and one long name
 * mean one thing in every command; parsing, help, defaults, sentences and completions read the same
 * rows.
 */
#ifndef DWELL_OPTIONS_OPTION_H
#define DWELL_OPTIONS_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define OPTION_IDS 128 /* rows of a table, at most */

/* What a value is, and the type of the member it goes to. */
enum option_type {
	OPTION_FLAG,	/* bool: true; takes no value */
	OPTION_COUNT,	/* uint64_t from least to most */
	OPTION_PROCESS, /* int64_t: order number of a process, from 0 */
	OPTION_SIZE,	/* uint64_t: bytes, as 32K */
	OPTION_LINE,	/* uint64_t: bytes, a power of two from least to most */
	OPTION_TEXT,	/* const char *, borrowed */
	OPTION_CHOICE,	/* int: which of the choices */
	OPTION_PERCENT, /* double: a fraction, of 0 to 100 percent */
	OPTION_SECONDS, /* uint64_t: nanoseconds, of seconds from least to most milliseconds */
	OPTION_CALL,	/* `take` reads it; without an argument, it is called for a flag */
};

/* What to offer where the value is to be completed. */
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
	const char *name;     /* long, without the dashes */
	int letter;	      /* 0: none */
	const char *argument; /* in help; NULL: the option takes no value */
	enum option_type type;
	size_t offset;	 /* of the member in what option_parse fills; of a list, its first item */
	size_t count_at; /* of a list: the offset of its size_t count; 0: it is no list */
	size_t room;	 /* of a list: items that fit */
	const char *help;
	const char *group; /* heading in help, of rows side by side */
	const char *what;  /* the value in a sentence; NULL: the long name */
	uint64_t least, most;
	const char *const *choices; /* ends with NULL */
	enum option_names names;
	const char *earlier; /* a name that it had: still taken, not shown; or NULL */
	/* OPTION_CALL: into what option_parse fills. Returns 0, or -1 with *err set. */
	int (*take)(void *into, const char *text, struct err *err);
};

struct option_table {
	const struct option_row *rows; /* by id; row 0 is none */
	size_t count;
};

/* A row that a command takes, and what is different there. */
struct option_use {
	int id;			    /* 0: the end of the list */
	const char *usual;	    /* the value without the option; help shows it; or NULL */
	const char *shown;	    /* what help shows instead; or NULL */
	const char *const *choices; /* fewer, or others, than those of the row; or NULL */
	uint64_t least;		    /* instead of the row's; or 0 */
	bool adds_up;		    /* of a list: each time counts; otherwise the last one */
};

struct option_command {
	const char *name;      /* "report" */
	const char *arguments; /* words besides options, for help: "[FILE]"; lines: more ways */
	const char *doc;       /* for help: what it does, above the options */
	const char *notes;     /* below the options; or NULL */
	const struct option_use *uses;
	bool runs_a_command; /* options end at the first word */
};

/* Who set an option last. */
enum option_source {
	OPTION_UNSET,
	OPTION_BY_DEFAULT,
	OPTION_BY_ENVIRONMENT,
	OPTION_BY_USER,
};

struct option_state {
	unsigned char source[OPTION_IDS];
	unsigned order[OPTION_IDS]; /* of those that the user gave, from 1 */
	unsigned given;
	char **words; /* arguments that are no options */
	int word_count;
	char *environment; /* keeps the texts of DWELL_OPTIONS */
};

/*
 * Read defaults, then the environment variable of the name, then the arguments, into `into` and *s.
 * Words of `argv` change places. The environment may have options of other commands, which are
 * ignored. Returns 0, or -1 with *err. Release *s with option_release.
 */
int option_parse(const struct option_table *t, const struct option_command *c,
		 const char *environment, int argc, char **argv, void *into, struct option_state *s,
		 struct err *err);
void option_release(struct option_state *s);

/* Whether the option is on the command line; and whether there or in the environment. */
bool option_given(const struct option_state *s, int id);
bool option_set(const struct option_state *s, int id);

/* The one that came first of those that the user gave, of a list that ends with 0; 0: none. */
int option_first(const struct option_state *s, const int *ids);

/* How the command uses the row; NULL: it does not. */
const struct option_use *option_use_of(const struct option_command *c, int id);

/* Which choices a value has there; NULL: it is no choice. */
const char *const *option_choices(const struct option_table *t, const struct option_use *u);

struct text;

/* The help of a command: "Usage: dwell NAME [OPTION...] ARGUMENTS", what it does, its options. */
void option_help(const struct option_table *t, const struct option_command *c, struct text *out);

#endif
