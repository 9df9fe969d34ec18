/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The handler that the kernel calls for every signal the engine has taken over. */
#ifndef DWELL_ENGINE_FAULT_H
#define DWELL_ENGINE_FAULT_H

#include "engine/frame.h"
#include "engine/state.h"

void fault_signal_handler(int signal, siginfo_t *info, struct frame_ucontext *uc);

#endif
