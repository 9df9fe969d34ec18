/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "model/parts.h"

static int by_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

size_t placed_most(const struct model_input *in)
{
	size_t most = 0, from = 0;

	for (size_t at = 0; at <= in->sample_count; at++)
		if (at == in->sample_count || in->samples[at].window != in->samples[from].window) {
			most = at - from > most ? at - from : most;
			from = at;
		}
	return most;
}

size_t placed_take(const struct model_input *in, size_t *i, struct placed *out)
{
	uint32_t window = in->samples[*i].window;
	uint64_t start = in->windows[window].start;
	size_t count = 0;

	for (; *i < in->sample_count && in->samples[*i].window == window; ++*i) {
		const struct model_sample *s = &in->samples[*i];
		uint64_t at = s->position - start;

		if (s->position < start || s->position == 0)
			continue;
		out[count++] = (struct placed){at, at + s->distance + 1, (double)s->distance,
					       model_speaks_for(in, s), s->reused};
	}
	qsort(out, count, sizeof(*out), by_place);
	return count;
}

size_t placed_before(const struct placed *p, size_t count, uint64_t at)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
