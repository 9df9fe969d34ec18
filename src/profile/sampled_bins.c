/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses and references by data structure of a sampled simulation, as estimates. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
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

/* ---- Cold misses of stretches ---- */

/* Of a structure in a cache: what its bins have seen; misses, and cold ones, of all bins. */
struct lines_of {
	int64_t structure;
	const char *cache;
	double seen[STORE_SEEN];
	double misses, cold;
};

static int compare_lines(const void *a, const void *b)
{
	const struct lines_of *x = a, *y = b;

	if (x->structure != y->structure)
		return x->structure < y->structure ? -1 : 1;
	return strcmp(x->cache, y->cache);
}

/* One for each structure and cache, in their order; NULL: no memory. */
static struct lines_of *sum_lines(const struct profile *p, size_t *count)
{
	struct lines_of *x = calloc(p->bin_count + 1, sizeof(*x));
	size_t used = 0;

	for (size_t i = 0; x != NULL && i < p->bin_count; i++) {
		const struct store_bin *b = &p->bins[i];

		x[i] = (struct lines_of){.structure = b->structure_id, .cache = b->cache};
		for (size_t k = 0; k < STORE_SEEN; k++)
			x[i].seen[k] = (double)b->seen[k];
	}
	if (x != NULL)
		qsort(x, p->bin_count, sizeof(*x), compare_lines);
	for (size_t i = 0; x != NULL && i < p->bin_count; i++) {
		if (used == 0 || compare_lines(&x[used - 1], &x[i]) != 0) {
			x[used++] = x[i];
			continue;
		}
		for (size_t k = 0; k < STORE_SEEN; k++)
			x[used - 1].seen[k] += x[i].seen[k];
	}
	*count = used;
	return x;
}

static struct lines_of *find_lines(struct lines_of *x, size_t count, int64_t structure,
				   const char *cache)
{
	const struct lines_of key = {.structure = structure, .cache = cache};

	const size_t found = SEARCH_MATCH(i, count, compare_lines(&x[i], &key));

	return found < count ? &x[found] : NULL;
}

/*
 * Each line of a structure is cold once. A bin has as many of these as it was the first to see of
 * them. What it missed otherwise is divided as before.
 */
static void estimate_cold(const struct profile *p, struct store_bin *b, struct lines_of *x,
			  struct profile_spread *spread)
{
	const struct trace_sample_lines found = trace_sample_lines(x->seen, p->simulated);
	const double all = (double)p->sets * found.lines;
	const double part = x->seen[0] > 0 ? (double)p->sets * (double)b->seen[0] / x->seen[0] : 0;
	const double lines = x->seen[0] > 0 ? (double)b->seen[0] * all / x->seen[0] : 0;
	const uint64_t rest = b->misses - b->cold,
		       cold = lines < (double)rest ? (uint64_t)(lines + 0.5) : rest;
	const double kept = rest > 0 ? 1 - (double)cold / (double)rest : 0;

	b->cold += cold;
	spread->cold_low = part * found.low;
	spread->cold_high = part * found.high;
	b->by_self = (uint64_t)((double)b->by_self * kept);
	b->unknown = (uint64_t)((double)b->unknown * kept);
	x->misses += (double)rest;
	x->cold += (double)cold;
}

/* What a miss that was evicted stands for, if some are cold: for each structure and cache. */
static int keep_shares(struct profile *p, const struct lines_of *x, size_t count, struct err *err)
{
	p->cold_shares = calloc(count + 1, sizeof(*p->cold_shares));
	if (p->cold_shares == NULL)
		return err_set(err, "not enough memory for %zu data structures", count);
	p->cold_share_count = count;
	for (size_t i = 0; i < count; i++)
		p->cold_shares[i] = (struct profile_cold_share){
			x[i].structure, x[i].cache, x[i].misses > 0 ? x[i].cold / x[i].misses : 0};
	return 0;
}

