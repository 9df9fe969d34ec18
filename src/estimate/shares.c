/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attributes the run's accesses to reuses.
 *
 * Reuses within windows have their own shares. Of the others only the number is known, and two
 * sources tell which code they belong to. The first is long watches: they show the code of far
 * reuses, but code that spreads its touches of a line is found more often than code that touches it
 * in one burst. The second is a balance. Each access of a piece of code ends a seen reuse, or ends
 * an unseen one, or is a first touch. Samples begin at accesses with equal probability. So the
 * share of samples that begin in the code, minus the share of seen reuses that end there, is the
 * code's share of far reuses and first touches. The balance is unbiased, but varies as samples do.
 * The two are weighted by their variances.
 */
#include "estimate/shares.h"
#include "estimate/arrivals.h"
#include "estimate/far_misses.h"
#include "estimate/first_touches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAR_LEAST     12    /* least number of found lines for the others' attribution */
#define MEET_ERROR    0.5   /* relative standard deviation of how often code is found: bursts */
#define BALANCE_ERROR 0.005 /* of both sides of the balance */
#define LEAST_OF_IT   0.1   /* least part of what long watches say that any balance leaves */
#define SURE	      4.0   /* standard deviations for an excess to count as first touches */
#define NOTHING	      1e-12 /* of all accesses: rounding errors of differences */
#define RAKE_TURNS    10
#define RAKE_MOST     3.0 /* limits the factor of one step, up or down */
#define TOO_MUCH      2.0 /* an excess of this many times all first touches is chance */

/* The knowledge about the code at one location. */
struct tally {
	double begins, ends; /* share of the accesses; share of the seen reuses */
	double square;	     /* sum of squares of the difference, over windows */
	double window_sum;   /* the difference in `window` */
	int64_t window;
	double met;	 /* share of the found lines */
	double open;	 /* share of the unresolved accesses that begin here */
	double from, to; /* far reuses listed so far, by beginning and end */
};

struct sharing {
	const struct profile *p;
	struct shares *out;
	struct model_share *samples; /* one for each of p->samples */
	struct tally *tallies;	     /* by location, and a missing one */
	double *met;		     /* for each of p->follows: its part of the found lines */
	size_t met_count;
	struct arrivals arrived;
	struct share_part left;	 /* unresolved by windows */
	struct share_part first; /* its part that is first touches */
};

/* Shares of all accesses; `first`: of all window first touches. */
struct by_location {
	double *far, *surplus, *first;
};

/* Index of a location; one that is missing from a damaged file is past the end. */
static size_t location_index(const struct profile *p, int64_t location)
{
	const struct store_location *l = profile_location(p, location);

	return l != NULL ? (size_t)(l - p->locations) : p->location_count;
}

static bool is_met(const struct store_follow *f)
{
	return f->status == 0;
}

static bool is_reused(const struct store_sample *s)
{
	return s->status == 0;
}

/* Tell whether the two accesses have a byte in common. */
static bool overlap(const struct store_access *a, const struct store_access *b)
{
	return a->address < b->address + b->size && b->address < a->address + a->size;
}

/* ---- The balance of each location ---- */

static void tally_add(struct tally *t, int64_t window, double difference)
{
	if (t->window != window) {
		t->square += t->window_sum * t->window_sum;
		t->window_sum = 0;
		t->window = window;
	}
	t->window_sum += difference;
}

static void take_balance(struct sharing *s)
{
	const struct profile *p = s->p;

	for (size_t i = 0; i < p->sample_count; i++) {
		const struct store_sample *x = &p->samples[i];
		const struct model_share *share = &s->samples[i];
		struct tally *begin = &s->tallies[location_index(p, x->begin.location)], *end;

		begin->begins += share->begins;
		tally_add(begin, x->window, share->begins);
		if (!is_reused(x)) {
			begin->open += share->accesses;
			s->left.accesses += share->accesses;
			s->left.misses += share->misses;
			continue;
		}
		end = &s->tallies[location_index(p, x->end.location)];
		end->ends += share->accesses;
		tally_add(end, x->window, -share->accesses);
	}
	for (size_t i = 0; i <= p->location_count; i++)
		tally_add(&s->tallies[i], -2, 0);
}

