/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of a command line that are not options: the profile, and the name of what to show.
 *
 * Where a command takes both, a word is the profile if it ends in .db, or if a regular file of that
 * name begins as a profile does. Any other word is the name. With -i, each word is the name.
 */
#ifndef DWELL_CLI_WORDS_H
#define DWELL_CLI_WORDS_H

#include "cli/commands.h"

/* Tell whether a word names a profile, by the rule above. */
bool words_is_profile(const char *word);

/*
 * Store the words in *o. Returns 0, or -1 with *err if there are too many, or the command takes
 * none.
 */
int words_take(const struct command *c, struct options *o, struct err *err);

#endif
