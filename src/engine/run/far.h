/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Far returns, iret, and far calls and jumps through memory that stay in the code segment. They are
 * rare: the thread leaves the cache for each.
 */
#ifndef DWELL_ENGINE_RUN_FAR_H
#define DWELL_ENGINE_RUN_FAR_H

#include "engine/core/state.h"

/*
 * Emulate the far transfer at t->rip. Returns false and does nothing if it is no far transfer,
 * leads to another segment, or would fault: then the processor must execute it.
 */
bool far_transfer(struct thread *t);

#endif
