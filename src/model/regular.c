/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the reuses of a loop lie that is longer than windows see. Its touches have no rate: all lines are touched at one age, and
 * who was not looked at just then is met a round later. So lines watched on are counted by their age, accesses of the
 * run since they were touched: of those that a window looked at over an age, how many were touched at it. Ages
 * at which nobody looked tell nothing (Kaplan and Meier's product limit, with times at which a line is not under
 * observation). A line that was touched unseen is taken for one that was not; in a loop none is left by then.
 */
#include <math.h>
#include <string.h>

#include "model/mixture.h"

#define STEPS	 16 /* an octave of age */
#define OCTAVES	 16
#define BINS	 (STEPS * OCTAVES)
#define SEEN_MIN 12  /* touches */
#define LEFT	 0.2 /* of all, whose age must have been seen but for so many */

/* By age, from where sight ends. */
struct by_age {
	double end;
	double looked_at[BINS], touched[BINS]; /* weight of lines; an age looked at in part counts in part */
	double touches;
	unsigned last; /* of those with touches */
};

static double age_of(const struct by_age *a, double bin)
{
	return a->end * exp2(bin / STEPS);
}

/* Negative below the end of sight. */
static double bin_of(const struct by_age *a, double age)
{
	return age > a->end ? STEPS * log2(age / a->end) : -1;
}

/* A line was looked at from one age to another. */
static void look(struct by_age *a, double from, double to, double weight)
{
	double first = floor(fmax(0, bin_of(a, from)));

	for (double b = first; b < BINS && age_of(a, b) < to; b++) {
		double begin = age_of(a, b), end = age_of(a, b + 1);

		a->looked_at[(unsigned)b] += weight * (fmin(to, end) - fmax(from, begin)) / (end - begin);
	}
}

/* It was touched at that age: for the step that the age lies in it counts whole. */
static void touch(struct by_age *a, double from, double age, double weight)
{
	double bin = floor(bin_of(a, age)), begin;

	if (bin < 0 || bin >= BINS)
		return;
	begin = age_of(a, bin);
	if (from < begin)
		look(a, from, begin, weight);
	a->looked_at[(unsigned)bin] += weight;
	a->touched[(unsigned)bin] += weight;
	a->touches++;
	a->last = (unsigned)fmax(a->last, bin);
}

/* Through the windows that it was watched in. */
static void follow(struct by_age *a, const struct model *m, const struct follow *f)
{
	double watched = f->residual + a->end;

	for (size_t w = f->window; w < m->window_count && watched > 0; w++) {
		const struct window_span *s = &m->spans[w];
		double start = fmax(f->begin, s->start), length = fmin(watched, s->start + s->length - start);
		double from = start - f->begin;

		if (length <= 0)
			continue;
		watched -= length;
		if (watched <= 0 && f->touched)
			touch(a, from, from + length, f->weight);
		else
			look(a, from, from + length, f->weight);
	}
}

/* The quantiles of the ages at which lines are touched; those that nobody saw so far are taken for the farthest seen. */
static void place(const struct by_age *a, struct tail *t)
{
	double left = 1;
	size_t q = 0;

	for (unsigned b = 0; b <= a->last; b++) {
		double now = a->touched[b] > 0 ? left * fmax(0, 1 - a->touched[b] / a->looked_at[b]) : left;

		for (; q < t->count; q++) {
			double share = 1 - ((double)q + 0.5) / (double)t->count;

			if (share < now)
				break;
			t->x[q] = age_of(a, b + (left > now ? (left - share) / (left - now) : 0));
		}
		left = now;
	}
	for (; q < t->count; q++)
		t->x[q] = age_of(a, a->last + 1);
}

static double left_at_last(const struct by_age *a)
{
	double left = 1;

	for (unsigned b = 0; b <= a->last; b++)
		if (a->touched[b] > 0)
			left *= fmax(0, 1 - a->touched[b] / a->looked_at[b]);
	return left;
}

int regular_tail(const struct model *m, const struct follow *follows, size_t count, struct tail *t)
{
	struct by_age a = {.end = m->pool.end_x};

	if (m->spans == NULL || a.end <= 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (follows[i].begin > 0)
			follow(&a, m, &follows[i]);
	if (a.touches < SEEN_MIN || left_at_last(&a) > LEFT)
		return -1;
	place(&a, t);
	return 0;
}
