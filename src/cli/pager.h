/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pager for output to a terminal: $DWELL_PAGER, else $PAGER, else less. */
#ifndef DWELL_CLI_PAGER_H
#define DWELL_CLI_PAGER_H

#include <stdbool.h>

#include "base/text.h"

/*
 * Show the text and wait for the pager to end. Returns false, with nothing written, if no pager can
 * be used: stdout is no terminal, the variable is empty or "cat", or the pager cannot be run.
 */
bool pager_show(const struct text *out);

/* Use no pager from now on, as with an empty DWELL_PAGER. */
void pager_forbid(void);

#endif
