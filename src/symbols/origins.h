/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the value in a register comes from, by the instructions before, in their order in memory: a
 * loop or a branch may mean another one, so an answer is likely, not certain.
 */
#ifndef DWELL_SYMBOLS_ORIGINS_H
#define DWELL_SYMBOLS_ORIGINS_H

#include "symbols/frame.h"

/*
 * If the instruction stores one of the registers (a bit each, by their number in instructions) as a
 * pointer: what that points to, by the type of the place.
 */
bool origins_of_store(const struct frame *s, uint64_t at, unsigned registers, Dwarf_Die *pointee);

/* The address that the code loads into the register before the instruction, if it is a constant. */
bool origins_constant(const struct frame *s, uint64_t at, unsigned number, uint64_t *address);

#endif
