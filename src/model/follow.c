/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distances beyond the longest window, from lines that were watched on in later windows.
 *
 * Glue the windows of a run together and leave out what lies between: a line that is touched at a
 * steady rate, whatever its rate, is met after as many accesses of the glued run as of the real
 * one, on average and in distribution. So the first touches of lines watched on tell how the rates
 * of far lines are distributed: a mixture of exponentials, fitted by expectation maximization.
 * Reuses that windows saw near their end are fitted with them: there is no jump where sight ends.
 * So many steps are taken from a flat start that a single rate is told, and no more, which leaves
 * the mixture smooth.
 *
 * Of lines that no later window sees touched some are at rest for ever, and more were touched once
 * or twice in between, and then no more: windows are a few percent of the run. How far these were
 * is not seen, so they are left out, and taken to be as far as the others. Very low rates would
 * explain them as well, and nothing that was seen tells which it is. In programs of which windows
 * leave a few percent of the accesses unresolved it is mostly bursts: rates that the run had not
 * the time to see are not allowed. Programs that leave a tenth and more live in large arrays, which
 * stay in use: there they are.
 */
#include <math.h>
#include <stdlib.h>

#include "model/mixture.h"

#define RATES	   MIXTURE_RATES
#define STEPS	   200
#define LAST_STEPS 10
/* of what is left at the end: programs have 0.01 to 0.3, bursts 0.5, a loop 0.8 */
#define MISFIT	    0.65
#define FOLLOWS_MIN 12	 /* with fewer touched there is nothing to fit */
#define REGULAR	    0.75 /* so far, the footprint says better where a loop's reuses lie */
/*
 * So much is seen well: the share of the run in windows, of the accesses that they leave
 * unresolved, and the lines watched on and met.
 */
#define SEEN_WELL    0.25
#define FAR_WELL     0.03
#define TOUCHED_WELL 500
#define FINEST	     64.0 /* the shortest mean distance beyond the end: this part of it */
/* The longest mean distance: so many times the longest watch for each access left unresolved. */
#define REACH	    30.0
#define REACH_LEAST 0.9
#define REACH_MOST  3.0
/* from this part of the end on, reuses that were seen are fitted with the others */
#define NEAR_END 4.0
#define UNSEEN	 0.2 /* to begin with, of the lines watched on */

static void spread_rates(struct mixture *mix, double nearest, double farthest, double unseen)
{
	for (int k = 0; k < RATES; k++) {
		double mean = nearest * pow(farthest / nearest, k / (RATES - 1.0));

		mix->rate[k] = 1 / mean;
		mix->share[k] = (1 - unseen) / RATES;
	}
	mix->unseen = unseen;
}

/* Likelihood of what was seen of each line under each rate, RATES to a line. */
static double *likelihoods(const struct mixture *mix, const struct follow *follows, size_t count)
{
	double *out = malloc((count + 1) * RATES * sizeof(*out)), *row = out;

	for (size_t i = 0; out != NULL && i < count; i++, row += RATES)
		for (int k = 0; k < RATES; k++) {
			double passed = mix->rate[k] * follows[i].residual;

			/* Of a touch: the density; its unit is the same for all rates. */
			row[k] = follows[i].touched ? passed * exp(-passed) : exp(-passed);
		}
	return out;
}

static void improve(struct mixture *mix, const struct follow *follows, size_t count,
		    const double *likelihood)
{
	double share[RATES] = {0}, unseen = 0, total = 0;

	for (size_t i = 0; i < count; i++, likelihood += RATES) {
		double at_rest = follows[i].touched ? 0 : mix->unseen, sum = at_rest;

		for (int k = 0; k < RATES; k++)
			sum += mix->share[k] * likelihood[k];
		for (int k = 0; k < RATES && sum > 0; k++)
			share[k] += follows[i].weight * mix->share[k] * likelihood[k] / sum;
		if (sum > 0) {
			unseen += follows[i].weight * at_rest / sum;
			total += follows[i].weight;
		}
	}
	if (total <= 0)
		return;
	for (int k = 0; k < RATES; k++)
		mix->share[k] = share[k] / total;
	mix->unseen = unseen / total;
}

