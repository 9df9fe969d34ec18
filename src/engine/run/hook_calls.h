/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code calls the engine without leaving the code cache. */
#ifndef DWELL_ENGINE_RUN_HOOK_CALLS_H
#define DWELL_ENGINE_RUN_HOOK_CALLS_H

#include "engine/core/state.h"
#include "engine/translate/hooks.h"

void hook_calls_answer(struct thread *t, const struct hook_frame *f, uint64_t rbp);

#endif
