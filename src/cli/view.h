/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands that show a profile have in common: options, opening, output, pager. */
#ifndef DWELL_CLI_VIEW_H
#define DWELL_CLI_VIEW_H

#include <argp.h>

#include "base/text.h"
#include "cli/options.h"
#include "profile/profile.h"
#include "views/table.h"

struct view {
	struct view_options common;   /* -i, --format */
	int64_t process;	      /* order number, or STORE_NONE; the last one */
	int64_t processes[VIEW_MOST]; /* all, as the inputs of common */
	size_t process_count;
	uint64_t line_bytes; /* 0: as recorded */
	const char *machine; /* NULL: the one that recorded */
	struct profile_cache caches[PROFILE_CACHES]; /* its */
};

/* view_argp and --process ID; its input is a struct view. */
extern const struct argp process_argp;

/* The same, --line BYTES and --caches, for views of one line size. */
extern const struct argp line_argp;

/*
 * Open the profile that the options name, call print with the command's own
 * options, close. Returns the exit code that print returned, or another after saying why.
 */
int view_run(const struct view *v, int (*print)(const void *options, const struct profile *p),
	     const void *options);

/*
 * Open one of several profiles, with the line size that the options name. Returns 0, or the exit code
 * after saying why not; then *p owns nothing.
 */
int view_open(const struct view *v, const char *input, int64_t process, struct profile *p);

/* The terminal behind stdout: COLUMNS, NO_COLOR, TERM and the locale's encoding are respected. */
struct display view_display(void);

/*
 * The end of a view, whose last step returned `status`: write `out`, which it
 * releases, through $PAGER on a terminal; or say *err. Returns an exit code.
 */
int view_show(struct text *out, int status, const struct err *err);

/* A size given to an option of the command, at least one byte; a usage error ends the program. */
uint64_t view_parse_size(const char *text, struct argp_state *state);

/* A whole number given to the option named, min <= n <= max; a usage error ends the program. */
uint64_t view_parse_count(const char *name, const char *text, uint64_t min, uint64_t max,
			  struct argp_state *state);

/* What views of code and data have alike: the cache that ranks, how much is shown, and of what. */
struct view_choice {
	uint64_t size_bytes; /* 0: the default */
	uint64_t rows;
	const char *name;     /* NULL: everything */
	const char *takes;    /* what a name is, for a sentence: "file or function"; NULL: there is none */
	const char *rows_are; /* the long name of -n */
};

enum { VIEW_KEY_SIZE = 's', VIEW_KEY_ROWS = 'n' };

/* For a command's parser: these two, and the name. Returns ARGP_ERR_UNKNOWN for other keys. */
error_t view_parse_choice(struct view_choice *c, int key, char *arg, struct argp_state *state);

/* As many lines as there are; a line each on stderr, "dwell: " in front. Releases notes. */
void view_notes(struct text *notes);

#endif
