/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of `dwell record` that say when to sample, how often at most, and at what cost. */
#ifndef DWELL_CLI_RECORD_CONTROL_H
#define DWELL_CLI_RECORD_CONTROL_H

#include <argp.h>
#include <stdbool.h>

#include "channel/channel.h"

struct record_control {
	struct channel_config *config; /* what the options are written to; set by the parent */
	const char *first;	       /* option given, for a sentence; NULL: none */
};

/* A child of record's parser; its input is a struct record_control. */
extern const struct argp control_argp;
/* Those of them that make sense for a simulation; the same input. */
extern const struct argp simulate_control_argp;

#endif
