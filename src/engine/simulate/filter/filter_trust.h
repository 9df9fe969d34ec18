/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which accesses the filter variant's code takes to be aligned. Nearly all are: so their code asks,
 * and has nothing for the case that they are not. It branches to a byte of its own look then that
 * no instruction begins with, and the fault makes the block be translated anew, with code for both
 * cases where that instruction is. (Of 5,000 to 88,000 accesses of sizes up to eight bytes that
 * python3, perl, xz, sqlite3 and cc1 had translated, 46 to 205 were ever not aligned.)
 *
 * Under the translate lock.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_TRUST_H
#define DWELL_ENGINE_SIMULATE_FILTER_TRUST_H

#include <stdbool.h>
#include <stdint.h>

#define FILTER_TRAP 0x06 /* the third byte of FILTER_CELLS: no opcode of 64-bit code */

/* Is the instruction at pc one whose accesses have been aligned so far? */
bool filter_trusts(uint64_t pc);
/* No more. */
void filter_distrust(uint64_t pc);

#endif
