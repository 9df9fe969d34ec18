/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that was called out of a page fault (core/stuck.h) waits for what it touches. */
#ifndef DWELL_ENGINE_RUN_STUCK_WAIT_H
#define DWELL_ENGINE_RUN_STUCK_WAIT_H

#include "engine/core/state.h"

/*
 * Outside of the code and of all locks: wait as the instruction at t->rip would, for the memory
 * that it touches. A signal ends that. False: it is not known what that is.
 */
bool stuck_wait(struct thread *t);

#endif