/* The longest mean distance that is looked for, of lines watched for `longest`. */
static double reach(const struct survival *pool, double longest)
{
	return fmin(REACH_MOST, fmax(REACH_LEAST, REACH * pool->left)) * longest;
}

/* P(residual > x), of those that are touched again, if lines of every age are touched alike. */
static double outlive_ageless(const struct mixture *mix, double x)
{
	double random = 0, regular = 0;

	for (int k = 0; k < RATES; k++) {
		random += mix->share[k] * exp(-mix->rate[k] * x);
		if (mix->rate[k] * (x + mix->end) < 1)
			regular += mix->share[k];
	}
	return (random + mix->regularity * (regular - random)) / (1 - mix->unseen);
}

/* The hazard of each age is so many times higher. */
static double outlive(const struct mixture *mix, double x)
{
	double left = 1, before = 1, to = mix->end;

	for (int a = 0; a < MIXTURE_AGES && before > 0; a++, to = 2 * to + mix->end) {
		double now = outlive_ageless(mix, fmin(x, to));

		left *= pow(now / before, mix->by_age[a]);
		if (x <= to)
			return left;
		before = now;
	}
	return before > 0 ? left * outlive_ageless(mix, x) / before : 0;
}

static double quantile(const struct mixture *mix, double share, double low, double high)
{
	for (int i = 0; i < 50; i++) {
		double middle = sqrt(low * high);

		if (outlive(mix, middle) > share)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/*
 * Lines touched at random have, at the end of a window, at least the chance of a touch that belongs
 * to their mean distance; those of a loop that takes longer have none. What lies between shows how
 * regular, less what chance alone could make of so few reuses. Lines touched for the last time tell
 * nothing.
 */
static double regularity(const struct mixture *mix, const struct survival *s, double last_touches)
{
	double left = s->left - last_touches, near = 0, seen = 0, mean = 0;

	for (size_t i = s->count; i-- > 0 && s->x[i] > s->end_x / NEAR_END; seen++)
		near += s->mass[i];
	if (seen > 0)
		near *= 1 + 1 / sqrt(seen);
	for (int k = 0; k < RATES; k++)
		mean += mix->share[k] / mix->rate[k];
	return left > 0 ? fmax(0, 1 - log1p(near / left) * mean / (s->end_x * (1 - 1 / NEAR_END)))
			: 0;
}

/*
 * The follows, counted from `begin` on, and the reuses that windows saw behind it. Returns how many
 * there are in *out, which the caller frees.
 */
static size_t with_near_ones(const struct survival *s, double begin, const struct follow *follows,
			     size_t count, struct follow **out)
{
	struct follow *all = malloc((count + s->count + 1) * sizeof(*all));
	double weight = 0;
	size_t n = 0;

	*out = all;
	if (all == NULL)
		return 0;
	for (size_t i = 0; i < count; i++)
		weight += follows[i].weight;
	for (size_t i = 0; i < count && weight > 0; i++)
		all[n++] =
			(struct follow){follows[i].residual + s->end_x - begin,
					follows[i].weight * s->left / weight, follows[i].touched};
	for (size_t i = 0; i < s->count; i++)
		if (s->x[i] > begin)
			all[n++] = (struct follow){s->x[i] - begin, s->mass[i], true};
	return n;
}

/*
 * What is left of the lines at each rate when all were watched for so long; at rest are those that
 * were.
 */
static void pass(struct mixture *mix, double watched)
{
	double left = mix->unseen;

	for (int k = 0; k < RATES; k++) {
		mix->share[k] *= exp(-mix->rate[k] * watched);
		left += mix->share[k];
	}
	for (int k = 0; k < RATES; k++)
		mix->share[k] /= left;
	mix->unseen /= left;
}

/* Returns 0, or -1 when memory ran out. */
static int improve_often(struct mixture *mix, const struct follow *follows, size_t count, int steps)
{
	double *likelihood = likelihoods(mix, follows, count);

	if (likelihood == NULL)
		return -1;
	for (int i = 0; i < steps; i++)
		improve(mix, follows, count, likelihood);
	free(likelihood);
	return 0;
}

/*
 * How far what was seen from `begin` on is from what the mixture makes of it, at worst: mass. The
 * mixture is of all that outlive `begin`.
 */
static double misfit(const struct mixture *mix, const struct survival *s, double begin)
{
	double before = s->left, seen = 0, worst = 0;
	size_t first = s->count;

	while (first > 0 && s->x[first - 1] > begin)
		before += s->mass[--first];
	for (size_t i = first; i < s->count; i++) {
		double predicted = 0;

		for (int k = 0; k < RATES; k++)
			predicted +=
				before * mix->share[k] * -expm1(-mix->rate[k] * (s->x[i] - begin));
		worst = fmax(worst, fabs(predicted - seen));
		seen += s->mass[i];
		worst = fmax(worst, fabs(predicted - seen));
	}
	return worst;
}

/*
 * A loop that ends just where sight does has no rate, and what the mixture makes of it goes on
 * behind the end. Where rates are so far from what was seen, lines watched on say alone what comes
 * behind. Returns 0, or -1 when memory ran out.
 */
static int fit(struct mixture *mix, const struct survival *s, const struct follow *follows,
	       size_t count)
{
	double begin = s->end_x / NEAR_END;
	struct follow *all;
	size_t with_near = with_near_ones(s, begin, follows, count, &all);
	int ret = all != NULL ? improve_often(mix, all, with_near, STEPS) : -1;
	bool fits;

	free(all);
	if (ret != 0)
		return -1;
	fits = misfit(mix, s, begin) <= MISFIT * s->left;
	pass(mix, s->end_x - begin);
	return fits ? 0 : improve_often(mix, follows, count, LAST_STEPS);
}

/*
 * Do windows see so much of the run, and of so much that is far, that the ages at which lines were
 * touched say where the others are? Then no law of rates is needed, which has uniformly random
 * touches 8 % too near.
 */
static bool is_seen_well(const struct model *m, const struct follow *follows, size_t count)
{
	double seen = 0, touched = 0;

	for (size_t w = 0; w < m->window_count && m->spans != NULL; w++)
		seen += m->spans[w].length;
	for (size_t i = 0; i < count; i++)
		touched += follows[i].touched;
	return seen > SEEN_WELL * m->accesses && m->pool.left > FAR_WELL && touched >= TOUCHED_WELL;
}

int follow_tail(const struct model *m, const struct follow *follows, size_t count, struct tail *t)
{
	double end = m->pool.end_x, nearest = fmax(1, end / FINEST), farthest = 0, touched = 0;
	struct mixture mix;

	for (size_t i = 0; i < count; i++) {
		touched += follows[i].touched;
		farthest = fmax(farthest, reach(&m->pool, follows[i].residual));
	}
	if (touched < FOLLOWS_MIN || farthest <= nearest)
		return -1;
	spread_rates(&mix, nearest, farthest, UNSEEN);
	if (fit(&mix, &m->pool, follows, count) != 0)
		return -1;
	mix.end = end;
	if (is_seen_well(m, follows, count) && regular_tail(m, follows, count, t) == 0)
		return 0;
	mix.regularity = regularity(&mix, &m->pool, m->last_lines / m->accesses);
	if (mix.regularity > REGULAR)
		return regular_tail(m, follows, count, t) == 0 ? 0 : 1;
	mixture_age(&mix, m, follows, count);
	for (size_t q = 0; q < t->count; q++)
		t->x[q] = end + quantile(&mix, 1 - ((double)q + 0.5) / (double)t->count,
					 nearest / 100, m->accesses * 10);
	return 0;
}