/* ---- The found lines ---- */

static double follow_weight(const struct profile *p, size_t i)
{
	return p->follow_weights != NULL ? p->follow_weights[i] : 1;
}

/* Found lines of a window represent its unresolved accesses. */
static int weigh_met(struct sharing *s, struct err *err)
{
	const struct profile *p = s->p;
	struct window {
		double misses, met;
	} *windows = calloc(p->window_count + 1, sizeof(*windows));
	double all = 0;

	if (windows == NULL)
		return err_set(err, "not enough memory for %zu windows", p->window_count);
	for (size_t i = 0; i < p->sample_count; i++)
		if (!is_reused(&p->samples[i]))
			windows[profile_window(p, p->samples[i].window)].misses +=
				s->samples[i].misses;
	for (size_t i = 0; i < p->follow_count; i++)
		if (is_met(&p->follows[i]))
			windows[profile_window(p, p->follows[i].window)].met += follow_weight(p, i);
	for (size_t i = 0; i < p->follow_count; i++) {
		const struct window *w = &windows[profile_window(p, p->follows[i].window)];

		if (!is_met(&p->follows[i]))
			continue;
		s->met[i] = w->misses * follow_weight(p, i) / w->met;
		all += s->met[i];
		s->met_count++;
	}
	free(windows);
	if (s->met_count < FAR_LEAST || all <= 0) {
		s->met_count = 0;
		memset(s->met, 0, p->follow_count * sizeof(*s->met));
		return 0;
	}
	for (size_t i = 0; i < p->follow_count; i++) {
		s->met[i] /= all;
		if (is_met(&p->follows[i]))
			s->tallies[location_index(p, p->follows[i].end.location)].met += s->met[i];
	}
	return 0;
}

/* ---- The code of far reuses and first touches ---- */

static bool has_arrivals(const struct sharing *s)
{
	return s->arrived.count >= ARRIVALS_LEAST;
}

/* Far reuses and first touches of location i, from window first touches, or from the balance. */
static double touched_far_or_first(const struct sharing *s, size_t i)
{
	const struct tally *t = &s->tallies[i];

	return has_arrivals(s) ? s->left.accesses * s->arrived.share[i] : t->begins - t->ends;
}

/* The variance of that. */
static double balance_variance(const struct sharing *s, size_t i)
{
	const struct tally *t = &s->tallies[i];
	double bias = BALANCE_ERROR * (t->begins + t->ends), balance = t->begins - t->ends;

	if (has_arrivals(s))
		return s->left.accesses * s->left.accesses * s->arrived.variance[i];
	return fmax(0, t->square - balance * balance / (double)(s->p->window_count + 1)) +
	       bias * bias + 1e-18;
}

/*
 * The variance of what long watches say about a location, as shares of all accesses; one found line
 * represents `one`.
 */
static double met_variance(double met, double one)
{
	return MEET_ERROR * MEET_ERROR * met * met + met * one + one * one;
}

/*
 * Far reuses of a location, as a share of all accesses, if all code has `far`. With window first
 * touches, only from long watches so far: see take_arrivals.
 */
static double far_of(const struct sharing *s, size_t i, double far)
{
	double met = far * s->tallies[i].met, balance = touched_far_or_first(s, i);
	double of_balance = balance_variance(s, i);
	double of_met = met_variance(met, far / fmax(1, (double)s->met_count));

	if (met <= 0 || has_arrivals(s))
		return met;
	return fmax(LEAST_OF_IT * met,
		    (met * of_balance + balance * of_met) / (of_balance + of_met));
}

