/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages about requests (--start-at and others) that the run did not meet. */
#ifndef DWELL_COLLECTOR_TARGET_OUTCOME_H
#define DWELL_COLLECTOR_TARGET_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "channel/channel.h"

/*
 * Append a line, with its line end, for each unmet request to `lines`. The run lasted run_ns. Of
 * the header, only the engines' outcome for the config's functions and marks is read. `samples`:
 * the number of samples, or of simulated pieces of code. `was_stopped`: 'dwell stop' ended
 * profiling.
 */
void outcome_print(const struct channel_config *c, const struct channel_header *h, uint64_t run_ns,
		   uint64_t samples, bool was_stopped, struct text *lines);

#endif
