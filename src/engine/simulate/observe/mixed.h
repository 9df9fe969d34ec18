/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels (filter_references.h) of lines that several data structures share: a label for each four
 * bytes, as small blocks lie next to each other. Most memory of many programs is like that.
 *
 *   label | (bytes - 1) << 30:   the first `bytes` of the four are of that structure;
 *   0:                           unknown
 *
 * Each place of the first level has room for one line. The functions know places by number.
 */
#ifndef DWELL_ENGINE_SIMULATE_WHOSE_MIXED_H
#define DWELL_ENGINE_SIMULATE_WHOSE_MIXED_H

/* filter_miss.S reads it: labels of place p begin 8 * p bytes behind mixed_labels. */
#define MIXED_PLACE_SHIFT 3 /* from the address of a stamp */
#define MIXED_OF_ADDRESS  0x3c
#define MIXED_LABEL_BITS  30

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

#include "engine/simulate/observe/structures.h"

/* Room for so many places, whose stamps (of 8 bytes) begin at that address. False: no memory. */
bool mixed_start(uint32_t first_stamp, uint64_t places);
extern uint8_t *mixed_labels;

/* The line that has come to the place has no labels. */
void mixed_clear(uint32_t place);
/* Memory in [start, end) of the line there, which begins at `line`, has got another owner. */
void mixed_forget(uint32_t place, uint64_t line, uint64_t start, uint64_t end);
/*
 * The structure that was just found at the address has the label: so have all of its bytes in the
 * line around it, as far as they are quickly found.
 */
void mixed_set(uint32_t place, uint64_t address, const struct structure *s, uint32_t label);

#endif
#endif
