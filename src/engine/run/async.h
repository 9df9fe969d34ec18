/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The signal handler's part for asynchronous signals. A signal is noted for the dispatcher, held
 * for later, or belongs to the engine.
 */
#ifndef DWELL_ENGINE_RUN_ASYNC_H
#define DWELL_ENGINE_RUN_ASYNC_H

#include "engine/core/frame.h"
#include "engine/core/state.h"

/* Note the signal for the dispatcher to deliver. */
void async_note(struct thread *t, int signal, const siginfo_t *info);
/* Note or hold a signal sent to the target. */
void async_arrived(struct thread *t, int signal, siginfo_t *info, struct frame_ucontext *uc);
/* End a rest: let signals in again, see rest.h. */
void async_end_rest(struct thread *t, struct frame_ucontext *uc);
/* Handle the thread's timer signal. */
void async_tick(struct thread *t, const struct frame_ucontext *uc);
/* Handle a call by a thread that has a process signal for t, see held.h. */
void async_kick(struct thread *t, struct frame_ucontext *uc);

#endif
