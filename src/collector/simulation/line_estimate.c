/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The estimate of a curve from a sample of lines; see line_estimate.h. */
#include "collector/simulation/line_estimate.h"

#include <math.h>
#include <stdlib.h>

#include "collector/simulation/line_sample.h"

#define STUDENT	   2.6	/* 98 %, 15 degrees of freedom: errors of all sizes go together */
#define DEVIATIONS 2.0	/* of a distance */
#define RULE	   3.0	/* events that may be there where none was seen: 95 % */
#define TOLERANCE  0.01 /* of the number of lines */

/* ---- Sets of groups: one, all but one, all ---- */

#define WITHOUT(g) (LINES_GROUPS + (g))
#define ALL_GROUPS (2 * LINES_GROUPS)
#define SETS	   (ALL_GROUPS + 1)

static double sum(const double *of, size_t stride, unsigned set)
{
	double all = 0;

	if (set < LINES_GROUPS)
		return of[set * stride];
	for (unsigned g = 0; g < LINES_GROUPS; g++)
		if (set != WITHOUT(g))
			all += of[g * stride];
	return all;
}

/* To all groups. */
static double scale_of(unsigned set)
{
	return set < LINES_GROUPS ? LINES_GROUPS
	       : set < ALL_GROUPS ? LINES_GROUPS / (LINES_GROUPS - 1.0)
				  : 1;
}

/* ---- What each source says ---- */

static size_t place(unsigned level, unsigned set, uint64_t lines)
{
	return ((size_t)level * SETS + set) * LINES_PLACES + lines;
}

/* Kaplan and Meier's estimate, of a level's probes. */
static void solve_probes(struct line_sample *s, unsigned level, unsigned set)
{
	const double *of_found = s->found + level * LINES_LEVEL_PLACES;
	const double *of_ended = s->ended + level * LINES_LEVEL_PLACES;
	struct line_estimate *e = &s->estimate;
	double left = 0, part = 1, known = 1;

	for (unsigned i = 0; i < LINES_PLACES; i++)
		left += sum(of_found + i, LINES_PLACES, set) + sum(of_ended + i, LINES_PLACES, set);
	e->weights[level * SETS + set] = left;
	for (unsigned i = 0; i < LINES_PLACES; i++) {
		const double found = sum(of_found + i, LINES_PLACES, set);
		const double ended = sum(of_ended + i, LINES_PLACES, set);
		const bool by_lot = i == LINES_LOTS_1 || i == LINES_LOTS_2 || i == LINES_PROBED;

		e->far[place(level, set, i)] = part;
		e->known_far[place(level, set, i)] = known;
		if (!by_lot && left > 0)
			known *= fmin(fmax(1 - ended / left, 0), 1);
		left -= ended;
		if (left > 0) {
			part *= fmax(1 - found / left, 0);
			known *= fmax(1 - found / left, 0);
		}
		left -= found;
	}
}

/* Lines that one of level 1 stands for. */
static double level_scale(const struct line_sample *s)
{
	return s->level_lines >= 1 ? s->lines / s->level_lines : LINES_LEVEL_ONE_IN;
}

static double by_sample(const struct line_sample *s, double lines, unsigned set)
{
	double misses = 0;

	for (unsigned i = s->point_count; i-- > 0 && (double)s->points[i] >= lines;)
		misses += sum(s->misses + i, s->point_count, set);
	return s->estimate.first + scale_of(set) * misses / (double)s->accesses;
}

static double by_level_1(const struct line_sample *s, double lines, unsigned set)
{
	const struct line_estimate *e = &s->estimate;
	const double scale = level_scale(s), at = fmin(round(lines / scale), LINES_PROBED);

	return scale_of(set) * e->far[place(1, set, (uint64_t)at)] * e->weights[SETS + set] *
	       scale / (double)s->accesses;
}

static double part_by(const struct line_sample *s, enum line_source by, double lines, unsigned set)
{
	if (by == LINES_BY_SAMPLE)
		return by_sample(s, lines, set);
	if (by == LINES_BY_LEVEL_1)
		return by_level_1(s, lines, set);
	return s->estimate.far[place(0, set, (uint64_t)fmin(lines, LINES_PROBED))];
}

