/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the reuses of a loop lie that is longer than windows see. Its touches have no rate: all
 * lines are touched at one age, and one that was not looked at just then is met a round later. So
 * lines watched on are counted by their age, accesses of the run since they were touched: of those
 * that a window looked at when they were so old, how many were touched. It is Kaplan and Meier's
 * product limit, with times at which a line is not under observation. While nobody looks a line may
 * be touched, as likely as those of its age that are looked at: afterwards it counts for so much
 * less. A line is older than it was watched in windows, so it may have been watched for less than
 * windows see, and count here. Of any other reuses it all tells as well, where windows see enough
 * of the run.
 */
#include <math.h>
#include <stdlib.h>

#include "model/mixture.h"

#define TOUCHES_MIN 12	/* with fewer there is nothing to tell */
#define LEFT_MOST   0.2 /* of all, whose age was not seen: the others do not tell of more */

enum happening { BEGINS, TOUCHED, ENDS };

/* Looking at a line begins at an age, and ends: as it is touched, or not. */
struct event {
	double age;
	size_t line;
	enum happening what;
};

struct events {
	struct event *items;
	size_t count, room, touches;
};

struct line {
	double weight; /* times the chance that it has not been touched yet */
	double left;   /* of all, when it was looked at last */
};

static int in_order(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->age != y->age)
		return x->age < y->age ? -1 : 1;
	return (int)x->what - (int)y->what;
}

static int add(struct events *e, double age, size_t line, enum happening what)
{
	if (e->count == e->room) {
		size_t room = 2 * e->room + 1024;
		struct event *items = realloc(e->items, room * sizeof(*items));

		if (items == NULL)
			return -1;
		e->items = items;
		e->room = room;
	}
	e->items[e->count++] = (struct event){age, line, what};
	return 0;
}

/*
 * One line, through the windows that it was watched in; nothing of the ages that all windows see.
 */
static int follow(struct events *e, const struct model *m, const struct follow *f, size_t line)
{
	double sight = m->pool.end_x, watched = f->residual + sight;

	for (size_t w = f->window; w < m->window_count && watched > 0; w++) {
		const struct window_span *s = &m->spans[w];
		double start = fmax(f->begin, s->start),
		       length = fmin(watched, s->start + s->length - start);
		double from = fmax(sight, start - f->begin), to = start - f->begin + length;
		bool is_touched;

		if (length <= 0)
			continue;
		watched -= length;
		if (to <= sight)
			continue;
		is_touched = watched <= 0 && f->touched;
		e->touches += is_touched;
		if (add(e, from, line, BEGINS) != 0 ||
		    add(e, to, line, is_touched ? TOUCHED : ENDS) != 0)
			return -1;
	}
	return 0;
}

/*
 * Places the tail's pieces at the quantiles of the ages. Returns how much of all is left at the
 * last touch.
 */
static double place(const struct events *e, struct line *lines, struct tail *t)
{
	double left = 1, looked_at = 0, last = 0;
	size_t q = 0;

	for (size_t i = 0; i < e->count; i++) {
		const struct event *x = &e->items[i];
		struct line *line = &lines[x->line];

		if (x->what == BEGINS) {
			line->weight *= line->left > 0 ? left / line->left : 0;
			looked_at += line->weight;
			continue;
		}
		if (x->what == TOUCHED && line->weight > 0) {
			last = x->age;
			left *= 1 - line->weight / fmax(line->weight, looked_at);
		}
		looked_at -= line->weight;
		line->left = left;
		while (q < t->count && 1 - ((double)q + 0.5) / (double)t->count >= left)
			t->x[q++] = last;
	}
	while (q < t->count)
		t->x[q++] = last;
	return left;
}

int regular_tail(const struct model *m, const struct follow *follows, size_t count, struct tail *t)
{
	size_t all = count + m->early_count;
	struct line *lines = calloc(all + 1, sizeof(*lines));
	struct events e = {0};
	int ret = m->spans != NULL && lines != NULL ? 0 : -1;

	for (size_t i = 0; i < all && ret == 0; i++) {
		const struct follow *f = i < count ? &follows[i] : &m->early_follows[i - count];

		lines[i] = (struct line){f->weight, 1};
		if (f->begin > 0)
			ret = follow(&e, m, f, i);
	}
	if (ret == 0 && e.touches >= TOUCHES_MIN) {
		qsort(e.items, e.count, sizeof(*e.items), in_order);
		ret = place(&e, lines, t) <= LEFT_MOST ? 0 : -1;
	} else {
		ret = -1;
	}
	free(e.items);
	free(lines);
	return ret;
}
