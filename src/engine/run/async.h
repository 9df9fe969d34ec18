/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of the kernel-side handler for signals that are no faults: they are noted for the
 * dispatcher, kept for later, or they are the engine's own.
 */
#ifndef DWELL_ENGINE_RUN_ASYNC_H
#define DWELL_ENGINE_RUN_ASYNC_H

#include "engine/core/frame.h"
#include "engine/core/state.h"

/* The dispatcher is to deliver it. */
void async_note(struct thread *t, int signal, siginfo_t *info, struct frame_ucontext *uc);
/* A signal of the target's. */
void async_arrived(struct thread *t, int signal, siginfo_t *info, struct frame_ucontext *uc);
/* From here on signals come again, see rest.h. */
void async_end_rest(struct thread *t, struct frame_ucontext *uc);
/* The thread's timer. */
void async_tick(struct thread *t, const struct frame_ucontext *uc);
/* Another thread has a signal for it, see held.h. */
void async_kick(struct thread *t, struct frame_ucontext *uc);

#endif
