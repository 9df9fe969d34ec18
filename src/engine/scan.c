/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking through the accesses of a window; see scan.h. */
#include "engine/scan.h"

#include "engine/fsbase.h"
#include "engine/random.h"
#include "engine/records.h"
#include "engine/translate.h"
#include "engine/util.h"

static uint64_t bits_up_to(uint32_t i)
{
	return i >= 63 ? ~0ull : (2ull << i) - 1;
}

static void send(struct thread *t, struct scan_window *w, const struct watch *o, uint32_t status,
		 uint64_t at, const struct record_access *end)
{
	struct record_sample r = { .window = t->watches->window,
				   .status = status,
				   .position = o->process_at,
				   .distance = at > o->begin_at ? at - o->begin_at - 1 : 0,
				   .line = o->line << w->line_shift,
				   .begin = o->begin };

	if (end)
		r.end = *end;
	w->samples++;
	records_sample(t->process, &r);
}

/* The end is at the thread's access `at`, the process's `process_at`. */
static void send_follow(struct thread *t, const struct watch *o, uint32_t status, uint64_t at,
			uint64_t process_at, const struct record_access *end)
{
	struct record_follow r = { .window = o->window,
				   .status = status,
				   .position = o->process_at,
				   .watched = at - o->begin_at - 1,
				   .end_position = process_at,
				   .end.thread = (uint16_t)t->index };

	if (end)
		r.end = *end;
	records_follow(t->process, &r);
}

/* All watches of a set, as few as they may be. The loop's body may take the one at hand. */
#define FOR_EACH_WATCH(o, ws)                                                  \
	for (uint32_t c_ = 0, i_, n_; c_ < WATCH_CHAINS; c_++)                 \
		for (i_ = (ws)->chain[c_];                                     \
		     i_ && ((o) = &(ws)->watch[i_ - 1], n_ = (o)->next, true); \
		     i_ = n_)

/* Room for others: each follow is given up with a chance of one half, and as many are chosen. */
static void thin_out(struct thread *t, uint64_t process_at)
{
	struct watch_set *ws = t->watches;
	struct watch *o;

	ws->one_in *= 2;
	FOR_EACH_WATCH (o, ws) {
		if (!o->followed || random_next(&t->rng) >> 63)
			continue;
		send_follow(t, o, FOLLOW_DROPPED, o->begin_at + 1 + o->watched, process_at, 0);
		watch_take(ws, o->line);
	}
}

/*
 * Lines seen for less than half of the window would be met at the beginning of the next:
 * they tell of distances that the windows show by themselves.
 */
static bool is_worth_following(struct thread *t, const struct watch *o, uint64_t at)
{
	const struct watch_set *ws = t->watches;

	return o->watched >= (at - ws->first_at) / 2 && random_next(&t->rng) % ws->one_in == 0;
}

void scan_end_watches(struct thread *t, struct scan_window *w, uint32_t status,
		      uint64_t process_at)
{
	struct watch_set *ws = t->watches;
	uint64_t at = t->stream_position;
	struct watch *o;

	FOR_EACH_WATCH (o, ws) {
		o->watched = at > o->begin_at ? at - o->begin_at - 1 : 0;
		if (o->followed)
			continue;
		send(t, w, o, status, at, 0);
		if (status != SAMPLE_CENSORED || !is_worth_following(t, o, at)) {
			watch_take(ws, o->line);
			continue;
		}
		o->followed = true;
		o->window = ws->window;
		ws->follows++;
	}
	ws->window = UINT32_MAX;
	if (ws->follows > MAX_FOLLOWS)
		thin_out(t, process_at);
}

void scan_end_follows(struct thread *t, const struct scan_window *w, uint64_t process_at)
{
	struct watch_set *ws = t->watches;
	struct watch *o;

	FOR_EACH_WATCH (o, ws)
		if (o->followed)
			send_follow(t, o, FOLLOW_ENDED, o->begin_at + 1 + o->watched, process_at, 0);
	watches_clear(ws, w->line_shift);
}

