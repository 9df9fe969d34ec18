/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which accesses the filter variant's code expects to be aligned. Nearly all are, so code only
 * tests them, and has no path for the other case: it branches to a byte that is no opcode, and the
 * fault has the block translated anew with both paths. (Of 5,000 to 88,000 accesses of up to eight
 * bytes in python3, perl, xz, sqlite3 and cc1, 46 to 205 were ever unaligned.)
 *
 * Under the translate lock.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_TRUST_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_TRUST_H

#include <stdbool.h>
#include <stdint.h>

#define FILTER_TRAP 0x06 /* the third byte of FILTER_CELLS: no opcode of 64-bit code */

/* Have all accesses of the instruction at pc been aligned so far? */
bool filter_trusts(uint64_t pc);
/* Note that one was not. */
void filter_distrust(uint64_t pc);

#endif
