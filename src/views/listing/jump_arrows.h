/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrows beside a listing, from jumping rows to target rows. */
#ifndef DWELL_VIEWS_LISTING_JUMP_ARROWS_H
#define DWELL_VIEWS_LISTING_JUMP_ARROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "events/event_code.h"

#define JUMP_LANES 8 /* arrows side by side; further ones are left out */

/*
 * Give each arrow a lane, JUMP_LANES if none is left; short arrows are nearest to the listing.
 * Sorts the arrows. Returns the number of used lanes.
 */
unsigned jump_arrows_place(struct jump_arrow *arrows, size_t count);

/* Add the part of the drawing in front of the row: `lanes` + 2 characters. */
void jump_arrows_put(const struct jump_arrow *arrows, size_t count, unsigned lanes, size_t row,
		     bool unicode, struct text *out);

#endif
