/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sampled part of a run; see sampled.h. */
#include "profile/sampled.h"

#include <stdlib.h>

/* Periods grow, and the end of the last one is unknown: it may last this many periods. */
#define LAST_PERIODS 2

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

int sampled_init(struct sampled *s, const struct store_window *windows, size_t count,
		 uint64_t accesses)
{
	uint64_t end = 0, before = 0, left_out = 0;
	size_t i;

	*s = (struct sampled){.left_out = calloc(count + 1, sizeof(*s->left_out)),
			      .accesses = accesses};
	if (s->left_out == NULL)
		return -1;
	for (i = 0; i < count; i++) {
		const struct store_window *w = &windows[i];

		/* The rest of the previous period, and the part of this one before its window. */
		left_out += above(above(w->start, end), before + above(w->stands_for, w->length));
		s->left_out[i] = left_out;
		end = w->start + w->length;
		before = above(w->stands_for, w->length);
	}
	if (count > 0)
		left_out +=
			above(above(accesses, end), LAST_PERIODS * windows[count - 1].stands_for);
	s->is_part = left_out > 0;
	s->accesses = above(accesses, left_out);
	return 0;
}

uint64_t sampled_place(const struct sampled *s, int64_t window, uint64_t position)
{
	return above(position, s->left_out[window]);
}

void sampled_release(struct sampled *s)
{
	free(s->left_out);
	*s = (struct sampled){0};
}
