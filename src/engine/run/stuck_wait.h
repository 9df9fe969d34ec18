/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for memory: for a thread that was called out of a page fault (core/stuck.h). */
#ifndef DWELL_ENGINE_RUN_STUCK_WAIT_H
#define DWELL_ENGINE_RUN_STUCK_WAIT_H

#include "engine/core/state.h"

/*
 * Wait as the instruction at t->rip would for the memory that it touches, until a signal comes.
 * Called outside of the code cache, without locks. False: the memory is not known.
 */
bool stuck_wait(struct thread *t);

#endif
