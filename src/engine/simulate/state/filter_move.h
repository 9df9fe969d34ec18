/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What refers to the filter's tables, when they move; see filter_memory.h. `by`: how far; or 0. */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_MOVE_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_MOVE_H

#include <stdint.h>

#include "engine/simulate/state/filter.h"

/* Copy what the whole table of cells has to pieces; `whole`: its offsets. */
void filter_move_to_pieces(const struct filter_pieces *whole);
/* The cells at [low, high) move. */
void filter_move_cells(uint64_t low, uint64_t high, uint64_t by);
/* The whole table of LL's cells; those by page; the others. */
void filter_move_last(uint64_t by);
void filter_move_pages(uint64_t by);
void filter_move_others(uint64_t by);

#endif
