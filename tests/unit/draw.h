/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers, the same in each run; a test may set the seed. */
#ifndef DWELL_TESTS_UNIT_DRAW_H
#define DWELL_TESTS_UNIT_DRAW_H

#include <stdint.h>

static uint64_t seed = 42;

static uint64_t draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

#endif
