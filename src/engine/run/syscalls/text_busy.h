/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that is being executed cannot be opened for writing. The kernel protects the engine's
 * file, which it has executed. The engine protects the program's file, within its process only.
 */
#ifndef DWELL_ENGINE_RUN_SYSCALLS_TEXT_BUSY_H
#define DWELL_ENGINE_RUN_SYSCALLS_TEXT_BUSY_H

#include "engine/core/state.h"

/* At start: note the program's file. */
void text_busy_init(long fd);

/*
 * Check an open, openat, openat2, creat or truncate before it is made, with the kernel's arguments.
 * Returns 0; or, for the program's file, the error: -ETXTBSY, or one that comes before it.
 */
long text_busy(long nr, const long args[6]);

#endif
