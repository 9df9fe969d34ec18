/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Live status flags: where none is live, engine code may change them all. */
#ifndef DWELL_ENGINE_TRANSLATE_FLAGS_H
#define DWELL_ENGINE_TRANSLATE_FLAGS_H

#include "engine/decode/decode.h"

/*
 * Set live[i] to the flags that are live in front of each of the n instructions of a block.
 * `behind`: those live behind the last. All flags are live at branches out of the block, calls and
 * returns: the ABI is not relied on.
 */
void flags_find_live(const struct insn *in, uint32_t n, uint8_t behind, uint8_t live[]);

#endif
