/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether what was asked of sampling has come to pass, in sentences. */
#ifndef DWELL_COLLECTOR_OUTCOME_H
#define DWELL_COLLECTOR_OUTCOME_H

#include <stdint.h>

#include "base/text.h"
#include "channel/channel.h"

/*
 * The run has ended after run_ns, and its engines have left `marks` (enum channel_marks). Appends a
 * line, with its end, for each wish that was not met; nothing when all is as asked.
 */
void outcome_tell(const struct channel_config *c, uint32_t marks, uint64_t run_ns,
		  struct text *lines);

#endif
