/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of cells, where it cannot lie in one piece.
 *
 * Code reads the table of cells by a 32-bit address. So the table has one place in the address
 * space, of 8 TB. Where the program, its layout or a limit leaves no such room, the table lies in
 * pieces. A piece has the cells of 256 MB of the program's memory, and all else that is kept by
 * line. It lies anywhere, and moves if the program wants its place.
 *
 *   piece:  | cells of data | those of code, by line | those of LL | TLB's: data | code |
 *
 * FILTER_OFFSETS has a number for each 256 MB: what makes cells of the whole table those of the
 * piece. Code adds it; misses go to C. A region without a piece has that of the empty one, which
 * is zero and cannot be written.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_PIECES_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_PIECES_H

#include "engine/simulate/state/filter.h"

/* Begin. False: no address space. */
bool filter_pieces_begin(void);
/* Was there no address space for a piece? Then lines of several regions share cells. */
bool filter_pieces_failed(void);
/* Does one lie in [start, end)? */
bool filter_pieces_overlap(uint64_t start, uint64_t end);
/*
 * Move those there elsewhere. `moved` is called for each, with the addresses that it had, and how
 * far it has moved. False: no address space.
 */
bool filter_pieces_move(uint64_t start, uint64_t end,
			void (*moved)(uint64_t low, uint64_t high, uint64_t by));
void filter_pieces_release(void);

#endif
