/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell objects on a simulation with misses by data structure. */
#ifndef DWELL_CLI_COMMANDS_OBJECTS_COUNTED_H
#define DWELL_CLI_COMMANDS_OBJECTS_COUNTED_H

#include "cli/options.h"

/* Returns the exit status. */
int objects_counted(const struct options *o);

#endif
