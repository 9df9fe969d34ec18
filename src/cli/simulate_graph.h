/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the simulation of a run follows calls. */
#ifndef DWELL_CLI_SIMULATE_GRAPH_H
#define DWELL_CLI_SIMULATE_GRAPH_H

#include <argp.h>

#include "channel/channel.h"

struct simulate_graph {
	struct channel_config *config; /* that the options are written to */
	const char *first;	       /* of them that was given, or NULL */
};

/* A child for a command's argp, whose input is a struct simulate_graph. */
extern const struct argp simulate_graph_argp;

#endif
