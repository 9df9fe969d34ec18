/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which far touches are sent; see far_lines.h. Pure. */
#include "engine/core/random.h"
#include "engine/sample/far_lines.h"

#define PER (1u << 20) /* accesses, of the mean */

void far_rate_start(struct far_rate *r, uint32_t most)
{
	*r = (struct far_rate){.one_in = FAR_RATE_ONE, .most = most};
}

bool far_rate_takes(struct far_rate *r, uint64_t *rng)
{
	r->seen++;
	if (r->one_in > FAR_RATE_ONE && random_next(rng) % r->one_in >= FAR_RATE_ONE)
		return false;
	/* the weight of each is known before it comes, so that none counts too much */
	if (++r->sent % (2 * r->most) == 0)
		r->one_in *= 2;
	return true;
}

void far_rate_next(struct far_rate *r, uint64_t length, uint64_t next)
{
	uint64_t seen = length ? (uint64_t)r->seen * PER / length : r->mean;
	uint64_t one_in;

	r->mean = (r->mean + seen + 1) / 2;
	one_in = r->mean * next / PER * FAR_RATE_ONE / r->most;
	r->one_in = one_in > FAR_RATE_ONE ? one_in : FAR_RATE_ONE;
	r->seen = r->sent = 0;
}