void scan_join(struct thread *t, const struct scan_window *w, uint64_t first_at)
{
	struct watch_set *ws = t->watches;
	struct watch *o;

	if (ws->window == w->number)
		return;
	/* As if the windows were one: what lay between them did not happen. */
	FOR_EACH_WATCH (o, ws)
		o->begin_at = first_at - o->watched - 1;
	ws->window = w->number;
	ws->first_at = first_at;
	ws->next_sample = first_at + random_exponential(&t->rng, w->interval) - 1;
}

void scan_access(struct thread *t, struct scan_window *w, const struct access *a, uint64_t at,
		 uint64_t process_at)
{
	struct watch_set *ws = t->watches;
	struct record_access ra = { a->pc, a->address, a->size, (uint16_t)a->kind,
				    (uint16_t)t->index };
	uint64_t line = a->address >> w->line_shift;
	uint64_t last = (a->address + (a->size ? a->size - 1 : 0)) >> w->line_shift;

	for (uint64_t l = line; l <= last; l++) {
		struct watch *o = watch_maybe(ws, l) ? watch_take(ws, l) : 0;

		if (o && o->followed)
			send_follow(t, o, FOLLOW_TOUCHED, at, process_at, &ra);
		else if (o)
			send(t, w, o, SAMPLE_REUSED, at, &ra);
	}
	if (at < ws->next_sample)
		return;
	ws->next_sample = at + random_exponential(&t->rng, w->interval);
	struct watch *o = watch_add(ws, line);

	if (!o)
		return;
	o->begin = ra;
	o->begin_at = at;
	o->process_at = process_at;
}

/* Where scan_buffer stands. */
struct cursor {
	struct thread *t;
	struct scan_window *w;
	const uint64_t *segment; /* first entry of the segment at hand */
	uint64_t at;		 /* thread's number of the first access in this group */
	uint64_t process_less_thread;
	uint64_t first, end;	 /* numbers of the accesses wanted */
	uint64_t fs;
};

static void look_at(struct cursor *c, const uint64_t *entry, const struct stream_desc *d,
		    uint64_t at)
{
	const struct stream_access *sa = &d->access[entry - c->segment];
	struct access a = { d->pc + sa->pc_offset, *entry + (sa->fs ? c->fs : 0), sa->size,
			    sa->kind };

	if (at >= c->first && at < c->end)
		scan_access(c->t, c->w, &a, at, at + c->process_less_thread);
}

/*
 * An entry that may matter, or the trailer of a special segment, whose accesses
 * then are looked at one by one. `at`: the number of this or the next access.
 */
static void look(struct cursor *c, const uint64_t *entry, uint64_t at)
{
	const uint64_t *trailer = entry;
	const struct stream_desc *d;

	while (!(*trailer >> 63))
		trailer++;
	d = translate_desc((uint32_t)*trailer & STREAM_NUMBER_MASK);
	if (*trailer & STREAM_PLAIN_BIT) {
		look_at(c, entry, d, at);
	} else if (entry == trailer) {
		at -= (uint64_t)(trailer - c->segment);
		for (entry = c->segment; entry < trailer; entry++, at++)
			look_at(c, entry, d, at);
	}
}

/* Index in a group of its k-th access, SCAN_GROUP when it has fewer. */
static uint32_t nth_access(uint64_t trailers, uint64_t k)
{
	uint64_t accesses = ~trailers;

	if (k >= SCAN_GROUP)
		return SCAN_GROUP;
	while (k-- && accesses)
		accesses &= accesses - 1;
	return accesses ? (uint32_t)__builtin_ctzll(accesses) : SCAN_GROUP;
}

/* The next entry with a hit, or the due-th access of the group, after those done. */
static uint32_t next_of_interest(uint64_t hits, uint64_t trailers, uint64_t done, uint64_t due)
{
	uint32_t hit = hits ? (uint32_t)__builtin_ctzll(hits) : SCAN_GROUP;
	uint32_t sample = nth_access(trailers, due);

	if (sample < SCAN_GROUP && done >> sample & 1)
		sample = nth_access(trailers | done, 0);
	return sample < hit ? sample : hit;
}

