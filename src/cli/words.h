/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of a command line that are no options: the profile, and what a view is about.
 *
 * Where a command takes both, a word is the profile if it ends in .db, or if there is a regular
 * file of that name which begins as a profile does; any other word is the name. With -i, each word
 * is the name.
 */
#ifndef DWELL_CLI_WORDS_H
#define DWELL_CLI_WORDS_H

#include "cli/commands.h"

/* Whether a word names a profile, by the rule above. */
bool words_is_profile(const char *word);

/* Put them into *o. Returns 0, or -1 with *err: there are too many, or none are taken. */
int words_take(const struct command *c, struct options *o, struct err *err);

#endif