/* Set `far` by location: together the unresolved accesses without first touches; or nothing. */
static void share_far(struct sharing *s, double *far)
{
	size_t count = s->p->location_count + 1;
	struct model_resolution known;
	double sum = 0;

	s->first = s->left;
	if (s->met_count == 0 && !has_arrivals(s))
		return;
	model_resolve(s->p->model, &known);
	s->first.accesses = fmin(known.cold, s->left.accesses);
	s->first.misses = fmin(known.cold, s->left.misses);
	s->out->far.accesses = s->left.accesses - s->first.accesses;
	s->out->far.misses = s->left.misses - s->first.misses;
	for (size_t i = 0; i < count; i++) {
		far[i] = far_of(s, i, s->out->far.accesses);
		sum += far[i];
	}
	for (size_t i = 0; i < count && sum > 0; i++)
		far[i] *= s->out->far.accesses / sum;
}

/*
 * Set the excess of the balance over far reuses that is significant: first touches. Returns the
 * sum.
 */
static double find_surplus(const struct sharing *s, const double *far, double *surplus)
{
	/*
	 * Code of short bursts is found half as often as other code, and may be missed by chance.
	 */
	double one = s->met_count > 0 ? 2 * s->out->far.accesses / (double)s->met_count : 0;
	double sum = 0;

	for (size_t i = 0; i <= s->p->location_count; i++) {
		double variance = balance_variance(s, i) + met_variance(far[i], one);

		surplus[i] = touched_far_or_first(s, i) - far[i];
		if (surplus[i] < SURE * sqrt(variance))
			surplus[i] = 0;
		sum += surplus[i];
	}
	return sum <= TOO_MUCH * s->first.accesses ? sum : 0;
}

/* The far reuses of code are its window first touches without its first touches. */
static void take_arrivals(struct sharing *s, double *far)
{
	double sum = 0;

	for (size_t i = 0; i <= s->p->location_count; i++) {
		double left = touched_far_or_first(s, i) - s->out->unresolved[i].accesses;

		far[i] = left > NOTHING ? left : 0;
		sum += far[i];
	}
	for (size_t i = 0; i <= s->p->location_count && sum > 0; i++)
		far[i] *= s->out->far.accesses / sum;
}

/*
 * First touches are `surplus`, where that is significant, and otherwise `first`, by the growth of
 * the footprint. Returns the part of all first touches that neither explains.
 */
static double place_first(struct sharing *s, const double *surplus, double sum, const double *first)
{
	double all = s->first.accesses, sure = fmin(sum, all), more = 0, scale;

	for (size_t i = 0; i <= s->p->location_count; i++)
		more += fmax(0,
			     first[i] * s->left.accesses - (sum > 0 ? surplus[i] * sure / sum : 0));
	scale = more > 0 ? fmin(1, (all - sure) / more) : 0;
	for (size_t i = 0; all > 0 && i <= s->p->location_count; i++) {
		double surely = sum > 0 ? surplus[i] * sure / sum : 0;
		double part = surely + scale * fmax(0, first[i] * s->left.accesses - surely);

		s->out->unresolved[i].accesses += part;
		s->out->unresolved[i].misses += part * s->first.misses / all;
	}
	return all > 0 ? fmax(0, 1 - (sure + scale * more) / all) : 0;
}

/* Unexplained first touches stay where lines were last touched. */
static void leave_first(struct sharing *s, double rest)
{
	const struct profile *p = s->p;

	for (size_t i = 0; i < p->sample_count; i++) {
		const struct store_sample *x = &p->samples[i];
		struct share_part *to = &s->out->unresolved[location_index(p, x->begin.location)];
		double part;

		if (is_reused(x) || s->left.accesses <= 0)
			continue;
		part = s->left.misses > 0 ? s->samples[i].misses / s->left.misses
					  : s->samples[i].accesses / s->left.accesses;
		to->accesses += rest * part * s->first.accesses;
		to->misses += rest * part * s->first.misses;
	}
}

static int share_first(struct sharing *s, struct by_location *by, struct err *err)
{
	double sum = find_surplus(s, by->far, by->surplus), rest;

	if (has_arrivals(s) && s->left.accesses > 0 &&
	    first_touches_place(&s->arrived, s->p, s->first.accesses / s->left.accesses, by->first,
				err) != 0)
		return -1;
	rest = place_first(s, by->surplus, sum, by->first);
	if (has_arrivals(s))
		take_arrivals(s, by->far);
	leave_first(s, rest);
	return 0;
}

