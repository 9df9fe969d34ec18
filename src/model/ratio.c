/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "model/parts.h"

void ratio_add(struct ratio *r, double seen, double expected)
{
	r->seen += seen;
	r->expected += expected;
	r->seen_seen += seen * seen;
	r->seen_expected += seen * expected;
	r->expected_expected += expected * expected;
}

double ratio_drawn(const struct ratio *r, double doubt)
{
	double ratio = r->seen / r->expected, by = (ratio - 1) * (ratio - 1);
	double differ =
		r->seen_seen - 2 * ratio * r->seen_expected + ratio * ratio * r->expected_expected;

	if (by <= 0)
		return 1;
	return 1 + (ratio - 1) * by / (by + doubt * fmax(0, differ) / (r->expected * r->expected));
}
