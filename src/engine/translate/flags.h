/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which status flags may still be read: where there are none, code of ours may change them all. */
#ifndef DWELL_ENGINE_TRANSLATE_FLAGS_H
#define DWELL_ENGINE_TRANSLATE_FLAGS_H

#include "engine/decode/decode.h"

/*
 * For each of the n instructions of a block the flags that are live in front of it, INSN_FLAGS.
 * `behind`: those behind the last one. Flags are live where a branch leads out of the block, where
 * code is called and where it returns: nothing is taken from conventions of compilers.
 */
void flags_find_live(const struct insn *in, uint32_t n, uint8_t behind, uint8_t live[]);

#endif
