/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Miss ratios by line size; see spatial.h. */
#include "estimate/spatial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The average number of lines that an access of the part touches; without any, `other`. */
static double touches_of(const struct profile *at, const struct subset *part,
			 const struct profile_share *shares, double other)
{
	double touches = 0, accesses = 0;

	for (size_t i = 0; i < at->end_count; i++) {
		if (part->row_of[i] != 0)
			continue;
		touches += shares[i].accesses *
			   profile_lines_touched(at->ends[i].access, at->line_bytes);
		accesses += shares[i].accesses;
	}
	return accesses > 0 ? touches / accesses : other;
}

/* Restrict the lines per access to the part. */
static int restrict_touches(const struct profile *at, const struct subset *part,
			    const struct query *q, double *touches, struct err *err)
{
	struct profile_share *shares = profile_attribute_misses(at, q, err);

	if (shares == NULL)
		return -1;
	*touches = touches_of(at, part, shares, *touches);
	free(shares);
	return 0;
}

/* Restrict the ratios, lines per access and samples to the part. */
static int restrict_line(const struct profile *at, struct spatial *s, size_t k, struct err *err)
{
	struct curve_point points[SPATIAL_SIZES] = {0};
	struct curve curve = {.profile = at, .query = s->query, .points = points};
	const struct query q = query_at(s->query, s->sizes[0]);
	struct subset part;
	int status;

	if (subset_find(&part, at, s->part_kind, s->part, err) != 0)
		return -1;
	for (size_t i = 0; i < s->size_count; i++)
		if (s->ratios[k][i].known)
			points[curve.count++] = (struct curve_point){s->sizes[i], s->ratios[k][i]};
	status = subset_solve(&part, at, &curve, err);
	for (size_t i = 0, n = 0; status == 0 && i < s->size_count; i++)
		if (s->ratios[k][i].known)
			s->ratios[k][i] = points[n++].ratio;
	if (status == 0)
		status = restrict_touches(at, &part, &q, &s->touches[k], err);
	s->samples = part.count < s->samples ? part.count : s->samples;
	if (s->note == NULL && part.note != NULL)
		s->note = strdup(part.note);
	subset_release(&part);
	return status;
}

static int compute_line(const struct profile *p, const struct profile_nested *n, struct spatial *s,
			size_t k, struct err *err)
{
	struct profile at;
	int status = 0;

	if (profile_at_line(p, n, spatial_line(k), &at, err) != 0)
		return -1;
	s->touches[k] = at.touches;
	for (size_t i = 0; i < s->size_count; i++) {
		const struct query q = query_at(s->query, s->sizes[i]);

		s->ratios[k][i] = (struct model_ratio){.high = 1, .bound_high = 1};
		if (s->sizes[i] >= spatial_line(k) * (q.ways > 0 ? q.ways : 1))
			profile_solve(&at, &q, &s->ratios[k][i]);
	}
	if (s->part != NULL)
		status = restrict_line(&at, s, k, err);
	else
		s->samples = at.end_count < s->samples ? at.end_count : s->samples;
	profile_leave_line(&at);
	return status;
}

void spatial_release(struct spatial *s)
{
	free(s->note);
	s->note = NULL;
}

int spatial_compute(const struct profile *p, struct spatial *s, struct err *err)
{
	struct profile_nested n;
	int status = 0;

	if (profile_read_nested(p, &n, err) != 0)
		return -1;
	s->samples = SIZE_MAX;
	for (size_t k = 0; k < SPATIAL_LINES && status == 0; k++)
		status = compute_line(p, &n, s, k, err);
	free(n.items);
	return status;
}

double spatial_use(const struct spatial *s, size_t line, size_t size)
{
	size_t small = (size_t)__builtin_ctz(s->small_line / SPATIAL_FIRST);
	double fetched = s->ratios[line][size].ratio * s->touches[line];
	double fetched_small = s->ratios[small][size].ratio * s->touches[small];

	if (line <= small || !s->ratios[line][size].known || !s->ratios[small][size].known ||
	    fetched_small <= 0)
		return NAN;
	return (1 - fetched / fetched_small) / (1 - (double)s->small_line / spatial_line(line));
}

double spatial_traffic(const struct spatial *s, size_t line, size_t size)
{
	return s->ratios[line][size].ratio * s->touches[line] * spatial_line(line);
}

double spatial_used(const struct spatial *s, size_t line, size_t size)
{
	double asked = spatial_traffic(s, 0, size), fetched = spatial_traffic(s, line, size);

	return fetched > 0 ? fmin(1, asked / fetched) : NAN;
}

int spatial_used_of(const struct profile *p, const struct query *q, double *used, struct err *err)
{
	struct spatial s = {
		.query = q, .sizes = {q->size_bytes}, .size_count = 1, .small_line = SPATIAL_FIRST};
	size_t line = (size_t)__builtin_ctz(p->line_bytes / SPATIAL_FIRST);
	struct profile_nested n;
	int status;

	*used = NAN;
	if (store_meta_int(p->store, "nested_one_in", 0) == 0)
		return 0;
	if (profile_read_nested(p, &n, err) != 0)
		return -1;
	status = compute_line(p, &n, &s, 0, err);
	if (status == 0)
		status = compute_line(p, &n, &s, line, err);
	free(n.items);
	if (status == 0 && s.ratios[0][0].known && s.ratios[line][0].known)
		*used = spatial_used(&s, line, 0);
	return status;
}