static int find_cold(struct profile *p, struct err *err)
{
	size_t count;
	struct lines_of *x = sum_lines(p, &count);
	int status;

	if (x == NULL)
		return err_set(err, "not enough memory for %zu instructions", p->bin_count);
	for (size_t i = 0; i < p->bin_count; i++) {
		struct store_bin *b = &p->bins[i];
		struct lines_of *of = find_lines(x, count, b->structure_id, b->cache);

		if (of != NULL)
			estimate_cold(p, b, of, &p->bin_spreads[i]);
	}
	status = keep_shares(p, x, count, err);
	free(x);
	return status;
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
	trace_sample_find_range(&b->of, &all, b->rho);
	return 0;
}

/* Uses up the series. */
static void find_spread(const struct profile *p, struct profile_bounds *b, struct store_series *s)
{
	const double sets = (double)p->sets, above = b->rho * rho_of(p, "L1d");
	double unknown = 0, behind = 0;

	for (size_t i = 0; i < s->count; i++) {
		unknown += s->unknown[i];
		behind += s->above[i];
	}
	for (size_t i = 0; i < s->count; i++)
		s->known[i] += b->rho * s->unknown[i] + above * s->above[i];
	trace_sample_bounds(&b->of, s->known, s->accesses, s->count, p->simulated);
	b->of.variance *= sets * sets;
	b->of.most *= sets;
	trace_sample_add_unknown(&b->of, &(struct trace_sample_rhos){b->rho, above},
				 unknown * sets / p->simulated, behind * sets / p->simulated);
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
			find_spread(p, b, &s);
			b++;
		}
		free(s.known);
	}
	return status;
}

static void find_lengths(struct profile *p, const struct store_stretch *x, size_t count)
{
	for (size_t i = 0; i < p->process_count; i++) {
		const struct store_lengths l = store_stretch_lengths(x, count, p->processes[i].id);

		static_assert(STORE_CONTRASTS == TRACE_SAMPLE_CONTRASTS, "the same contrasts");
		p->lengths[i].accesses = l.accesses;
		memcpy(p->lengths[i].contrasts, l.contrasts, sizeof(l.contrasts));
	}
}

