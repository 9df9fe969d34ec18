/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwell complete: candidates for the last word of a command line. A hidden command for the shells'
 * completion scripts. Each candidate is a line, with its description after a tab. The lines
 * ":files" and ":command" add file names, or commands to run.
 */
#ifndef DWELL_CLI_COMPLETE_H
#define DWELL_CLI_COMPLETE_H

#include "options/option.h"

/* Complete the last of the words after "dwell"; it may be empty. */
int complete_words(int count, char **words);

/*
 * Offer the names in a profile that begin with the prefix, each with `lead` in front. Offers
 * nothing if the profile cannot be read.
 */
void complete_names(enum option_names names, const char *profile, const char *lead,
		    const char *prefix);

/* Print a candidate with `lead` in front. description: may be NULL. */
void complete_offer(const char *lead, const char *candidate, const char *description);

#endif
