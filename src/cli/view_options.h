/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common parts of the commands that show profiles, for their lists `uses`: options with the same
 * meaning, the choice of format, and the sentence about words.
 */
#ifndef DWELL_CLI_VIEW_OPTIONS_H
#define DWELL_CLI_VIEW_OPTIONS_H

#define VIEW_INPUT                                \
	{OPTION_INPUT, .shown = DEFAULT_PROFILE}, \
	{                                         \
		OPTION_FORMAT, .usual = "text"    \
	}

/* The choice of rows. */
#define VIEW_SHOWN            \
	{OPTION_FOCUS},       \
	{                     \
		OPTION_IGNORE \
	}

/* The cache for which samples are evaluated. */
#define VIEW_CACHE {OPTION_CACHE_SIZE, .shown = "the level whose misses cost most"}, VIEW_SETS
#define VIEW_SETS                                         \
	{OPTION_POLICY, .usual = "random"},               \
	{                                                 \
		OPTION_WAYS, .shown = "fully associative" \
	}
#define VIEW_MACHINE                                                         \
	{OPTION_LINE_BYTES, .shown = "those recorded, 64"},                  \
	{                                                                    \
		OPTION_CACHES, .shown = "those of the machine that recorded" \
	}

#define VIEW_OTHER                        \
	{OPTION_NO_PAGER}, {OPTION_HELP}, \
	{                                 \
		OPTION_VERSION            \
	}

/* Options that event profiles do not take. */
#define VIEW_OF_SAMPLES \
	OPTION_CACHE_SIZE, OPTION_POLICY, OPTION_WAYS, OPTION_LINE_BYTES, OPTION_CACHES

/* Text below the options of a command that takes a profile and a name. */
#define VIEW_WORDS                                                                     \
	"A word that ends in .db, or that names a profile, is the profile, unless -i " \
	"names one."

#endif
