/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sampled part of a run; see sampled.h. */
#include "profile/sampled.h"

/* Periods grow, and the end of the last one is unknown: it may last this many periods. */
#define LAST_PERIODS 2

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

uint64_t sampled_accesses(const struct store_window *windows, size_t count, uint64_t accesses)
{
	uint64_t end = 0, before = 0, left_out = 0;

	for (size_t i = 0; i < count; i++) {
		const struct store_window *w = &windows[i];

		/* The rest of the previous period, and the part of this one before its window. */
		left_out += above(above(w->start, end), before + above(w->stands_for, w->length));
		end = w->start + w->length;
		before = above(w->stands_for, w->length);
	}
	if (count > 0)
		left_out +=
			above(above(accesses, end), LAST_PERIODS * windows[count - 1].stands_for);
	return above(accesses, left_out);
}