static int read_stretches(struct profile *p, struct err *err)
{
	uint64_t *simulated = calloc(p->process_count, sizeof(*simulated));
	struct store_stretch *x = NULL;
	size_t count = 0;
	int status;

	p->scales = calloc(p->process_count, sizeof(*p->scales));
	p->lengths = calloc(p->process_count, sizeof(*p->lengths));
	if (simulated == NULL || p->scales == NULL || p->lengths == NULL)
		status = err_set(err, "not enough memory for %zu processes", p->process_count);
	else
		status = store_read_stretches(p->store, p->scope, &x, &count, err);
	if (status == 0) {
		count_stretches(p, x, count, simulated);
		set_scales(p, simulated);
		find_lengths(p, x, count);
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

/* The index of the process that has the structure, or `process_count`. */
static size_t process_of(const struct profile *p, int64_t structure)
{
	const size_t at = profile_structure(p, structure);

	return at != SIZE_MAX ? index_of(p, p->structures[at].process_id) : p->process_count;
}

static double scale_of(const struct profile *p, int64_t structure)
{
	const size_t process = process_of(p, structure);

	return process < p->process_count ? p->scales[process] : 1;
}

/* ---- How estimates spread ---- */

static int compare_contrasts(const void *a, const void *b)
{
	const struct store_contrasts *x = a, *y = b;

	if (x->structure_id != y->structure_id)
		return x->structure_id < y->structure_id ? -1 : 1;
	if (x->location_id != y->location_id)
		return x->location_id < y->location_id ? -1 : 1;
	return strcmp(x->cache, y->cache);
}

/* Of what a structure has missed: contrasts of the run. */
static void spread(const struct profile *p, int64_t structure, const struct trace_sample_part *x,
		   struct profile_spread *to)
{
	const size_t process = process_of(p, structure);

	if (process < p->process_count)
		trace_sample_add(to->contrasts, x, &p->lengths[process], p->scales[process]);
}

/* Before estimates take the place of what was counted. */
static void spread_bin(const struct profile *p, const struct store_bin *b,
		       const struct store_contrasts *c, struct profile_spread *to)
{
	const double rho = rho_of(p, b->cache),
		     above = rho_of(p, is_code(p, b->structure_id) ? "L1i" : "L1d"),
		     all = (double)(b->unknown + b->above),
		     misses = rho * ((double)b->unknown + above * (double)b->above);

	to->known = ((double)b->misses - all) * scale_of(p, b->structure_id);
	spread(p, b->structure_id,
	       &(struct trace_sample_part){.known = c->known,
					   .unknown = c->unknown,
					   .rho = all > 0 ? misses / all : 0,
					   .misses = (double)b->misses - all + misses},
	       to);
}

static int spread_bins(struct profile *p, struct err *err)
{
	static const struct store_contrasts none;
	struct store_contrasts *all = NULL;
	size_t count = 0;

	p->bin_spreads = calloc(p->bin_count + 1, sizeof(*p->bin_spreads));
	p->pool = calloc(1, sizeof(*p->pool));
	if (p->bin_spreads == NULL || p->pool == NULL)
		return err_set(err, "not enough memory for %zu instructions", p->bin_count);
	if (store_read_contrasts(p->store, p->scope, &all, &count, err) != 0)
		return -1;
	if (count > 0)
		qsort(all, count, sizeof(*all), compare_contrasts);
	for (size_t i = 0; i < p->bin_count; i++) {
		const struct store_bin *b = &p->bins[i];
		const struct store_contrasts key = {.structure_id = b->structure_id,
						    .location_id = b->location_id,
						    .cache = b->cache};
		const size_t found = SEARCH_MATCH(k, count, compare_contrasts(&all[k], &key));

		spread_bin(p, b, found < count ? &all[found] : &none, &p->bin_spreads[i]);
	}
	free(all);
	return 0;
}

int profile_sample_bins(struct profile *p, struct err *err)
{
	if (read_sets(p, err) != 0 || read_stretches(p, err) != 0)
		return -1;
	if (p->stretches == 0 && p->sets == 1)
		return 0;
	if (p->stretches > 0 && spread_bins(p, err) != 0)
		return -1;
	for (size_t i = 0; i < p->bin_count; i++) {
		const int64_t structure = p->bins[i].structure_id;

		estimate(p, &p->bins[i], is_code(p, structure), scale_of(p, structure));
	}
	return p->stretches > 0 ? find_cold(p, err) : 0;
}

/* In the order of the shares. */
static int compare_shares(const void *a, const void *b)
{
	const struct profile_cold_share *x = a, *y = b;

	if (x->structure != y->structure)
		return x->structure < y->structure ? -1 : 1;
	return strcmp(x->cache, y->cache);
}

static double cold_share(const struct profile *p, const struct store_eviction *e)
{
	const struct profile_cold_share key = {e->structure_id, e->cache, 0};
	const struct profile_cold_share *all = p->cold_shares;
	const size_t found = SEARCH_MATCH(i, p->cold_share_count, compare_shares(&all[i], &key));

	return found < p->cold_share_count ? all[found].share : 0;
}

static void spread_eviction(const struct profile *p, const struct store_eviction *e, double kept,
			    struct profile_spread *to)
{
	static const int64_t none[STORE_CONTRASTS];

	spread(p, e->structure_id,
	       &(struct trace_sample_part){
		       .known = e->contrasts, .unknown = none, .misses = (double)e->misses},
	       to);
	for (size_t k = 0; k < TRACE_SAMPLE_CONTRASTS; k++)
		to->contrasts[k] *= kept;
}

int profile_sample_evictions(struct profile *p, struct err *err)
{
	struct store_eviction *e = p->evictions;

	if (p->stretches == 0 && p->sets == 1)
		return 0;
	if (p->stretches > 0) {
		p->eviction_spreads = calloc(p->eviction_count + 1, sizeof(*p->eviction_spreads));
		if (p->eviction_spreads == NULL)
			return err_set(err, "not enough memory for %zu evictions",
				       p->eviction_count);
	}
	for (size_t i = 0; i < p->eviction_count; i++) {
		const double kept = 1 - cold_share(p, &e[i]);

		if (p->eviction_spreads != NULL)
			spread_eviction(p, &e[i], kept, &p->eviction_spreads[i]);
		e[i].misses = scaled(e[i].misses, scale_of(p, e[i].structure_id) * kept);
	}
	return 0;
}
