/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands share. Only this folder prints, and only main returns to the system. */
#ifndef DWELL_CLI_CLI_H
#define DWELL_CLI_CLI_H

#include "base/err.h"
#include "cli/exit_codes.h"

#ifndef DWELL_VERSION
#define DWELL_VERSION "0"
#endif

/* "dwell: sentence." on stderr; returns the code, so that commands say return cli_fail(...). */
int cli_fail(const struct err *err, int exit_code);

#endif
