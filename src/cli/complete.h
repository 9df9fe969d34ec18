/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwell complete: candidates for the last word of a command line. Hidden: the shells' completion
 * scripts call it. Each candidate is a line, with its description behind a tab. ":files" and
 * ":command" mean that file names, or a command to run, are candidates, too.
 */
#ifndef DWELL_CLI_COMPLETE_H
#define DWELL_CLI_COMPLETE_H

#include "options/option.h"

/* The words behind "dwell"; the last one, which may be empty, is to be completed. */
int complete_words(int count, char **words);

/*
 * Offer names from a profile that begin with the prefix, each with `lead` in front. Nothing where
 * the profile cannot be read.
 */
void complete_names(enum option_names names, const char *profile, const char *lead,
		    const char *prefix);

/* Print a candidate with `lead` in front. description: may be NULL. */
void complete_offer(const char *lead, const char *candidate, const char *description);

#endif
