/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Titles that processes set: servers show the task of each worker this way. */
#ifndef DWELL_COLLECTOR_TITLE_H
#define DWELL_COLLECTOR_TITLE_H

#include <stdbool.h>
#include <stdint.h>

#define TITLE_BYTES 256 /* longer titles are cut */

/*
 * The current arguments of the process, with blanks between them. Returns false if they cannot be
 * read, or it does not run under our engine: in another PID namespace it has another pid.
 */
bool title_read(uint32_t pid, char title[TITLE_BYTES]);

#endif
