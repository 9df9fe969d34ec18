/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwell complete: what the last word of a command line may become. Hidden: the completions of the
 * shells ask it. A line for each candidate, with a tab and what it is; ":files" and ":command" say
 * that names of files, and a command to run, may stand there as well.
 */
#ifndef DWELL_CLI_COMPLETE_H
#define DWELL_CLI_COMPLETE_H

#include "options/option.h"

/* The words behind "dwell"; the last one, which may be empty, is to be completed. */
int complete_words(int count, char **words);

/*
 * Names that begin with the prefix, from a profile, each with `lead` in front. Nothing where it
 * cannot be read.
 */
void complete_names(enum option_names names, const char *profile, const char *lead,
		    const char *prefix);

/* One candidate; `lead` stands in front of it, description: NULL or what it is. */
void complete_offer(const char *lead, const char *candidate, const char *description);

#endif
