/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses and references by data structure of a sampled simulation, as estimates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "store/events.h"
#include "store/stretches.h"

static uint64_t scaled(uint64_t count, double scale)
{
	return (uint64_t)((double)count * scale + 0.5);
}

static double rho_of(const struct profile *p, const char *cache)
{
	for (size_t i = 0; i < PROFILE_BOUNDS && p->bounds[i].cache != NULL; i++)
		if (strcmp(p->bounds[i].cache, cache) == 0)
			return p->bounds[i].rho;
	return TRACE_SAMPLE_RHO;
}

/* See profile.h. An access that was unknown above, too, counts with the product of both rho. */
static void estimate(const struct profile *p, struct store_bin *b, bool is_code, double scale)
{
	const double rho = rho_of(p, b->cache), above = rho_of(p, is_code ? "L1i" : "L1d");
	const uint64_t known = scaled(b->misses - b->unknown - b->above, scale),
		       all = scaled(b->unknown + b->above, scale);
	const uint64_t part =
		(uint64_t)ceil(scale * rho * ((double)b->unknown + above * (double)b->above));

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

static size_t index_of(const struct profile *p, int64_t process)
{
	size_t i = 0;

	while (i < p->process_count && p->processes[i].id != process)
		i++;
	return i;
}

/* Count the stretches, and the accesses in them by process. They are sorted by both numbers. */
static void count_stretches(struct profile *p, const struct store_stretch *x, size_t count,
			    uint64_t *simulated)
{
	for (size_t i = 0; i < count; i++) {
		const size_t process = index_of(p, x[i].process_id);

		if (process == p->process_count || (i > 0 && x[i].number == x[i - 1].number &&
						    x[i].process_id == x[i - 1].process_id))
			continue;
		simulated[process] += x[i].accesses;
		p->stretches++;
	}
}

/* A process without a stretch has nothing to multiply. */
static void set_scales(struct profile *p, const uint64_t *simulated)
{
	uint64_t all = 0, accesses = 0;

	for (size_t i = 0; i < p->process_count; i++) {
		const struct store_process *x = &p->processes[i];

		if (p->scope != STORE_ALL && x->id != p->scope)
			continue;
		all += simulated[i];
		accesses += x->accesses;
		p->scales[i] = (double)p->sets;
		if (simulated[i] > 0)
			p->scales[i] *= (double)x->accesses / (double)simulated[i];
	}
	if (accesses > 0)
		p->simulated = (double)all / (double)accesses;
	p->stretches = all > 0 ? p->stretches : 0;
}

const struct trace_sample_bounds *profile_bounds(const struct profile *p, const char *cache)
{
	for (size_t i = 0; i < PROFILE_BOUNDS && p->bounds[i].cache != NULL; i++)
		if (strcmp(p->bounds[i].cache, cache) == 0)
			return &p->bounds[i].of;
	return NULL;
}

static int find_rho(const struct profile *p, const struct store_stretch *x, size_t count,
		    struct profile_bounds *b, struct err *err)
{
	const struct store_stretch sum = store_stretch_sums(x, count, b->cache);
	struct trace_sample all = {sum.misses, sum.unknown, sum.above, sum.late,
				   sum.half,   sum.timed,   sum.dead,  sum.dead_late};

	if (store_read_ways(p->store, b->cache, &all.ways, err) != 0)
		return -1;
	b->rho = trace_sample_rho(&all);
	return 0;
}

/* What the stretches say about the caches. */
static int find_bounds(struct profile *p, const struct store_stretch *x, size_t count,
		       struct err *err)
{
	static const char *const names[] = {"L1d", "L1i", "L2", "L3", "L4", "LL"};
	struct profile_bounds *b = p->bounds;
	struct store_series s;
	int status = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && p->stretches > 0 && status == 0;
	     i++) {
		if (store_stretch_series(x, count, (const char *const[]){names[i], NULL}, &s,
					 err) != 0)
			return -1;
		if (s.count > 0) {
			b->cache = names[i];
			status = find_rho(p, x, count, b, err);
			trace_sample_bounds(&b->of, s.known, s.all, s.accesses, s.count,
					    p->simulated);
			b->of.known.sum *= (double)p->sets;
			b->of.all.sum *= (double)p->sets;
			b++;
		}
		free(s.known);
	}
	return status;
}

static int read_stretches(struct profile *p, struct err *err)
{
	uint64_t *simulated = calloc(p->process_count, sizeof(*simulated));
	struct store_stretch *x = NULL;
	size_t count = 0;
	int status;

	p->scales = calloc(p->process_count, sizeof(*p->scales));
	if (simulated == NULL || p->scales == NULL)
		status = err_set(err, "not enough memory for %zu processes", p->process_count);
	else
		status = store_read_stretches(p->store, p->scope, &x, &count, err);
	if (status == 0) {
		count_stretches(p, x, count, simulated);
		set_scales(p, simulated);
		status = find_bounds(p, x, count, err);
	}
	free(x);
	free(simulated);
	return status;
}

static bool is_code(const struct profile *p, int64_t structure)
{
	const size_t at = profile_structure(p, structure);

	return at != SIZE_MAX && strcmp(p->structures[at].kind, "code") == 0;
}

/* Of the process that has the structure. */
static double scale_of(const struct profile *p, int64_t structure)
{
	const size_t at = profile_structure(p, structure);
	const size_t process =
		at != SIZE_MAX ? index_of(p, p->structures[at].process_id) : p->process_count;

	return process < p->process_count ? p->scales[process] : 1;
}

int profile_sample_bins(struct profile *p, struct err *err)
{
	if (read_sets(p, err) != 0 || read_stretches(p, err) != 0)
		return -1;
	if (p->stretches == 0 && p->sets == 1)
		return 0;
	for (size_t i = 0; i < p->bin_count; i++) {
		const int64_t structure = p->bins[i].structure_id;

		estimate(p, &p->bins[i], is_code(p, structure), scale_of(p, structure));
	}
	return 0;
}

void profile_sample_evictions(struct profile *p)
{
	struct store_eviction *e = p->evictions;

	if (p->stretches == 0 && p->sets == 1)
		return;
	for (size_t i = 0; i < p->eviction_count; i++)
		e[i].misses = scaled(e[i].misses, scale_of(p, e[i].structure_id));
}