/* ---- The list of reuses ---- */

static void list_near(struct sharing *s)
{
	const struct profile *p = s->p;

	for (size_t i = 0; i < p->sample_count; i++) {
		const struct store_sample *x = &p->samples[i];
		size_t begin = location_index(p, x->begin.location), end = begin;

		if (is_reused(x)) {
			end = location_index(p, x->end.location);
			s->out->reuses[s->out->count++] = (struct share_reuse){
				.begin = begin,
				.end = end,
				.path = x->end.path,
				.distance = x->distance,
				.is = {s->samples[i].accesses, s->samples[i].misses},
				.temporal = overlap(&x->begin, &x->end),
			};
		}
		s->out->samples[end]++;
	}
}

/* A key for a sample's beginning; as two samples may share it, matches are checked again. */
static uint64_t begin_key(uint64_t position, uint16_t thread)
{
	return position << 8 ^ thread;
}

static int index_unresolved(const struct profile *p, struct map *index)
{
	for (size_t i = 0; i < p->sample_count; i++)
		if (!is_reused(&p->samples[i]) &&
		    map_set(index, begin_key(p->samples[i].position, p->samples[i].begin.thread),
			    i) != 0)
			return -1;
	return 0;
}

/* The sample of the long watch, or NULL. */
static const struct store_sample *sample_of(const struct profile *p, const struct map *index,
					    const struct store_follow *f)
{
	uint64_t i;

	if (!map_get(index, begin_key(f->position, f->end.thread), &i) ||
	    p->samples[i].window != f->window || p->samples[i].position != f->position)
		return NULL;
	return &p->samples[i];
}

/*
 * Sum up the far reuses from `first` on by beginning and end. Returns the open part of all these
 * beginnings.
 */
static double sum_listed(struct sharing *s, size_t first)
{
	double open = 0;

	for (size_t i = 0; i <= s->p->location_count; i++)
		s->tallies[i].from = s->tallies[i].to = 0;
	for (size_t i = first; i < s->out->count; i++) {
		const struct share_reuse *r = &s->out->reuses[i];
		struct tally *begin = &s->tallies[r->begin];

		open += begin->from > 0 ? 0 : begin->open;
		begin->from += r->is.accesses;
		s->tallies[r->end].to += r->is.accesses;
	}
	return open;
}

/*
 * Few lines were found. But the beginnings of all unresolved accesses are known, and the balance
 * tells where far reuses end. So their parts are raked (Deming and Stephan 1940): scaled to one and
 * the other in turn, ending with the ends.
 */
static void rake_far(struct sharing *s, size_t first, const double *far)
{
	const struct share_part *all = &s->out->far;

	for (int turn = 0; turn < RAKE_TURNS; turn++) {
		double open = sum_listed(s, first);

		for (size_t i = first; open > 0 && i < s->out->count; i++) {
			struct share_reuse *r = &s->out->reuses[i];
			const struct tally *t = &s->tallies[r->begin];
			double scale = t->from > 0 ? all->accesses * t->open / open / t->from : 1;

			r->is.accesses *= fmin(RAKE_MOST, fmax(1 / RAKE_MOST, scale));
		}
		sum_listed(s, first);
		for (size_t i = first; i < s->out->count; i++) {
			struct share_reuse *r = &s->out->reuses[i];

			if (s->tallies[r->end].to > 0)
				r->is.accesses *= far[r->end] / s->tallies[r->end].to;
		}
	}
}

/* For code without found lines, the beginnings of its reuses are unknown. */
static void list_arrivals(struct sharing *s, const double *far)
{
	const struct profile *p = s->p;

	if (!has_arrivals(s))
		return;
	for (size_t i = 0; i < p->arrival_count; i++) {
		const struct store_arrival *x = &p->arrivals[i];
		size_t end = location_index(p, x->end.location);
		double weight = arrivals_weight(p, x);

		if (s->tallies[end].met > 0 || far[end] <= 0 || weight <= 0)
			continue;
		s->out->reuses[s->out->count++] = (struct share_reuse){
			.begin = p->location_count,
			.end = end,
			.path = x->end.path,
			.distance = x->position,
			.is = {.accesses = weight}, /* raked to far[end] */
			.far = true,
		};
	}
}

