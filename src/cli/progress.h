/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line on a terminal's stderr that shows, after the first second, that a command is still
 * working. It is cleared before other output.
 */
#ifndef DWELL_CLI_PROGRESS_H
#define DWELL_CLI_PROGRESS_H

/* `what`: the command's name. Does nothing where stderr is no terminal. */
void progress_begin(const char *what);

/* Clear the line and stop writing it; may be called again. */
void progress_end(void);

#endif
