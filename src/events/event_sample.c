/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Estimates for the whole run from a part of its accesses; see event_sample.h. */
#include "events/event_sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "events/event_contrasts.h"
#include "events/events.h"
#include "store/stretches.h"

#define NAME_BYTES 8

/* The letters of events. */
const struct event_sample_level event_sample_levels[EVENT_SAMPLE_LEVELS] = {
	{'1', "L1d", "L1i"}, {'2', "L2", "L2"}, {'3', "L3", "L3"},
	{'4', "L4", "L4"},   {'L', "LL", "LL"},
};

#define LEVELS EVENT_SAMPLE_LEVELS
#define KINDS  EVENT_SAMPLE_KINDS

/* The letters before and behind the level's: of fetches, loads and stores. */
static const struct kind {
	char of, how;
} kinds[KINDS] = {{'I', 'r'}, {'D', 'r'}, {'D', 'w'}};

static size_t find(const struct event_profile *p, const char *name)
{
	for (size_t i = 0; i < p->measured; i++)
		if (strcmp(p->columns[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

/* what: 'm' misses, 'u' unknown references, 'a' misses behind one above. */
static size_t find_event(const struct event_profile *p, const struct kind *k, char level, char what)
{
	const char name[NAME_BYTES] = {k->of, level, what, k->how};

	return find(p, name);
}

/* NULL: there is no such cache, or the simulation was of all accesses. */
static const struct event_sample_cache *cache_named(const struct event_profile *p, const char *name)
{
	for (size_t i = 0; i < p->sample.cache_count; i++)
		if (strcmp(p->sample.caches[i].name, name) == 0)
			return &p->sample.caches[i];
	return NULL;
}

/* ---- What the stretches say ---- */

static double rho_of(const struct event_profile *p, const char *name)
{
	const struct event_sample_cache *c = cache_named(p, name);

	return c != NULL ? c->rho : TRACE_SAMPLE_RHO;
}

/* Misses of each stretch, in some caches. One block: free(misses). */
struct sums {
	double *misses, *accesses;
	size_t count;
};

static int add_cache(struct sums *to, struct trace_sample_bounds *b, const struct event_profile *p,
		     const struct event_sample_cache *c, const struct store_stretch *x,
		     size_t count, struct err *err)
{
	const double above = c->rho * rho_of(p, "L1d"),
		     scale = p->sample.simulated > 0
				     ? (double)p->sample.sets * (double)p->sample.accesses /
					       (double)p->sample.simulated
				     : 0;
	double unknown = 0, behind = 0;
	struct store_series s;

	if (store_stretch_series(x, count, (const char *const[]){c->name, NULL}, &s, err) != 0)
		return -1;
	for (size_t i = 0; i < s.count; i++) {
		to->misses[i] += s.known[i] + c->rho * s.unknown[i] + above * s.above[i];
		to->accesses[i] = s.accesses[i];
		unknown += s.unknown[i];
		behind += s.above[i];
	}
	b->less = c->bounds.less;
	b->more = c->bounds.more;
	trace_sample_add_unknown(b, &(struct trace_sample_rhos){c->rho, above}, unknown * scale,
				 behind * scale);
	to->count = s.count > to->count ? s.count : to->count;
	free(s.known);
	return 0;
}

/* The bounds of misses in some caches that have been read. */
static int read_bounds(const struct event_profile *p, const struct store_stretch *x, size_t count,
		       const char *const *caches, struct trace_sample_bounds *b, struct err *err)
{
	const struct event_sample *s = &p->sample;
	struct sums sums = {.misses = calloc(2 * count + 1, sizeof(double))};
	int status = 0;

	if (sums.misses == NULL)
		return err_set(err, "not enough memory for %zu stretches", count);
	sums.accesses = sums.misses + count;
	for (; *caches != NULL && status == 0; caches++) {
		const struct event_sample_cache *c = cache_named(p, *caches);

		if (c != NULL)
			status = add_cache(&sums, b, p, c, x, count, err);
	}
	trace_sample_bounds(b, sums.misses, sums.accesses, sums.count,
			    s->accesses > 0 ? (double)s->simulated / (double)s->accesses : 1);
	b->variance *= (double)s->sets * (double)s->sets;
	b->most *= (double)s->sets;
	free(sums.misses);
	return status;
}

/* Sets the cache's rho and what it rests on. */
static int read_cache(struct event_profile *p, struct event_sample_cache *c,
		      const struct store_stretch *x, size_t count, struct err *err)
{
	const struct store_stretch sum = store_stretch_sums(x, count, c->name);
	struct trace_sample all = {sum.misses, sum.unknown, sum.above, sum.late,
				   sum.half,   sum.timed,   sum.dead,  sum.dead_late};

	if (store_read_ways(p->store, c->name, &all.ways, err) != 0)
		return -1;
	c->rho = trace_sample_rho(&all);
	trace_sample_find_range(&c->bounds, &all, c->rho);
	p->sample.cache_count++;
	return read_bounds(p, x, count, (const char *const[]){c->name, NULL}, &c->bounds, err);
}

static size_t stretches_in(const struct store_stretch *x, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += i == 0 || x[i].process_id != x[i - 1].process_id ||
		     x[i].number != x[i - 1].number;
	return n;
}

static int read_caches(struct event_profile *p, struct err *err)
{
	struct event_sample *s = &p->sample;
	struct store_geometry *g = NULL;
	struct store_stretch *x = NULL;
	size_t count = 0, stretches = 0;
	int status = store_read_geometry(p->store, &g, &count, err);

	if (status == 0)
		status = store_read_stretches(p->store, p->process, &x, &stretches, err);
	s->stretches = stretches_in(x, stretches);
	for (size_t i = 0; i < count && s->cache_count < EVENT_SAMPLE_CACHES && status == 0; i++) {
		struct event_sample_cache *c = &s->caches[s->cache_count];

		c->name = arena_strdup(&p->texts, g[i].name);
		if (c->name == NULL)
			status = err_set(err, "out of memory");
		else
			status = read_cache(p, c, x, stretches, err);
	}
	for (size_t i = 0; i < LEVELS && status == 0; i++) {
		const struct event_sample_level *l = &event_sample_levels[i];
		const bool is_one = strcmp(l->data, l->code) == 0;

		status = read_bounds(p, x, stretches,
				     (const char *const[]){l->data, is_one ? NULL : l->code, NULL},
				     &s->levels[i], err);
	}
	free(x);
	free(g);
	return status;
}

/* ---- Estimates ---- */

struct event_sample_part event_sample_part(const struct event_profile *p, size_t level, size_t kind)
{
	const struct event_sample_level *l = &event_sample_levels[level];
	const struct kind *k = &kinds[kind];
	const bool is_code = k->of == 'I';

	struct event_sample_part x = {find_event(p, k, l->letter, 'm'),
				      find_event(p, k, l->letter, 'u'),
				      find_event(p, k, l->letter, 'a'),
				      0,
				      0,
				      1,
				      1};
	const struct event_sample_cache *c = cache_named(p, is_code ? l->code : l->data);

	if (c != NULL) {
		x.less = c->bounds.less;
		x.more = c->bounds.more;
	}
	x.rho = rho_of(p, is_code ? l->code : l->data);
	x.rho_above = x.rho * rho_of(p, is_code ? "L1i" : "L1d");
	return x;
}

static uint64_t scaled(double value, double scale)
{
	return (uint64_t)(value * scale + 0.5);
}

/* Rounds up what may be a hit, so that the lower bound is never below 0. */
static void estimate(const struct event_sample_part *x, uint64_t *values, double scale)
{
	const uint64_t above = x->above != SIZE_MAX ? values[x->above] : 0,
		       known = values[x->misses] - values[x->unknown] - above;
	const double perhaps = x->rho * (double)scaled((double)values[x->unknown], scale) +
			       x->rho_above * (double)scaled((double)above, scale);

	values[x->misses] = scaled((double)known, scale) + (uint64_t)ceil(perhaps);
}

static bool is_of_misses(const struct event_profile *p, size_t column)
{
	const char *name = p->columns[column].name;

	return strlen(name) == 4 && name[2] == 'm';
}

static void apply(struct event_profile *p, double of_data, double of_code)
{
	for (size_t i = 0; i < LEVELS * KINDS; i++) {
		const struct event_sample_part x = event_sample_part(p, i / KINDS, i % KINDS);

		for (size_t k = 0; x.unknown != SIZE_MAX && k < p->cost_count; k++)
			estimate(&x, (uint64_t *)p->costs[k].values,
				 i % KINDS == 0 ? of_code : of_data);
	}
	for (size_t k = 0; k < p->measured; k++)
		for (size_t i = 0; i < p->cost_count && !is_of_misses(p, k); i++) {
			uint64_t *value = (uint64_t *)&p->costs[i].values[k];

			*value = scaled((double)*value,
					p->columns[k].name[0] == 'I' ? of_code : of_data);
		}
}

static uint64_t sum_of(const struct event_profile *p, const char *name)
{
	const size_t column = find(p, name);
	uint64_t sum = 0;

	for (size_t i = 0; column != SIZE_MAX && i < p->cost_count; i++)
		sum += p->costs[i].values[column];
	return sum;
}

/* Of "1/8,3" the 8. */
static int read_sets(struct event_profile *p, struct err *err)
{
	struct store_geometry *g;
	size_t count;

	p->sample.sets = 1;
	if (store_read_geometry(p->store, &g, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (strcmp(g[i].name, "sets") == 0 && strncmp(g[i].value, "1/", 2) == 0)
			p->sample.sets = strtoull(g[i].value + 2, NULL, 10);
	p->sample.sets += p->sample.sets == 0;
	free(g);
	return 0;
}

static bool is_of_caches(const char *name)
{
	return strlen(name) == 4 && strchr("mua", name[2]) != NULL;
}

/* What happened in one part of the sets stands for all. */
static void apply_sets(struct event_profile *p)
{
	for (size_t k = 0; k < p->measured && p->sample.sets > 1; k++) {
		if (!is_of_caches(p->columns[k].name))
			continue;
		for (size_t i = 0; i < p->cost_count; i++)
			((uint64_t *)p->costs[i].values)[k] *= p->sample.sets;
		for (size_t i = 0; i < p->arc_count; i++)
			((uint64_t *)p->arcs[i].values)[k] *= p->sample.sets;
	}
}

int event_sample_apply(struct event_profile *p, bool by_row, struct err *err)
{
	struct event_sample *s = &p->sample;
	uint64_t instructions = 0, simulated;

	if (read_sets(p, err) != 0)
		return -1;
	apply_sets(p);
	s->is_sampled = find(p, "D1ur") != SIZE_MAX;
	if (!s->is_sampled)
		return 0;
	for (size_t i = 0; i < p->process_count; i++) {
		const struct store_process *x = &p->processes[i];

		if (p->process != STORE_ALL && x->id != p->process)
			continue;
		s->accesses += x->accesses;
		instructions += x->instructions + x->rep_iterations;
	}
	s->simulated = sum_of(p, "Dr") + sum_of(p, "Dw");
	simulated = sum_of(p, "Ir");
	/* The engine could not leave any out. */
	s->is_sampled = s->simulated != s->accesses;
	if (!s->is_sampled)
		return 0;
	if (read_caches(p, err) != 0)
		return -1;
	/* calls are not followed, so there are no arcs; those of another's file are not as wide */
	if (s->simulated > 0 && p->arc_count == 0 && by_row &&
	    event_contrasts_add(p, (double)s->accesses / (double)s->simulated, err) != 0)
		return -1;
	if (s->simulated > 0 && simulated > 0)
		apply(p, (double)s->accesses / (double)s->simulated,
		      (double)instructions / (double)simulated);
	return 0;
}

/* ---- Bounds ---- */

/* Adds "- 0.5*D1ur - ..." for the level: what may be no misses, or more of them. */
static bool put_unknown(const struct event_profile *p, size_t level, bool is_high, struct text *out)
{
	bool any = false;

	for (size_t kind = 0; kind < KINDS; kind++) {
		const struct event_sample_part x = event_sample_part(p, level, kind);

		if (x.unknown == SIZE_MAX)
			continue;
		any = true;
		text_addf(out, " %c %.9f*%s", is_high ? '+' : '-', is_high ? 1 - x.rho : x.rho,
			  p->columns[x.unknown].name);
		if (x.above != SIZE_MAX)
			text_addf(out, " %c %.9f*%s", is_high ? '+' : '-',
				  is_high ? 1 - x.rho_above : x.rho_above,
				  p->columns[x.above].name);
	}
	return any;
}

double event_sample_bound(const struct event_profile *p, unsigned bound, double value,
			  const uint64_t *values)
{
	const size_t level = bound > 0 ? (bound - 1) / 2 : 0;
	const struct trace_sample_bounds *b = bound > 0 ? &p->sample.levels[level] : NULL;
	const bool has = b != NULL && p->sample.contrasts[level] > 0;
	const double variance = has ? event_contrasts_variance(p, level, values) : 0,
		     quantile = has ? b->part_quantile : 0,
		     unknown = has ? event_contrasts_unknown(p, level, values) : 0;

	if (!has)
		return bound % 2 == 1 ? trace_sample_low(b, value, 0, 0)
				      : trace_sample_high(b, value, 0, 0);
	if (bound % 2 == 1)
		return trace_sample_low(b, value + trace_sample_part_least(b, unknown), variance,
					quantile);
	return trace_sample_high(b, value - unknown + trace_sample_part_most(b, unknown), variance,
				 quantile);
}

void event_sample_bounds(const struct event_profile *p, char letter, bool is_code, double misses,
			 double *low, double *high)
{
	const struct event_sample_cache *cache = NULL;

	*low = *high = misses;
	for (size_t i = 0; i < LEVELS * KINDS; i++) {
		const struct event_sample_part x = event_sample_part(p, i / KINDS, i % KINDS);
		const struct event_sample_level *l = &event_sample_levels[i / KINDS];
		double unknown, above;

		if (l->letter != letter || is_code != (i % KINDS == 0) || x.unknown == SIZE_MAX)
			continue;
		cache = cache_named(p, is_code ? l->code : l->data);
		unknown = (double)p->totals[x.unknown];
		above = x.above != SIZE_MAX ? (double)p->totals[x.above] : 0;
		*low -= x.less * (x.rho * unknown + x.rho_above * above);
		*high += x.more * ((1 - x.rho) * unknown + (1 - x.rho_above) * above);
	}
	if (cache == NULL)
		return;
	*low = trace_sample_low(&cache->bounds, fmax(*low, 0), cache->bounds.variance,
				cache->bounds.quantile);
	*high = trace_sample_high(&cache->bounds, *high, cache->bounds.variance,
				  cache->bounds.quantile);
}

int event_sample_add_bounds(struct event_profile *p, struct err *err)
{
	static const char *const sums[LEVELS] = {"L1m", "L2m", NULL, NULL, "LLm"};
	int status = 0;

	for (size_t i = 0; i < 2 * LEVELS && status == 0; i++) {
		const bool is_high = i % 2;
		struct text formula = {0};
		size_t column;

		if (sums[i / 2] == NULL)
			continue;
		text_addf(&formula, "%s.%s = %s", sums[i / 2], is_high ? "high" : "low",
			  sums[i / 2]);
		if (put_unknown(p, i / 2, is_high, &formula)) {
			status = events_column(p, text_get(&formula), &column, err);
			if (status == 0)
				p->columns[column].bound = (unsigned)(1 + i);
		}
		text_release(&formula);
	}
	return status;
}
