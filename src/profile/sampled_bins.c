/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses and references by data structure of a sampled simulation, as estimates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/trace_sample.h"
#include "profile/profile.h"
#include "store/events.h"
#include "store/stretches.h"

static uint64_t scaled(uint64_t count, double scale)
{
	return (uint64_t)((double)count * scale + 0.5);
}

/* See profile.h. An access that was unknown above, too, counts with the product of both rho. */
static void estimate(struct store_bin *b, double scale)
{
	const uint64_t known = scaled(b->misses - b->unknown - b->above, scale),
		       all = scaled(b->unknown + b->above, scale);
	const uint64_t part =
		(uint64_t)ceil(scale * TRACE_SAMPLE_RHO *
			       ((double)b->unknown + TRACE_SAMPLE_RHO * (double)b->above));

	b->cold = scaled(b->cold, scale);
	b->by_self = scaled(b->by_self, scale);
	b->misses = (known > b->cold + b->by_self ? known : b->cold + b->by_self) + part;
	b->unknown = part;
	b->above = all > part ? all - part : 0;
}

/* Of "1/8,3" the 8. */
static int read_sets(struct profile *p, struct err *err)
{
	struct store_geometry *g;
	size_t count;

	p->sets = 1;
	if (store_read_geometry(p->store, &g, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (strcmp(g[i].name, "sets") == 0 && strncmp(g[i].value, "1/", 2) == 0)
			p->sets = strtoull(g[i].value + 2, NULL, 10);
	p->sets += p->sets == 0;
	free(g);
	return 0;
}

static int read_stretches(struct profile *p, struct err *err)
{
	struct store_stretch *x;
	uint64_t simulated = 0;
	size_t count;

	if (store_read_stretches(p->store, p->process->id, &x, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && x[i].number == x[i - 1].number)
			continue;
		simulated += x[i].accesses;
		p->stretches++;
	}
	free(x);
	if (p->process->accesses > 0)
		p->simulated = (double)simulated / (double)p->process->accesses;
	p->stretches = simulated > 0 ? p->stretches : 0;
	return 0;
}

static double scale_of(const struct profile *p)
{
	return (double)p->sets / (p->stretches > 0 ? p->simulated : 1);
}

int profile_sample_bins(struct profile *p, struct err *err)
{
	if (read_sets(p, err) != 0 || read_stretches(p, err) != 0)
		return -1;
	if (p->stretches == 0 && p->sets == 1)
		return 0;
	for (size_t i = 0; i < p->bin_count; i++)
		estimate(&p->bins[i], scale_of(p));
	return 0;
}

void profile_sample_evictions(struct profile *p)
{
	for (size_t i = 0; i < p->eviction_count; i++)
		p->evictions[i].misses = scaled(p->evictions[i].misses, scale_of(p));
}
