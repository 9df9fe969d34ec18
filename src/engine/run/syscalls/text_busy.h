/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that is being executed cannot be opened for writing. The kernel keeps that for the
 * engine's own file, as it is what it has executed; so for the program's the engine does, within
 * its process. Of other processes it knows nothing.
 */
#ifndef DWELL_ENGINE_RUN_TEXT_BUSY_H
#define DWELL_ENGINE_RUN_TEXT_BUSY_H

#include "engine/core/state.h"

/* Start-up: the program's file. */
void text_busy_init(long fd);

/*
 * An open, openat, openat2, creat or truncate is about to be made, with these arguments, as the
 * kernel gets them. Returns 0, or the error that it fails with, as the file is the program's:
 * -ETXTBSY, or whatever comes before that.
 */
long text_busy(long nr, const long args[6]);

#endif
