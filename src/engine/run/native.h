/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ending translation while the program continues: each thread leaves the engine for good, at its
 * pc, with the program's registers, signal mask and alternate stack. Used where the engine cannot
 * run the program, for example because it uses %gs.
 *
 * The records so far stay. Programs that the process executes later run unprofiled. A thread in a
 * system call leaves when the call returns; handlers of signals that arrive before then run on
 * the engine's stack.
 */
#ifndef DWELL_ENGINE_RUN_NATIVE_H
#define DWELL_ENGINE_RUN_NATIVE_H

#include "engine/core/state.h"

/*
 * Make all threads leave, each in its dispatcher. t is outside of the code cache, holds no lock,
 * and continues at t->rip. `note` goes into the profile. Returns false and does nothing in a vfork
 * child, because its memory is its parent's.
 */
bool native_begin(struct thread *t, const char *note);

/*
 * Leave at once in t, the first thread of a new process that shares this one's memory; see
 * own_tracer.h.
 */
__attribute__((noreturn)) void native_leave_child(struct thread *t);

/* Leave the engine at t->rip, or in the handler of the noted signal. */
__attribute__((noreturn)) void native_leave(struct thread *t);

#endif
