/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places in the target's code that control sampling: the entries of the
 * functions start_at and stop_at, found by their names in the symbol tables of
 * the files that are mapped, those of toggles.h, and the marks of include/dwell.h, which are
 * instructions without an effect.
 */
#ifndef DWELL_ENGINE_SAMPLE_MARKS_H
#define DWELL_ENGINE_SAMPLE_MARKS_H

#include "engine/decode/decode.h"

/* A file became mapped for execution: remember where its functions of these names are. */
void marks_module(uint64_t start, uint64_t end, uint64_t offset, const char *path);
/* Is `pc` such an entry, and does it still matter? Then its block asks first: marks_entered. */
bool marks_at(uint64_t pc);
void marks_entered(struct thread *t, uint64_t pc);

/* Are these bytes a mark of the program's? Then *in is set, of kind INSN_MARK. */
bool marks_decode(struct insn *in, uint64_t pc, const uint8_t *code, uint32_t room);
/* t runs one; its registers hold the arguments. */
void marks_run(struct thread *t, const struct insn *in);

#endif
