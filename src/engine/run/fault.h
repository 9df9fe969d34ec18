/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The handler that the kernel calls for every signal the engine has taken over. */
#ifndef DWELL_ENGINE_RUN_FAULT_H
#define DWELL_ENGINE_RUN_FAULT_H

#include "engine/codecache/cache.h"
#include "engine/codecache/insn_map.h"
#include "engine/core/frame.h"
#include "engine/core/state.h"

void fault_signal_handler(int signal, siginfo_t *info, struct frame_ucontext *uc);

#endif
