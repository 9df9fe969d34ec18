/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Estimates from stretches of a run; see trace_sample.h. */
#include "model/trace_sample.h"

#include <math.h>

#include "model/parts.h"

#define DEAD_UNITS 65536

/* Between 0 and 1; `rest` if there is nothing to divide by. */
static double share_of(double part, double whole, double rest)
{
	return whole > 0 ? fmin(part / whole, 1) : rest;
}

/* The unknown misses that one known miss stands for, in units of `dead`; 0: nothing is known. */
static double dead_scale(const struct trace_sample *s)
{
	const double known = (double)(s->misses - s->unknown - s->above);

	return s->timed > 0 ? known / (double)s->timed / DEAD_UNITS : 0;
}

static bool tells_nothing(const struct trace_sample *s)
{
	return s->unknown + s->above == 0 || (s->misses > s->unknown + s->above && s->timed == 0);
}

double trace_sample_rho(const struct trace_sample *s)
{
	const double unknown = (double)(s->unknown + s->above), half = (double)s->half,
		     scale = dead_scale(s), dead = scale * (double)s->dead;
	double early, late;

	if (tells_nothing(s))
		return TRACE_SAMPLE_RHO;
	early = share_of(dead, unknown - 2 * half, TRACE_SAMPLE_RHO);
	late = s->ways > 1 ? TRACE_SAMPLE_RHO
			   : share_of(scale * (double)s->dead_late,
				      (double)s->late - 7.0 / 4 * half, early);
	return share_of(dead + 2 * late * half, unknown, TRACE_SAMPLE_RHO);
}

void trace_sample_range(const struct trace_sample *s, double *low, double *high)
{
	const double unknown = (double)(s->unknown + s->above),
		     dead = dead_scale(s) * (double)s->dead;

	*low = 0;
	*high = 1;
	if (tells_nothing(s) || s->misses == s->unknown + s->above)
		return;
	*low = share_of(dead, unknown, 0);
	*high = share_of(dead + 2 * (double)s->half, unknown, 1);
}

struct trace_sample_lines trace_sample_lines(const double seen[3], double share)
{
	const double once = fmax(seen[0] - seen[1], 0), twice = fmax(seen[1] - seen[2], 0),
		     most = share > 0 ? once * fmax(1 - share, 0) / share : 0,
		     chao = once * fmax(once - 1, 0) / (2 * (twice + 1));

	return (struct trace_sample_lines){
		.lines = seen[0] + fmin(chao, most), .low = seen[0], .high = seen[0] + most};
}

void trace_sample_add(double to[TRACE_SAMPLE_CONTRASTS], const struct trace_sample_part *x,
		      const struct trace_sample_lengths *l, double scale)
{
	const double ratio = l->accesses > 0 ? x->misses / l->accesses : 0;

	for (size_t i = 0; i < TRACE_SAMPLE_CONTRASTS; i++)
		to[i] += scale * ((double)x->known[i] + x->rho * (double)x->unknown[i] -
				  ratio * l->contrasts[i]);
}

double trace_sample_variance(const struct trace_sample_bounds *b,
			     const double contrasts[TRACE_SAMPLE_CONTRASTS])
{
	double squares = 0;

	if (b == NULL || b->share >= 1)
		return 0;
	for (size_t i = 0; i < TRACE_SAMPLE_CONTRASTS; i++)
		squares += contrasts[i] * contrasts[i];
	return (1 - b->share) * squares / TRACE_SAMPLE_CONTRASTS;
}

void trace_sample_find_range(struct trace_sample_bounds *b, const struct trace_sample *s,
			     double rho)
{
	double low, high;

	trace_sample_range(s, &low, &high);
	b->less = rho > low ? (rho - low) / rho : 0;
	b->more = rho < high ? (high - rho) / (1 - rho) : 0;
}

double trace_sample_least(const struct trace_sample_bounds *b, const struct trace_sample_rhos *rho,
			  double known, double unknown, double above)
{
	return known + (1 - b->less) * (rho->unknown * unknown + rho->above * above);
}

double trace_sample_most(const struct trace_sample_bounds *b, const struct trace_sample_rhos *rho,
			 double known, double unknown, double above)
{
	const double perhaps = rho->unknown * unknown + rho->above * above;

	return known + perhaps + b->more * (unknown + above - perhaps);
}

void trace_sample_add_unknown(struct trace_sample_bounds *b, const struct trace_sample_rhos *rho,
			      double unknown, double above)
{
	b->unknown += unknown + above;
	b->unknown_low += trace_sample_least(b, rho, 0, unknown, above);
	b->unknown_high += trace_sample_most(b, rho, 0, unknown, above);
}

double trace_sample_part_least(const struct trace_sample_bounds *b, double unknown)
{
	return fmax(b->unknown_low - fmax(b->unknown - unknown, 0), 0);
}

double trace_sample_part_most(const struct trace_sample_bounds *b, double unknown)
{
	return fmin(unknown, b->unknown_high);
}

static double quantile_of(size_t degrees)
{
	return model_student_quantile(degrees > 0 ? degrees : 1);
}

void trace_sample_bounds(struct trace_sample_bounds *b, const double *misses,
			 const double *accesses, size_t n, double share)
{
	double all = 0, whole = 0, squares = 0, ratio;

	b->variance = b->quantile = b->part_quantile = 0;
	b->share = share;
	for (size_t i = 0; i < n; i++) {
		all += misses[i];
		whole += accesses[i];
	}
	b->most = share > 0 ? whole / share : 0;
	if (n < 2 || !(whole > 0) || !(share > 0))
		return;
	b->quantile = quantile_of(2 * (n - 1) / 3);
	b->part_quantile =
		quantile_of(n / 2 < TRACE_SAMPLE_CONTRASTS ? n / 2 : TRACE_SAMPLE_CONTRASTS);
	ratio = all / whole;
	for (size_t i = 0; i + 1 < n; i++)
		squares += pow(misses[i] - misses[i + 1] - ratio * (accesses[i] - accesses[i + 1]),
			       2) /
			   2;
	b->variance =
		share < 1 ? (1 - share) * squares * (double)n / (double)(n - 1) / (share * share)
			  : 0;
}

/* Misses whose lots, of which the estimate has value^2 / variance, are `reach` off. */
static double score(double value, double variance, double quantile, double sign)
{
	const double lot = value > 0 ? variance / value : 0, half = quantile * quantile * lot / 2;

	return value + half + sign * sqrt(half * half + quantile * quantile * variance);
}

double trace_sample_low(const struct trace_sample_bounds *b, double low, double variance,
			double quantile)
{
	if (b == NULL)
		return low;
	return quantile > 0 ? fmax(score(low, variance, quantile, -1), 0) : 0;
}

double trace_sample_high(const struct trace_sample_bounds *b, double high, double variance,
			 double quantile)
{
	const double most = b != NULL ? fmax(b->most, high) : high;

	if (b == NULL || variance <= 0)
		return b == NULL || quantile > 0 ? high : most;
	return quantile > 0 ? fmin(score(high, variance, quantile, 1), most) : most;
}