/* ---- The estimate ---- */

static bool has_level_1(const struct line_sample *s)
{
	return s->config.one_in > LINES_LEVEL_ONE_IN;
}

static enum line_source source_of(const struct line_sample *s, double lines)
{
	if (lines <= LINES_PROBED)
		return LINES_BY_PROBES;
	return has_level_1(s) && lines <= LINES_FARTHEST_1 ? LINES_BY_LEVEL_1 : LINES_BY_SAMPLE;
}

static enum line_source below(const struct line_sample *s, enum line_source by)
{
	return by == LINES_BY_SAMPLE && has_level_1(s) ? LINES_BY_LEVEL_1 : LINES_BY_PROBES;
}

static double anchor_of(const struct line_sample *s, enum line_source by)
{
	return by == LINES_BY_LEVEL_1 ? LINES_PROBED : (double)s->anchor;
}

static double estimate(const struct line_sample *s, enum line_source by, double lines, unsigned set)
{
	const struct line_estimate *e = &s->estimate;
	const double part = part_by(s, by, lines, set);
	/* The sample tells first touches apart. */
	const double base = by == LINES_BY_SAMPLE ? e->first : 0;
	double own, other, level;

	if (by == LINES_BY_PROBES)
		return fmax(part, e->first);
	own = part_by(s, by, anchor_of(s, by), set);
	other = estimate(s, below(s, by), anchor_of(s, by), set);
	level = e->trust[by] * other + (1 - e->trust[by]) * own;
	if (own <= base)
		return e->first;
	return fmax(base + (level - base) * fmin((part - base) / (own - base), 1), e->first);
}

/* ---- Variances ---- */

typedef double value_fn(const struct line_sample *s, enum line_source by, double lines,
			unsigned set);

/* By the jackknife. */
static double variance(const struct line_sample *s, value_fn *value, enum line_source by,
		       double lines)
{
	double each[LINES_GROUPS], mean = 0, squares = 0;

	for (unsigned g = 0; g < LINES_GROUPS; g++) {
		each[g] = value(s, by, lines, WITHOUT(g));
		mean += each[g] / LINES_GROUPS;
	}
	for (unsigned g = 0; g < LINES_GROUPS; g++)
		squares += (each[g] - mean) * (each[g] - mean);
	return squares * (LINES_GROUPS - 1) / LINES_GROUPS;
}

/* What one event of a source stands for. */
static double event_of(const struct line_sample *s, enum line_source by, double lines)
{
	const double far = lines >= 256 ? 4 : lines >= 64 ? 2 : 1; /* probes that ended early */

	if (by == LINES_BY_PROBES)
		return s->probes[0] > 0 ? far / (double)s->probes[0] : 1;
	if (by == LINES_BY_LEVEL_1)
		return s->probes[1] > 0
			       ? 4 * s->estimate.weights[SETS + ALL_GROUPS] * level_scale(s) /
					 (double)s->probes[1] / (double)s->accesses
			       : 0;
	return s->scale / (double)s->accesses;
}

static double squared(double x)
{
	return x * x;
}

/*
 * How much the source below is trusted at the anchor. Beyond what its groups show, a source of few
 * lines is uncertain by the root of their number.
 */
static void solve_trust(struct line_sample *s, enum line_source by)
{
	const enum line_source other = below(s, by);
	const double at = anchor_of(s, by),
		     lines = by == LINES_BY_SAMPLE ? (double)s->lru.lines : s->level_lines;
	const double of_other = estimate(s, other, at, ALL_GROUPS);
	const double of_own = part_by(s, by, at, ALL_GROUPS);
	const double v_other = variance(s, estimate, other, at) + squared(event_of(s, other, at));
	const double v_own = variance(s, part_by, by, at) + squared(event_of(s, by, at)) +
			     squared(fmax(of_other, of_own)) / (lines + 1);

	s->estimate.trust[by] = v_own + v_other > 0 ? v_own / (v_own + v_other) : 1;
}

