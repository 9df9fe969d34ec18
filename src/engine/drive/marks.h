/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places in the target's code that control sampling: the entries of the functions start_at and
 * stop_at, found in the symbol tables of mapped files; those of toggles.h; and the marks of
 * include/dwell.h, which are instructions without effect.
 */
#ifndef DWELL_ENGINE_DRIVE_MARKS_H
#define DWELL_ENGINE_DRIVE_MARKS_H

#include "engine/decode/decode.h"

/* A file was mapped for execution: note the addresses of its functions of these names. */
void marks_module(uint64_t start, uint64_t end, uint64_t offset, const char *path);
/* Is `pc` such an entry, and does it still matter? Then its block calls marks_entered first. */
bool marks_at(uint64_t pc);
void marks_entered(struct thread *t, uint64_t pc);

/* Are these bytes a mark? Then set *in, of kind INSN_MARK. */
bool marks_decode(struct insn *in, uint64_t pc, const uint8_t *code, uint32_t room);
/* t runs a mark; its registers hold the arguments. */
void marks_run(struct thread *t, const struct insn *in);

#endif
