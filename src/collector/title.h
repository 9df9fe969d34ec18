/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Titles that processes give themselves: servers show the job of each worker this way. */
#ifndef DWELL_COLLECTOR_TITLE_H
#define DWELL_COLLECTOR_TITLE_H

#include <stdbool.h>
#include <stdint.h>

#define TITLE_BYTES 256 /* longer ones are cut */

/*
 * The arguments that the process shows now, with blanks between them. False when nobody can say,
 * which is so as well when it does not run under our engine: in a PID namespace of its own it has
 * another number.
 */
bool title_read(uint32_t pid, char title[TITLE_BYTES]);

#endif
