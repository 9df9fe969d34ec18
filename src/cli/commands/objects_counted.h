/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell objects, on a simulation with misses by data structure and on others. */
#ifndef DWELL_CLI_COMMANDS_OBJECTS_COUNTED_H
#define DWELL_CLI_COMMANDS_OBJECTS_COUNTED_H

#include "cli/options.h"

/* Returns the exit status. */
int objects_counted(const struct options *o);

/* The same for any profile that has data structures. */
int objects_show(const struct options *o);

#endif
