/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A few of the offsets at which an instruction has missed in a data structure, spread evenly over
 * its misses: struct bin_range does not tell fields of arrays inside of arrays apart.
 */
#ifndef DWELL_ENGINE_SIMULATE_WHOSE_PLACES_H
#define DWELL_ENGINE_SIMULATE_WHOSE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "channel/bin.h"

bool places_start(uint32_t most_bins);

/* Make memory for the next bin. */
bool places_grow(void);

/* Keep the offset of a miss. Returns how many of the bin's next ones are not kept. */
uint16_t places_take(uint32_t bin, uint64_t offset);

void places_copy(uint32_t bin, struct bin_places *out);
void places_clear(uint32_t bin);

#endif
