/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether what was asked of sampling has come to pass, in sentences. */
#ifndef DWELL_COLLECTOR_TARGET_OUTCOME_H
#define DWELL_COLLECTOR_TARGET_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "channel/channel.h"

/*
 * The run has ended after run_ns, and its engines have left in the channel's header what has come
 * of the functions and marks of the config: of the header nothing else is looked at. `samples` is
 * how many samples, or simulated pieces of code, there are, `was_stopped` whether 'dwell stop'
 * came. Appends a line, with its end, for each wish that was not met; nothing when all is as asked.
 */
void outcome_print(const struct channel_config *c, const struct channel_header *h, uint64_t run_ns,
		   uint64_t samples, bool was_stopped, struct text *lines);

#endif