static int list_far(struct sharing *s, enum model_policy policy, const double *far, struct err *err)
{
	const struct profile *p = s->p;
	const struct share_part *all = &s->out->far;
	size_t first = s->out->count, met;
	struct map index = {0};

	if (s->met_count == 0 && !has_arrivals(s))
		return 0;
	if (index_unresolved(p, &index) != 0) {
		map_release(&index);
		return err_set(err, "not enough memory for %zu samples", p->sample_count);
	}
	for (size_t i = 0; i < p->follow_count; i++) {
		const struct store_follow *f = &p->follows[i];
		const struct store_sample *x = sample_of(p, &index, f);
		size_t end = location_index(p, f->end.location);
		double part;

		if (s->met[i] <= 0)
			continue;
		part = far[end] * s->met[i] / s->tallies[end].met;
		s->out->reuses[s->out->count++] = (struct share_reuse){
			.begin = x != NULL ? location_index(p, x->begin.location)
					   : p->location_count,
			.end = end,
			.path = f->end.path,
			.distance = f->end_position - f->position,
			.is = {.accesses = part},
			.far = true,
			.temporal = x != NULL && overlap(&x->begin, &f->end),
		};
	}
	map_release(&index);
	met = s->out->count - first;
	list_arrivals(s, far);
	rake_far(s, first, far);
	return far_misses_share(s->out->reuses + first, met, s->out->count - first,
				all->accesses > 0 ? all->misses / all->accesses : 0, policy,
				p->location_count, err);
}

static int share_out(struct sharing *s, const struct query *q, struct by_location *by,
		     struct err *err)
{
	const struct profile *p = s->p;

	if (profile_attribute(p, q, s->samples, err) != 0)
		return -1;
	for (size_t i = 0; i <= p->location_count; i++)
		s->tallies[i].window = -1;
	take_balance(s);
	if (weigh_met(s, err) != 0)
		return -1;
	share_far(s, by->far);
	if (share_first(s, by, err) != 0)
		return -1;
	list_near(s);
	return list_far(s, profile_policy(q), by->far, err);
}

int shares_init(struct shares *out, const struct profile *p, const struct query *q, struct err *err)
{
	size_t locations = p->location_count + 1;
	struct sharing s = {.p = p, .out = out};
	double *far = calloc(locations, 3 * sizeof(*far));
	struct by_location by = {far, far + locations, far + 2 * locations};
	int ret = -1;

	*out = (struct shares){0};
	out->reuses = calloc(p->sample_count + p->follow_count + p->arrival_count + 1,
			     sizeof(*out->reuses));
	out->unresolved = calloc(locations, sizeof(*out->unresolved));
	out->samples = calloc(locations, sizeof(*out->samples));
	out->parts = s.samples = calloc(p->sample_count + 1, sizeof(*s.samples));
	s.tallies = calloc(locations, sizeof(*s.tallies));
	s.met = calloc(p->follow_count + 1, sizeof(*s.met));
	if (far == NULL || out->reuses == NULL || out->unresolved == NULL || out->samples == NULL ||
	    s.samples == NULL || s.tallies == NULL || s.met == NULL)
		err_set(err, "not enough memory for %zu samples", p->sample_count);
	else if (arrivals_measure(&s.arrived, p, err) == 0)
		ret = share_out(&s, q, &by, err);
	free(far);
	free(s.tallies);
	free(s.met);
	arrivals_release(&s.arrived);
	if (ret != 0)
		shares_release(out);
	return ret;
}

void shares_release(struct shares *s)
{
	free(s->reuses);
	free(s->unresolved);
	free(s->samples);
	free(s->parts);
	*s = (struct shares){0};
}