/* The trailers of special segments, of which there are few. */
static uint64_t special_of(const uint64_t *p, uint64_t trailers)
{
	uint64_t special = 0;

	for (; trailers; trailers &= trailers - 1)
		if (!(p[__builtin_ctzll(trailers)] & STREAM_PLAIN_BIT))
			special |= trailers & -trailers;
	return special;
}

static uint64_t filter(const struct cursor *c, const uint64_t *p, uint64_t *trailers)
{
	const uint64_t *bits = c->t->watches->bits;

	uint64_t hits = engine.bmi2 ? scan_filter_fast(p, bits, c->w->line_shift, trailers) :
				      scan_filter(p, bits, c->w->line_shift, trailers);

	hits &= ~*trailers;
	return c->t->special ? hits | special_of(p, *trailers) : hits;
}

/* The group's entries that need a look, in order. */
static void scan_group(struct cursor *c, const uint64_t *p, uint32_t n)
{
	uint64_t trailers, ignored, valid = bits_up_to(n - 1);
	uint64_t hits = filter(c, p, &trailers) & valid, done = 0;

	trailers &= valid;
	for (;;) {
		const uint64_t due = c->t->watches->next_sample;
		uint32_t i = next_of_interest(hits, trailers, done, due > c->at ? due - c->at : 0);
		uint64_t below, at;

		if (i >= n)
			break;
		done = bits_up_to(i);
		below = trailers & (done >> 1);
		at = c->at + i - (uint64_t)__builtin_popcountll(below);
		if (below)
			c->segment = p + 64 - __builtin_clzll(below);
		look(c, p + i, at);
		hits = (at >= due ? filter(c, p, &ignored) & valid : hits) & ~done;
	}
	if (trailers)
		c->segment = p + 64 - __builtin_clzll(trailers);
	c->at += n - (uint64_t)__builtin_popcountll(trailers);
}

void scan_buffer(struct thread *t, struct scan_window *w, uint64_t skip, uint64_t end,
		 uint64_t process_at)
{
	const uint64_t first = t->stream_position;
	struct cursor c = { .t = t,
			    .w = w,
			    .segment = t->buf_start,
			    .at = first,
			    .process_less_thread = process_at - first,
			    .first = first + skip,
			    .end = first + end,
			    .fs = fsbase_get() };

	scan_join(t, w, c.first);
	for (const uint64_t *p = t->buf_start; p < t->buf && c.at < c.end; p += SCAN_GROUP) {
		uint64_t left = (uint64_t)(t->buf - p);

		scan_group(&c, p, left < SCAN_GROUP ? (uint32_t)left : SCAN_GROUP);
	}
	t->special = 0;
}

/* Iterations from i on, i included, during which address stays on its line. */
static uint64_t on_this_line(uint64_t address, const struct repeat *r, uint32_t line_shift)
{
	uint64_t line = 1ull << line_shift, offset = address & (line - 1);

	if (offset + r->size > line)
		return 1;
	return r->step > 0 ? (line - offset - r->size) / r->size + 1 : offset / r->size + 1;
}

void scan_repeat(struct thread *t, struct scan_window *w, const struct repeat *r, uint64_t i,
		 uint64_t end, uint64_t at, uint64_t process_at)
{
	struct watch_set *ws = t->watches;

	while (i < end) {
		uint64_t skip = end - i;
		bool watched = false;

		for (uint32_t k = 0; k < r->accesses; k++, at++, process_at++) {
			struct access a = { r->pc, r->address[k] + i * (uint64_t)r->step, r->size,
					    r->kind[k] };
			uint64_t stay = on_this_line(a.address, r, w->line_shift);

			scan_access(t, w, &a, at, process_at);
			watched |= watch_maybe(ws, a.address >> w->line_shift) != 0;
			skip = stay < skip ? stay : skip;
		}
		i++;
		skip--;
		/* The rest of these lines touches nothing watched, until the next sample is due. */
		if (watched || skip == 0 || ws->next_sample <= at)
			continue;
		if (skip > (ws->next_sample - at) / r->accesses)
			skip = (ws->next_sample - at) / r->accesses;
		i += skip;
		at += skip * r->accesses;
		process_at += skip * r->accesses;
	}
}
