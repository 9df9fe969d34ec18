/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The handler that the kernel calls for every signal the engine has taken over. */
#ifndef DWELL_ENGINE_RUN_FAULT_H
#define DWELL_ENGINE_RUN_FAULT_H

#include "engine/codecache/cache.h"
#include "engine/core/frame.h"
#include "engine/codecache/insn_map.h"
#include "engine/core/state.h"

/* Where the value of register r stands. */
uint64_t *frame_register(struct frame_context *c, int r);

/*
 * The instruction whose copy holds offset `at` of the block, or NULL. *map is the block's from then
 * on.
 */
const struct insn_at *fault_find_insn(const struct block *b, uint32_t at, struct insn_map *map);

void fault_signal_handler(int signal, siginfo_t *info, struct frame_ucontext *uc);

#endif
