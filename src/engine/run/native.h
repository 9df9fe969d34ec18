/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of translation while the program runs on: each thread leaves the engine for good, at its
 * pc, with all of its registers, its signal mask and its alternate stack as the program has them.
 * For what the engine cannot follow, as a program that owns %gs.
 *
 * What has been recorded is kept. Programs that the process executes from then on run unprofiled.
 * A thread in a system call leaves when that returns; a signal that comes meanwhile has its handler
 * run on the engine's stack.
 */
#ifndef DWELL_ENGINE_RUN_NATIVE_H
#define DWELL_ENGINE_RUN_NATIVE_H

#include "engine/core/state.h"

/*
 * t is outside of the code cache, holds no lock, and is to go on at t->rip. From here on threads
 * leave in the dispatcher. `note` goes into the profile. False in a vfork child, whose memory is
 * its parent's: nothing has happened then.
 */
bool native_begin(struct thread *t, const char *note);

/*
 * t begins in a process of its own that shares this one's memory: it leaves at once. For tracers
 * that stop the threads of their own program (clone with CLONE_UNTRACED), which may hold locks of
 * the engine then.
 */
__attribute__((noreturn)) void native_leave_child(struct thread *t);

/* t leaves, at t->rip, or in the handler of the signal that is noted. */
__attribute__((noreturn)) void native_leave(struct thread *t);

#endif
