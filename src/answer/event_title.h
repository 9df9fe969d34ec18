/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run of an event profile in words: its command, its end, its totals. */
#ifndef DWELL_ANSWER_EVENT_TITLE_H
#define DWELL_ANSWER_EVENT_TITLE_H

#include "base/text.h"
#include "events/event_columns.h"
#include "events/events.h"

/* Add the command, the number of processes, and the other tool that counted, if any; not fitted. */
void event_put_command(const struct event_profile *p, struct text *out);

/* Add how and when the run ended, without a line end; nothing if unknown. */
void event_put_end(const struct event_profile *p, struct text *out);

/* Add "Events by function: ./prog ..." and the totals: lines of an answer. */
void event_title(const struct event_profile *p, const struct event_columns *c, const char *what,
		 struct text *out);

#endif
