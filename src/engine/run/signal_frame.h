/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of the target's signal handlers, bit for bit as the kernel's, and its alternate stack. */
#ifndef DWELL_ENGINE_RUN_SIGNAL_FRAME_H
#define DWELL_ENGINE_RUN_SIGNAL_FRAME_H

#include "engine/core/frame.h"
#include "engine/core/state.h"

/*
 * Write the frame of a signal, and set the registers to those that the handler begins with. Returns
 * 0, or -1 if there is no room for it; then nothing has changed.
 */
int signal_frame_build(struct thread *t, const struct kernel_sigaction *a, int signal,
		       const siginfo_t *info);
/*
 * Load the state from the frame that a handler returns to; *mask becomes the frame's. Returns 0, or
 * -1 if the kernel would not accept it.
 */
int signal_frame_load(struct thread *t, uint64_t *mask);
/* Store t's registers as the kernel does. */
void signal_frame_context(const struct thread *t, struct frame_context *c);
/* The system call. */
long signal_frame_altstack(struct thread *t, uint64_t ss, uint64_t old);
/* Restores the upper half of ymm15 from memory, where xmm15 is the target's already. */
void signal_frame_put_upper_half(const struct thread *t, const struct frame_ucontext *uc);

#endif
