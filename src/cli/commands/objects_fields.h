/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell objects --fields: misses by data structure and field, of samples or counted. */
#ifndef DWELL_CLI_COMMANDS_OBJECTS_FIELDS_H
#define DWELL_CLI_COMMANDS_OBJECTS_FIELDS_H

#include "cli/options.h"

/* Returns the exit status. */
int objects_fields(const struct options *o);

#endif
