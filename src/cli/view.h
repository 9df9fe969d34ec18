/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the commands that show a profile: options, opening, output, pager. */
#ifndef DWELL_CLI_VIEW_H
#define DWELL_CLI_VIEW_H

#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "profile/profile.h"
#include "views/table.h"

/*
 * Open the profile that the options name, call print with it, close it. Returns the exit code of
 * print, or another after printing the reason.
 */
int view_run(const struct options *o,
	     int (*print)(const struct options *o, const struct profile *p));

/* The same for views of misses by data structure; and of who evicted the lines. */
int view_run_bins(const struct options *o,
		  int (*print)(const struct options *o, const struct profile *p));
int view_run_causes(const struct options *o,
		    int (*print)(const struct options *o, const struct profile *p));
/* The same for views of samples, or of misses by data structure. */
int view_run_fields(const struct options *o,
		    int (*print)(const struct options *o, const struct profile *p));
/* The same for views that also show exact curves. */
int view_run_exact(const struct options *o,
		   int (*print)(const struct options *o, const struct profile *p));

/* Tell whether the profile has misses by data structure. False also if it cannot be read. */
bool view_is_counted(const char *input);

/*
 * Open one of several profiles, for the machine and line size that the options name. Returns 0, or
 * the exit code after printing the reason; then *p owns nothing.
 */
int view_open_exact(const struct options *o, const char *input, int64_t process, struct profile *p);

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
