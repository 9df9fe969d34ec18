/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A fully associative cache beside a first level; see recency.h. */
#include "engine/simulate/observe/recency.h"

#include "engine/core/util.h"
#include "engine/simulate/counts/sim_pages.h"

int recency_init(struct recency *r, uint32_t most, const uint64_t *stamps, uint64_t stamp_count)
{
	*r = (struct recency){.stamps = stamps, .most = most};
	r->lines = sim_take(&sim_pages, most * sizeof *r->lines);
	r->sorted = sim_take(&sim_pages, most * sizeof *r->sorted);
	r->spare = sim_take(&sim_pages, most * sizeof *r->spare);
	r->places = sim_take(&sim_pages, stamp_count * sizeof *r->places);
	if (!r->lines || !r->sorted || !r->spare || !r->places)
		return -1;
	return sim_index_init(&r->index, most, &sim_pages);
}

/* ---- The order ---- */

/* Merge from[0..half) and from[half..n), which are sorted. Without branches on what they hold. */
static void merge(const struct recency_item *from, uint32_t half, uint32_t n,
		  struct recency_item *to)
{
	const struct recency_item *a = from, *b = from + half;

	while (a < from + half && b < from + n) {
		const bool is_b = b->used < a->used;

		*to++ = is_b ? *b : *a;
		b += is_b;
		a += !is_b;
	}
	while (a < from + half)
		*to++ = *a++;
	while (b < from + n)
		*to++ = *b++;
}

/* Sort items[0..n) with as much spare room. Halves that follow each other are left as they are. */
static void sort(struct recency_item *items, struct recency_item *spare, uint32_t n)
{
	const uint32_t half = n / 2;

	if (n < 2)
		return;
	sort(items, spare, half);
	sort(items + half, spare, n - half);
	if (items[half - 1].used < items[half].used)
		return;
	merge(items, half, n, spare);
	memcpy(items, spare, n * sizeof *items);
}

static uint64_t last_use(const struct recency_line *l)
{
	return l->stamp ? *l->stamp : l->used;
}

/* Lines that came since stand where those stood that they have evicted: in the order of time. */
static void sort_again(struct recency *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		r->sorted[i].used = last_use(&r->lines[r->sorted[i].place]);
	sort(r->sorted, r->spare, r->count);
	r->next = 0;
}

/* The place of the line that was used longest ago. */
static uint32_t find_oldest(struct recency *r)
{
	for (;; r->next++) {
		const struct recency_item *item;

		if (r->next == r->count)
			sort_again(r);
		item = &r->sorted[r->next];
		if (last_use(&r->lines[item->place]) == item->used)
			return item->place;
	}
}

/* ---- Lines ---- */

/* A place for a line. *out: as for recency_use. */
static uint32_t make_room(struct recency *r, const uint64_t **out)
{
	uint32_t place = r->count;

	if (place < r->most) {
		r->sorted[place].place = place;
		r->next = ++r->count; /* not sorted yet */
		return place;
	}
	place = find_oldest(r);
	r->next++;
	*out = r->lines[place].stamp;
	if (*out)
		r->places[*out - r->stamps] = 0;
	sim_index_remove(&r->index, r->lines[place].line);
	return place;
}

bool recency_use(struct recency *r, uint64_t line, const uint64_t *stamp, const uint64_t **out)
{
	uint32_t place = sim_index_find(&r->index, line);
	const bool is_here = place != SIM_NO_PLACE;

	*out = 0;
	if (!is_here) {
		place = make_room(r, out);
		sim_index_add(&r->index, line, place);
	}
	r->lines[place] = (struct recency_line){.line = line, .stamp = stamp};
	r->places[stamp - r->stamps] = place + 1;
	return is_here;
}

void recency_leave(struct recency *r, const uint64_t *stamp)
{
	uint32_t *place = &r->places[stamp - r->stamps];

	if (!*place)
		return;
	r->lines[*place - 1].used = *stamp;
	r->lines[*place - 1].stamp = 0;
	*place = 0;
}
