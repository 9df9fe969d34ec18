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

double trace_sample_rho(const struct trace_sample *s)
{
	const double unknown = (double)(s->unknown + s->above),
		     known = (double)(s->misses - s->unknown - s->above), half = (double)s->half,
		     scale = s->timed > 0 ? known / (double)s->timed / DEAD_UNITS : 0,
		     dead = scale * (double)s->dead;
	double early, late;

	if (!(unknown > 0) || (known > 0 && s->timed == 0))
		return TRACE_SAMPLE_RHO;
	early = share_of(dead, unknown - 2 * half, TRACE_SAMPLE_RHO);
	late = s->ways > 1 ? TRACE_SAMPLE_RHO
			   : share_of(scale * (double)s->dead_late,
				      (double)s->late - 7.0 / 4 * half, early);
	return share_of(dead + 2 * late * half, unknown, TRACE_SAMPLE_RHO);
}

void trace_sample_spread(struct trace_sample_spread *s, const double *part, const double *whole,
			 size_t n, double share)
{
	double parts = 0, wholes = 0, squares = 0, ratio, rest = share < 1 ? 1 - share : 0;

	*s = (struct trace_sample_spread){0};
	for (size_t i = 0; i < n; i++) {
		parts += part[i];
		wholes += whole[i];
	}
	s->sum = share > 0 ? parts / share : 0;
	s->most = share > 0 ? wholes / share : 0;
	s->quantile = n < 2 ? 0 : model_student_quantile(n - 1);
	if (n < 2 || !(parts > 0))
		return;
	ratio = parts / wholes;
	for (size_t i = 0; i < n; i++)
		squares += pow(part[i] - ratio * whole[i], 2);
	s->variance = rest * squares * (double)n / (double)(n - 1) / (parts * parts);
	s->one_in = rest / (double)n;
}

double trace_sample_reach(const struct trace_sample_spread *s, double part)
{
	const double p = s->sum > 0 ? fmin(part / s->sum, 1) : 0;

	if (s->quantile <= 0)
		return INFINITY;
	return s->quantile * s->sum * sqrt(p * s->variance + p * (1 - p) * s->one_in);
}

void trace_sample_bounds(struct trace_sample_bounds *b, const double *known, const double *all,
			 const double *accesses, size_t n, double share)
{
	trace_sample_spread(&b->known, known, accesses, n, share);
	trace_sample_spread(&b->all, all, accesses, n, share);
}

double trace_sample_low(const struct trace_sample_bounds *b, double known)
{
	return b != NULL ? fmax(known - trace_sample_reach(&b->known, known), 0) : known;
}

double trace_sample_high(const struct trace_sample_bounds *b, double all)
{
	if (b == NULL)
		return all;
	return fmin(all + trace_sample_reach(&b->all, all), fmax(b->all.most, all));
}
