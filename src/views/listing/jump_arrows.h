/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrows beside a listing, from the rows that jump to the rows that are jumped to. */
#ifndef DWELL_VIEWS_LISTING_JUMP_ARROWS_H
#define DWELL_VIEWS_LISTING_JUMP_ARROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "events/event_code.h"

#define JUMP_LANES 8 /* arrows beside each other; further ones are left out */

/*
 * Give each a lane, JUMP_LANES where none is left: short ones near the listing. Sorts them.
 * Returns how many lanes are used.
 */
unsigned jump_arrows_place(struct jump_arrow *arrows, size_t count);

/* The part of the drawing that stands before the row: `lanes` + 2 characters. */
void jump_arrows_put(const struct jump_arrow *arrows, size_t count, unsigned lanes, size_t row,
		     bool unicode, struct text *out);

#endif
