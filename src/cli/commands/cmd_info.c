/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell info: what a profile holds. */
#include "cli/view.h"

static const struct option_use uses[] = {
	{OPTION_INPUT, .shown = DEFAULT_PROFILE},
	{OPTION_FORMAT, .usual = "text"},
	{OPTION_NO_PAGER},
	{OPTION_HELP},
	{OPTION_VERSION},
	{0},
};

const struct command command_info = {
	.words = WORDS_PROFILE,
	.summary = "show what a profile holds",
	.options =
		{
			.name = "info",
			.arguments = "[FILE]",
			.doc = "Show what a profile holds.",
			.uses = uses,
		},
};
