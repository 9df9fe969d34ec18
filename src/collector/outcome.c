/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of --start-at and its kin; see outcome.h. */
#include "collector/outcome.h"

static void tell_function(const char *name, uint32_t marks, uint32_t found, uint32_t entered,
			  const char *outcome, struct text *lines)
{
	if (name[0] == '\0' || (marks & entered) != 0)
		return;
	if ((marks & found) != 0)
		text_addf(lines, "function '%s' was not entered while it mattered: %s\n", name,
			  outcome);
	else
		text_addf(
			lines,
			"no function '%s' in the symbol tables of the program and its libraries: "
			"%s "
			"(inlined and stripped functions cannot be found; 'nm' lists the others)\n",
			name, outcome);
}

void outcome_tell(const struct channel_config *c, uint32_t marks, uint64_t run_ns,
		  struct text *lines)
{
	if (run_ns < c->delay_ns) {
		text_add(lines,
			 "the command ended before the delay was over: nothing was sampled\n");
		return;
	}
	if ((marks & CHANNEL_MARK_SEEN) == 0) {
		tell_function(c->start_at, marks, CHANNEL_START_FOUND, CHANNEL_START_ENTERED,
			      "nothing was sampled", lines);
		if (c->start_off && (marks & CHANNEL_START_ENTERED) == 0)
			text_add(lines, "the program did not come to a DWELL_START: nothing was "
					"sampled\n");
	}
	tell_function(c->stop_at, marks, CHANNEL_STOP_FOUND, CHANNEL_STOP_ENTERED,
		      "sampling did not end there", lines);
}
