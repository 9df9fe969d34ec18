/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The value of --allocator: FUNCTION[:ARGUMENT][,free=FUNCTION[:ARGUMENT]]. */
#ifndef DWELL_CLI_ALLOCATOR_OPTION_H
#define DWELL_CLI_ALLOCATOR_OPTION_H

#include "base/err.h"
#include "channel/channel.h"

/* Add the function to those of the run. Returns 0, or -1 with *err. */
int allocator_option_parse(struct channel_config *c, const char *arg, struct err *err);

#endif
