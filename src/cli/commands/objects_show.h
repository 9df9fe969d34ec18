/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What dwell objects shows, for other commands. */
#ifndef DWELL_CLI_COMMANDS_OBJECTS_SHOW_H
#define DWELL_CLI_COMMANDS_OBJECTS_SHOW_H

#include "cli/options.h"

/* Returns the exit status. */
int objects_show(const struct options *o);

#endif
