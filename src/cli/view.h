/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the commands that show a profile: options, opening, output, pager. */
#ifndef DWELL_CLI_VIEW_H
#define DWELL_CLI_VIEW_H

#include "answer/answer.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "profile/kinds.h"
#include "profile/profile.h"
#include "views/table.h"

/*
 * Show what the view of this name (answer/answer.h) answers to the options. Returns an exit code,
 * after printing the reason of a failure.
 */
int view_answer(const struct options *o, const char *view);
/* The same in a format of its own. */
int view_answer_as(const struct options *o, const char *view,
		   void (*write)(const struct answer *a, struct text *out));

/* Write an answer in the chosen format. Returns 0, or -1 with *err. */
int view_write(const struct options *o, const struct answer *a, struct text *out, struct err *err);

/*
 * Open the profile that the options name with these parts (enum profile_parts), call print with it,
 * close it. Returns the exit code of print, or another after printing the reason.
 */
int view_run(const struct options *o, unsigned parts,
	     int (*print)(const struct options *o, const struct profile *p));

/* The kinds of a profile; 0 if it cannot be read. Whether it has misses by data structure. */
unsigned view_kinds(const char *input);
bool view_is_counted(const char *input);

/*
 * Open one of several profiles, for the machine and line size that the options name. Returns 0, or
 * the exit code after printing the reason; then *p owns nothing.
 */
int view_open(const struct options *o, const char *input, int64_t process, unsigned parts,
	      struct profile *p);

/*
 * The properties of the terminal at stdout, from COLUMNS, NO_COLOR, TERM and the locale's encoding.
 */
struct display view_display(void);

/*
 * End a view whose last step returned `status`: write `out`, through a pager on a terminal, or
 * print *err. Releases `out`. Returns an exit code.
 */
int view_show(struct text *out, int status, const struct err *err);

/* Print each line of the notes on stderr, after "dwell: ". Releases the notes. */
void view_notes(struct text *notes);

#endif
