/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the misses of instructions spread over stretches; see event_contrasts.h. */
#include "events/event_contrasts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "events/events.h"
#include "store/stretches.h"

#define CONTRAST_UNIT 256 /* parts of a miss, in values of costs */

/* An instruction, and one of its costs. */
struct place {
	int64_t location;
	size_t cost;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->location > y->location) - (x->location < y->location);
}

/* Unknown references and misses of an instruction, in the parts of data, or in that of code. */
struct missed {
	double known, unknown, misses;
};

static struct missed missed_by(const struct event_profile *p, size_t level, bool is_code,
			       const uint64_t *values)
{
	struct missed m = {0};

	for (size_t kind = 0; kind < EVENT_SAMPLE_KINDS; kind++) {
		const struct event_sample_part x = event_sample_part(p, level, kind);
		double unknown, above;

		if (x.unknown == SIZE_MAX || is_code != (kind == 0))
			continue;
		unknown = (double)values[x.unknown];
		above = x.above != SIZE_MAX ? (double)values[x.above] : 0;
		m.known += (double)values[x.misses] - unknown - above;
		m.unknown += unknown + above;
		m.misses += x.rho * unknown + x.rho_above * above;
	}
	return m;
}

/* Add contrasts of an instruction in a cache of the level to the values of its cost. */
static void put_contrasts(struct event_profile *p, const struct store_contrasts *c, size_t level,
			  bool is_code, const struct store_lengths *lengths, double scale,
			  uint64_t *values)
{
	const struct missed m = missed_by(p, level, is_code, values);
	const struct trace_sample_part x = {
		.known = c->known,
		.unknown = c->unknown,
		.rho = m.unknown > 0 ? m.misses / m.unknown : 0,
		.misses = (m.known + m.misses) / (double)p->sample.sets,
	};
	struct trace_sample_lengths l = {.accesses = lengths->accesses};
	double sums[TRACE_SAMPLE_CONTRASTS] = {0};

	memcpy(l.contrasts, lengths->contrasts, sizeof(l.contrasts));
	trace_sample_add(sums, &x, &l, scale);
	for (size_t i = 0; i < TRACE_SAMPLE_CONTRASTS; i++)
		values[p->sample.contrasts[level] - 1 + i] +=
			(uint64_t)llround(sums[i] * CONTRAST_UNIT);
}

/* Make room for contrasts of levels with sums. The costs are zero there. */
static int widen(struct event_profile *p, struct err *err)
{
	static const size_t with_sums[EVENT_SAMPLE_SUMS] = {0, 1, EVENT_SAMPLE_LEVELS - 1};
	const size_t before = p->width;
	uint64_t *values;

	for (size_t i = 0; i < EVENT_SAMPLE_SUMS; i++) {
		if (event_sample_part(p, with_sums[i], 1).unknown == SIZE_MAX)
			continue;
		p->sample.contrasts[with_sums[i]] = 1 + p->width;
		p->width += TRACE_SAMPLE_CONTRASTS;
	}
	values = p->sample.values = calloc(p->cost_count + 1, p->width * sizeof(*values));
	if (values == NULL)
		return err_set(err, "not enough memory for %zu instructions", p->cost_count);
	for (size_t i = 0; i < p->cost_count; i++, values += p->width) {
		memcpy(values, p->costs[i].values, before * sizeof(*values));
		p->costs[i].values = values;
	}
	return 0;
}

static size_t level_of(const char *cache, bool *is_code)
{
	size_t i = 0;

	*is_code = strcmp(cache, "L1i") == 0;
	while (i < EVENT_SAMPLE_LEVELS && strcmp(event_sample_levels[i].data, cache) != 0 &&
	       !(*is_code && strcmp(event_sample_levels[i].code, cache) == 0))
		i++;
	return i;
}

/* Data and code that miss in LL have contrasts together. */
static bool mostly_code(const struct event_profile *p, size_t level, const uint64_t *values)
{
	const struct missed code = missed_by(p, level, true, values),
			    data = missed_by(p, level, false, values);

	return code.known + code.unknown > data.known + data.unknown;
}

static void contrast_costs(struct event_profile *p, const struct store_contrasts *c, size_t count,
			   const struct place *places, const struct store_lengths *lengths,
			   const double *scales)
{
	for (size_t i = 0; i < count && c[i].structure_id == STORE_NONE; i++) {
		const size_t at = SEARCH_MATCH(k, p->cost_count,
					       SEARCH_ORDER(places[k].location, c[i].location_id));
		bool is_code;
		const size_t level = level_of(c[i].cache, &is_code);
		size_t process = 0;
		uint64_t *values;

		while (process < p->process_count && p->processes[process].id != c[i].process_id)
			process++;
		if (at == p->cost_count || level == EVENT_SAMPLE_LEVELS ||
		    p->sample.contrasts[level] == 0 || process == p->process_count)
			continue;
		values = (uint64_t *)p->costs[places[at].cost].values;
		is_code |= level > 0 && mostly_code(p, level, values);
		put_contrasts(p, &c[i], level, is_code, &lengths[process], scales[process], values);
	}
}

int event_contrasts_add(struct event_profile *p, double scale, struct err *err)
{
	struct store_lengths *lengths = calloc(p->process_count + 1, sizeof(*lengths));
	double *scales = calloc(p->process_count + 1, sizeof(*scales));
	struct place *places = calloc(p->cost_count + 1, sizeof(*places));
	struct store_contrasts *c = NULL;
	struct store_stretch *x = NULL;
	size_t count = 0, stretches = 0;
	int status;

	if (lengths == NULL || scales == NULL || places == NULL)
		status = err_set(err, "not enough memory for %zu instructions", p->cost_count);
	else
		status = store_read_contrasts(p->store, p->process, &c, &count, err);
	if (status == 0)
		status = store_read_stretches(p->store, p->process, &x, &stretches, err);
	for (size_t i = 0; status == 0 && i < p->process_count; i++) {
		lengths[i] = store_stretch_lengths(x, stretches, p->processes[i].id);
		scales[i] = scale * (double)p->sample.sets;
	}
	for (size_t i = 0; status == 0 && i < p->cost_count; i++)
		places[i] = (struct place){p->costs[i].location_id, i};
	if (status == 0)
		status = widen(p, err);
	if (status == 0) {
		qsort(places, p->cost_count, sizeof(*places), compare_places);
		contrast_costs(p, c, count, places, lengths, scales);
	}
	free(lengths);
	free(scales);
	free(places);
	free(c);
	free(x);
	return status;
}

double event_contrasts_variance(const struct event_profile *p, size_t level, const uint64_t *values)
{
	double contrasts[TRACE_SAMPLE_CONTRASTS];

	for (size_t i = 0; i < TRACE_SAMPLE_CONTRASTS; i++)
		contrasts[i] =
			(double)(int64_t)values[p->sample.contrasts[level] - 1 + i] / CONTRAST_UNIT;
	return trace_sample_variance(&p->sample.levels[level], contrasts);
}

double event_contrasts_unknown(const struct event_profile *p, size_t level, const uint64_t *values)
{
	double unknown = 0;

	for (size_t kind = 0; kind < EVENT_SAMPLE_KINDS; kind++) {
		const struct event_sample_part x = event_sample_part(p, level, kind);

		if (x.unknown == SIZE_MAX)
			continue;
		unknown += (double)values[x.unknown];
		unknown += x.above != SIZE_MAX ? (double)values[x.above] : 0;
	}
	return unknown;
}
