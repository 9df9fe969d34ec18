/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address space for the tables of bins.h. */
#ifndef DWELL_ENGINE_SIMULATE_WHOSE_ROOM_H
#define DWELL_ENGINE_SIMULATE_WHOSE_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/geometry.h"

/* log2 of the bytes of the shortest lines. */
uint32_t room_line_shift(const struct sim_geometry *g);

/*
 * With a limit: was there room for the tables of blocks, and is there for `directories` bytes, the
 * other tables, and what the engine and the program take later?
 */
bool room_is_there(uint64_t directories);

#endif
