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

double trace_sample_half(const double *part, const double *whole, size_t n, double share)
{
	double parts = 0, wholes = 0, squares = 0, ratio;

	for (size_t i = 0; i < n; i++) {
		parts += part[i];
		wholes += whole[i];
	}
	if (n < 2 || !(wholes > 0))
		return NAN;
	ratio = parts / wholes;
	for (size_t i = 0; i < n; i++)
		squares += (part[i] - ratio * whole[i]) * (part[i] - ratio * whole[i]);
	return model_student_quantile(n - 1) *
	       sqrt((1 - share) * squares * (double)n / (double)(n - 1)) / wholes;
}
