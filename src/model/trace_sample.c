/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Estimates from stretches of a run; see trace_sample.h. */
#include "model/trace_sample.h"

#include <math.h>

#include "model/parts.h"

double trace_sample_wood(const struct trace_sample *s)
{
	double live, used;

	if (!(s->generation_time > 0) || !(s->filled > 0))
		return NAN;
	live = s->places * (1 - s->dead_time / s->generation_time);
	used = s->filled / s->stretches;
	return used > live ? 1 - live / used : 0;
}

double trace_sample_gauge(const struct trace_sample *s)
{
	const double all = s->places * s->stretches;

	return all > 0 ? s->generations / all : 0;
}

double trace_sample_rho(const struct trace_sample *s)
{
	const double wood = trace_sample_wood(s);

	return !isnan(wood) && trace_sample_gauge(s) >= TRACE_SAMPLE_GAUGE ? wood
									   : TRACE_SAMPLE_RHO;
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
