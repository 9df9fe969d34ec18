/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many lines were last touched after a time, by the weights of far lines (far_lines.h). These
 * are added up in cells of time by their last touch, at several levels: cells of a level are eight
 * times as long as those of the one below. Each level keeps the latest cells only, so that what is
 * long ago is known as well in proportion, and at any length of a run. Pure.
 */
#ifndef DWELL_ENGINE_SAMPLE_FAR_CELLS_H
#define DWELL_ENGINE_SAMPLE_FAR_CELLS_H

#include <stdint.h>

#include "channel/channel.h"

#define FAR_CELL_LOG2 12u /* accesses of a cell of the first level */
#define FAR_LEVELS    8u  /* the last one's cells reach back 2^39 accesses */
#define FAR_CELLS     64u /* of a level, a power of two */

struct far_cells {
	uint64_t latest[FAR_LEVELS]; /* number of the last cell */
	uint64_t sum[FAR_LEVELS][FAR_CELLS][CHANNEL_FAR_SIZES];
};

void far_cells_clear(struct far_cells *c);
/* Time has come to `now`. Before the functions below. */
void far_cells_advance(struct far_cells *c, uint64_t now);
/* A line of size i and this weight, last touched at `old` (0: never), is touched at `now`. */
void far_cells_move(struct far_cells *c, uint32_t i, uint64_t weight, uint64_t old, uint64_t now);
/* The weights of other lines of size i, touched after the one with `weight`, touched at `at`. */
uint64_t far_cells_later(const struct far_cells *c, uint32_t i, uint64_t weight, uint64_t at);

#endif
