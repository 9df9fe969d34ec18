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
 * Open the profile that the options name, call print with them, close. Returns the exit code that
 * print returned, or another after saying why.
 */
int view_run(const struct options *o,
	     int (*print)(const struct options *o, const struct profile *p));

/* The same for views that show exact curves, too. */
int view_run_exact(const struct options *o,
		   int (*print)(const struct options *o, const struct profile *p));

/*
 * Open one of several profiles, with the machine and the line size that the options name. Returns
 * 0, or the exit code after saying why not; then *p owns nothing.
 */
int view_open(const struct options *o, const char *input, int64_t process, struct profile *p);
int view_open_exact(const struct options *o, const char *input, int64_t process, struct profile *p);

/* The terminal behind stdout: COLUMNS, NO_COLOR, TERM and the locale's encoding are respected. */
struct display view_display(void);

/*
 * The end of a view, whose last step returned `status`: write `out`, which it
 * releases, through a pager on a terminal; or say *err. Returns an exit code.
 */
int view_show(struct text *out, int status, const struct err *err);

/* Print each line of notes on stderr with "dwell: " in front. Releases notes. */
void view_notes(struct text *notes);

#endif
