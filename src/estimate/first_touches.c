/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First touches among window first touches; see first_touches.h. */
#include "estimate/first_touches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES 4096u
#define MOST_SCALE 2.0 /* some pages may have appeared where nothing was sampled */
#define HALVINGS   40
/*
 * The frequency of first touches on pages seen in an earlier window, relative to other pages. With
 * 1, 0.3, 0.1, 0.03 and 0, the lines that make first touches were 0.79, 0.73, 0.68, 0.65 and 0.64
 * off for perl, and 0.76, 0.72, 0.71, 0.71 and 0.71 for sqlite3 (half the sum of the differences of
 * all shares; three seeds).
 */
#define SEEN_PART 0.05

struct window {
	double pages; /* growth of the footprint until the next window */
	double lines; /* lines that its arrivals represent until then, weighted by SEEN_PART */
	double part;  /* part of all arrivals, with these weights */
};

struct placing {
	const struct arrivals *arrived;
	const struct profile *p;
	struct window *windows;
	struct map
		/* pages with arrivals -> number of the first window that touched them */
		seen;
};

static int see(struct map *seen, const struct store_access *access, uint32_t window, bool is_wanted)
{
	uint64_t page = access->address / PAGE_BYTES, first;

	if (map_get(seen, page, &first) ? first <= window : !is_wanted)
		return 0;
	return map_set(seen, page, window);
}

static int see_pages(struct placing *s)
{
	const struct profile *p = s->p;
	int status = 0;

	for (size_t k = 0; k < p->arrival_count && status == 0; k++)
		status = see(&s->seen, &p->arrivals[k].end, p->arrivals[k].window, true);
	for (size_t i = 0; i < p->sample_count && status == 0; i++) {
		const struct store_sample *x = &p->samples[i];

		status = see(&s->seen, &x->begin, x->window, false);
		if (status == 0 && x->end.location != STORE_NONE)
			status = see(&s->seen, &x->end, x->window, false);
	}
	return status;
}

/* Like arrivals_weight, with less weight for pages that are rarely touched first. */
static double weight_of(const struct placing *s, const struct store_arrival *x)
{
	uint64_t first;
	bool seen = map_get(&s->seen, x->end.address / PAGE_BYTES, &first) && first < x->window;

	return arrivals_weight(s->p, x) * (seen ? SEEN_PART : 1);
}

/* Freed memory was touched, too: a shrinking footprint counts as not growing. */
static void measure_pages(struct placing *s)
{
	const struct profile *p = s->p;
	double held = 0;

	for (size_t w = 0; w <= p->window_count; w++) {
		uint64_t now = w < p->window_count ? p->windows[w].footprint_pages
						   : p->process->footprint_pages;
		double grown = fmax(0, (double)now - held);

		held += grown;
		if (w > 0)
			s->windows[w - 1].pages = grown;
	}
}

static void measure_lines(struct placing *s)
{
	const struct profile *p = s->p;

	for (size_t k = 0; k < p->arrival_count; k++) {
		const struct store_arrival *x = &p->arrivals[k];
		double weight = weight_of(s, x);
		int64_t w = profile_window(p, x->window);
		uint64_t start, next;

		if (weight <= 0)
			continue;
		start = p->windows[w].start;
		next = (size_t)w + 1 < p->window_count ? p->windows[w + 1].start
						       : p->process->accesses;
		s->windows[w].part += weight / s->arrived->all;
		if (next > start)
			s->windows[w].lines +=
				weight * (double)(next - start) / (double)p->windows[w].stands_for;
	}
}

/*
 * The probability that an arrival of the window on a new page is a first touch, if this many lines
 * of a page are touched.
 */
static double chance_in(const struct window *w, double lines_a_page)
{
	return w->lines > 0 ? fmin(1, w->pages * lines_a_page / w->lines) : 0;
}

/*
 * Fit the number of lines per page so that first touches are `part` of all arrivals, within limits.
 */
static double fit_lines(const struct placing *s, double part)
{
	double low = 0, high = MOST_SCALE * PAGE_BYTES / s->p->line_bytes;

	for (int turn = 0; turn < HALVINGS; turn++) {
		double middle = (low + high) / 2, sum = 0;

		for (size_t w = 0; w < s->p->window_count; w++)
			sum += s->windows[w].part * chance_in(&s->windows[w], middle);
		if (sum < part)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

static void place(const struct placing *s, double part, double *first)
{
	const struct profile *p = s->p;
	double lines = fit_lines(s, part);

	for (size_t k = 0; k < p->arrival_count; k++) {
		const struct store_arrival *x = &p->arrivals[k];
		const struct store_location *l = profile_location(p, x->end.location);
		size_t i = l != NULL ? (size_t)(l - p->locations) : p->location_count;
		double weight = weight_of(s, x);

		if (weight > 0)
			first[i] += weight / s->arrived->all *
				    chance_in(&s->windows[profile_window(p, x->window)], lines);
	}
}

int first_touches_place(const struct arrivals *a, const struct profile *p, double part,
			double *first, struct err *err)
{
	struct placing s = {
		.arrived = a, .p = p, .windows = calloc(p->window_count + 1, sizeof(*s.windows))};
	int status = -1;

	memset(first, 0, (p->location_count + 1) * sizeof(*first));
	if (s.windows == NULL || see_pages(&s) != 0) {
		err_set(err, "not enough memory for %zu samples", p->sample_count);
	} else {
		status = 0;
		if (a->all > 0) {
			measure_pages(&s);
			measure_lines(&s);
			place(&s, part, first);
		}
	}
	map_release(&s.seen);
	free(s.windows);
	return status;
}
