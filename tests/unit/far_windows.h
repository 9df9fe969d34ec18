/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Windows of a profile that leave a quarter of their samples unresolved. */
#ifndef DWELL_TESTS_UNIT_FAR_WINDOWS_H
#define DWELL_TESTS_UNIT_FAR_WINDOWS_H

#include "profiles.h"

#define PER_WINDOW 200
#define LENGTH	   100000ull
#define PERIOD	   1000000ull

#define SEEN_FAR (PER_WINDOW / 4)

/*
 * Location 1 makes all reuses that are seen, at no distance; a quarter of the samples are censored. Another quarter are
 * the reuses of `seen`, if there are such: SEEN_FAR locations, at a fifth of the window's length.
 */
static inline void put_far_window(struct store *s, uint32_t window, uint64_t pages,
				  const int64_t *seen)
{
	struct store_window w = {1, window, PERIOD * window, LENGTH, PERIOD, PER_WINDOW, pages};

	assert_int_equal(store_put_window(s, &w, NULL), 0);
	for (uint32_t k = 0; k < PER_WINDOW; k++) {
		struct store_sample x = {.process_id = 1,
					 .window = window,
					 .status = k % 4 == 0,
					 .position = PERIOD * window + k,
					 .distance = k % 4 == 0 ? LENGTH - k : 0,
					 .begin = {1, 64, 8, 1, 0},
					 .end = {1, 64, 8, 1, 0}};

		if (seen != NULL && k % 4 == 1) {
			x.distance = LENGTH / 5;
			x.end.location = seen[k / 4];
		}
		if (x.status == 1)
			x.end = (struct store_access){.location = STORE_NONE};
		assert_int_equal(store_put_sample(s, &x, NULL), 0);
	}
}

/* At its end, of so many lines. */
static inline void put_far_arrival(struct store *s, uint32_t window, int64_t location,
				   uint32_t weight)
{
	const struct store_arrival a = {.process_id = 1,
					.window = window,
					.weight = weight,
					.position = PERIOD * window + LENGTH - 1,
					.end = {location, 4096, 8, 1, 0, 0, 0, 5}};

	assert_int_equal(store_put_arrival(s, &a, NULL), 0);
}

#endif
