/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watching all line sizes from one access; see nested.h. */
#include "engine/sample/nested.h"

#include "engine/core/random.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/data/alloc.h"
#include "engine/unwind/paths.h"

#define PAGE_SHIFT 12u
#define FIRST_COIN 32u /* checks in vain */

static uint16_t *chain_of(struct nested_set *ns, uint64_t address)
{
	return &ns->chain[(address >> PAGE_SHIFT) % NESTED_CHAINS];
}

/* The lines of the watch set that the largest open line covers. */
struct range {
	uint64_t first, last;
};

static struct range largest_open(const struct nested *n)
{
	uint32_t k = 31 - (uint32_t)__builtin_clz(n->open);
	uint64_t start = n->point >> k << k;

	return (struct range){start >> WATCH_SHIFT, (start + (1ull << k) - 1) >> WATCH_SHIFT};
}

static void mark(struct thread *t, const struct nested *n)
{
	struct range r = largest_open(n);

	watches_mark(t->watches, r.first, r.last);
}

static void unmark(struct thread *t, const struct nested *n)
{
	struct range r = largest_open(n);

	watches_unmark(t->watches, r.first, r.last);
}

static struct nested *unused(struct nested_set *ns)
{
	struct nested *n;

	if (ns->free) {
		n = &ns->nested[ns->free - 1];
		ns->free = n->next;
	} else if (ns->used < MAX_NESTED) {
		n = &ns->nested[ns->used++];
	} else {
		return 0;
	}
	return n;
}

/* Take it out of its chain. It is free now, but readable until the next one is added. */
static void take(struct nested_set *ns, struct nested *n)
{
	uint16_t number = (uint16_t)(n - ns->nested + 1), *link = chain_of(ns, n->point);

	while (*link != number)
		link = &ns->nested[*link - 1].next;
	*link = n->next;
	n->next = ns->free;
	ns->free = number;
	n->open = 0;
}

void nested_add(struct thread *t, const struct scan_window *w, const struct record_access *a,
		uint64_t at, uint64_t process_at, uint32_t by_chance, bool kept)
{
	struct nested_set *ns = t->watches->nested;
	struct nested *n = unused(ns);
	uint16_t *chain;

	if (!n)
		return;
	n->begin = *a;
	n->point = a->address + by_chance % (a->size ? a->size : 1);
	n->begin_at = at;
	n->process_at = process_at;
	n->open = NESTED_ALL;
	n->weight = 1;
	n->looks = 0;
	n->most_looks = FIRST_COIN;
	n->count = 0;
	n->kept = kept;
	memcpy(n->touches, t->watches->touches, sizeof n->touches);
	t->watches->additions++;
	chain = chain_of(ns, n->point);
	n->next = *chain;
	*chain = (uint16_t)(n - ns->nested + 1);
	mark(t, n);
}

/* Send the results; the open sizes end with `status` at the thread's access `at`. */
static void send(struct thread *t, const struct nested *n, uint32_t status, uint64_t at)
{
	struct record_nested r = {.window = t->watches->window,
				  .status = status,
				  .position = n->process_at,
				  .point = n->point,
				  .begin = n->begin,
				  .watched = at > n->begin_at ? at - n->begin_at - 1 : 0,
				  .open = n->open,
				  .weight = n->weight,
				  .count = n->count};

	records_nested(t->process, &r, n->events);
}

/* The smallest k for which the access touches the point's line of 1 << k bytes. */
static uint32_t reaches(const struct record_access *a, uint64_t point)
{
	uint64_t last = a->address + (a->size ? a->size - 1 : 0), nearest;

	if (a->address <= point && point <= last)
		return 0;
	nearest = last < point ? last : a->address;
	return 64 - (uint32_t)__builtin_clzll(nearest ^ point);
}

static void end(struct thread *t, struct nested *n, uint32_t status, uint64_t watched)
{
	send(t, n, status, n->begin_at + 1 + watched);
	unmark(t, n);
	take(t->watches->nested, n);
}

/* Too many checks in vain: drop it, or double its weight. */
static void toss_coin(struct thread *t, struct nested *n, uint64_t at)
{
	n->most_looks *= 2;
	if (random_next(&t->rng) >> 63) {
		n->weight *= 2;
		return;
	}
	unmark(t, n);
	n->open = 0;
	if (n->count)
		send(t, n, 0, at);
	take(t->watches->nested, n);
}

static void touch(struct thread *t, const struct scan_window *w, struct nested *n,
		  const struct record_access *a, uint64_t at)
{
	uint32_t k = reaches(a, n->point), closed;
	struct nested_event *e;

	closed = k > NESTED_LAST ? 0 : n->open & ~((1u << k) - 1);
	if (at - n->begin_at > CHANNEL_FAR) {
		if (closed)
			end(t, n, SAMPLE_FAR, CHANNEL_FAR);
		return;
	}
	if (!closed) {
		if (k <= WATCH_SHIFT && ++n->looks >= n->most_looks)
			toss_coin(t, n, at);
		return;
	}
	if (!n->kept && closed >> w->line_shift & 1 && at - n->begin_at <= CHANNEL_NEAR) {
		unmark(t, n);
		take(t->watches->nested, n);
		return;
	}
	e = &n->events[n->count++];
	*e = (struct nested_event){
		.sizes = closed, .weight = n->weight, .distance = at - n->begin_at - 1, .end = *a};
	if (e->distance >= CHANNEL_NEAR)
		watches_count_touches(t->watches, n->touches, e->touches);
	alloc_describe(t, &e->end, at);
	if (!e->end.path)
		e->end.path = paths_number(t, a->pc);
	unmark(t, n);
	n->open &= ~closed;
	if (n->open) {
		mark(t, n);
		return;
	}
	send(t, n, 0, at);
	take(t->watches->nested, n);
}

static void touch_page(struct thread *t, const struct scan_window *w, uint16_t number,
		       const struct record_access *a, uint64_t at)
{
	struct nested_set *ns = t->watches->nested;

	while (number) {
		struct nested *n = &ns->nested[number - 1];

		number = n->next;
		touch(t, w, n, a, at);
	}
}

void nested_touch(struct thread *t, const struct scan_window *w, const struct record_access *a,
		  uint64_t at)
{
	struct nested_set *ns = t->watches->nested;
	uint64_t last = a->address + (a->size ? a->size - 1 : 0);
	uint16_t *chain = chain_of(ns, a->address), *other = chain_of(ns, last);

	touch_page(t, w, *chain, a, at);
	if (other != chain)
		touch_page(t, w, *other, a, at);
}

static void end_old(struct thread *t, uint64_t at, bool all)
{
	struct nested_set *ns = t->watches->nested;

	for (uint32_t i = 0; i < ns->used; i++) {
		struct nested *n = &ns->nested[i];
		uint64_t watched = at > n->begin_at ? at - n->begin_at - 1 : 0;

		if (!n->open)
			continue;
		if (watched >= CHANNEL_FAR)
			end(t, n, SAMPLE_FAR, CHANNEL_FAR);
		else if (all)
			end(t, n, SAMPLE_CUT, watched);
	}
}

void nested_end_old(struct thread *t, uint64_t at)
{
	end_old(t, at, false);
}

void nested_end_window(struct thread *t, uint64_t at)
{
	end_old(t, at, true);
}