int line_estimate_solve(struct line_sample *s)
{
	struct line_estimate *e = &s->estimate;
	const size_t count = (size_t)LINES_LEVELS * SETS;

	e->far = calloc(count * LINES_PLACES, sizeof(double));
	e->known_far = calloc(count * LINES_PLACES, sizeof(double));
	e->weights = calloc(count, sizeof(double));
	if (e->far == NULL || e->known_far == NULL || e->weights == NULL)
		return -1;
	if (s->accesses == 0)
		return 0;
	for (unsigned level = 0; level < LINES_LEVELS; level++)
		for (unsigned set = 0; set < SETS; set++)
			solve_probes(s, level, set);
	e->first = line_sample_is_whole(s) ? (double)s->new_accesses : s->first_touches;
	e->first = fmin(e->first / (double)s->accesses, 1);
	if (has_level_1(s))
		solve_trust(s, LINES_BY_LEVEL_1);
	if (s->config.one_in > 1)
		solve_trust(s, LINES_BY_SAMPLE);
	return 0;
}

void line_estimate_release(struct line_estimate *e)
{
	free(e->far);
	free(e->known_far);
	free(e->weights);
	*e = (struct line_estimate){0};
}

/* ---- Results ---- */

/* Does the cache hold all that was ever touched? */
static bool holds_all(const struct line_sample *s, double lines)
{
	return lines >= s->lines * (1 + TOLERANCE);
}

/* The bounds of distances that look like `lines`, as a factor. */
static double blur(const struct line_sample *s, double lines)
{
	const enum line_source by = source_of(s, lines);
	const double scale = by == LINES_BY_SAMPLE ? s->scale : level_scale(s);
	const double rest = fmax(1 - lines / fmax(s->lines, 1), 0) + TOLERANCE;

	if (by == LINES_BY_PROBES)
		return 0;
	return fmin(DEVIATIONS * sqrt(rest * scale / lines) + scale / lines, 0.9);
}

static double reach(const struct line_sample *s, double lines)
{
	const enum line_source by = source_of(s, lines);

	return STUDENT * sqrt(variance(s, estimate, by, lines));
}

static double high_at(const struct line_sample *s, double lines)
{
	const enum line_source by = source_of(s, lines);

	if (holds_all(s, lines))
		return s->estimate.first * (1 + TOLERANCE);
	return estimate(s, by, lines, ALL_GROUPS) + reach(s, lines) + RULE * event_of(s, by, lines);
}

static double low_at(const struct line_sample *s, double lines)
{
	const struct line_estimate *e = &s->estimate;
	const double least = e->first * (1 - TOLERANCE);
	const enum line_source by = source_of(s, lines);
	const size_t at = place(0, ALL_GROUPS, (uint64_t)fmin(lines, LINES_PROBED));
	/* Of what is farther than the known past nobody knows how far. */
	const double known = e->far[at] > 0 ? e->known_far[at] / e->far[at] : 1;

	if (holds_all(s, lines))
		return least;
	return fmax((estimate(s, by, lines, ALL_GROUPS) - reach(s, lines)) * known, least);
}

/* A larger cache does not miss more often, whatever its source says. */
static double never_rising(const struct line_sample *s, double lines)
{
	enum line_source by = source_of(s, lines);
	double ratio = fmin(estimate(s, by, lines, ALL_GROUPS), 1);

	while (by != LINES_BY_PROBES) {
		const double at = anchor_of(s, by);

		by = below(s, by);
		ratio = fmin(ratio, estimate(s, by, at, ALL_GROUPS));
	}
	return ratio;
}

struct line_ratio line_estimate_ratio(const struct line_sample *s, uint64_t size)
{
	const double lines = (double)size;
	struct line_ratio r = {0};

	if (s->accesses == 0)
		return r;
	if (line_sample_is_whole(s)) {
		r.ratio = r.low = r.high = by_sample(s, lines, ALL_GROUPS);
		return r;
	}
	r.ratio = holds_all(s, lines) ? s->estimate.first : never_rising(s, lines);
	r.low = fmin(low_at(s, lines * (1 + blur(s, lines))), r.ratio);
	r.high = fmin(fmax(high_at(s, lines * (1 - blur(s, lines))), r.ratio), 1);
	return r;
}
