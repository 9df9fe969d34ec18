/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking through the accesses of a window; see scan.h. */
#include "engine/scan.h"

#include "engine/alloc.h"
#include "engine/arrivals.h"
#include "engine/call_stack.h"
#include "engine/fsbase.h"
#include "engine/nested.h"
#include "engine/paths.h"
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
		if (watch_leaves_partner(ws, o)) {
			watch_take(ws, o->line);
			continue;
		}
		send(t, w, o, status, at, 0);
		if (status != SAMPLE_CENSORED || !is_worth_following(t, o, at)) {
			watch_take(ws, o->line);
			continue;
		}
		o->followed = true;
		o->kept = true;
		o->window = ws->window;
		ws->follows++;
	}
	if (ws->nested)
		nested_end_window(t, w, status, at);
	arrivals_end(t);
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
	if (ws->nested)
		nested_end_follows(t, w);
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
	if (ws->nested)
		nested_join(t, first_at);
	arrivals_begin(t);
	ws->window = w->number;
	ws->first_at = first_at;
	ws->next_sample = first_at + random_exponential(&t->rng, w->interval) - 1;
}

/* What only the accesses need that are told of: the block touched, and the path. */
static void describe(struct thread *t, struct record_access *a)
{
	alloc_describe(t->process, a);
	if (!a->path)
		a->path = paths_number(t, a->pc);
}

static struct watch *watch_line(struct watch_set *ws, uint64_t line, const struct record_access *begin, uint64_t at,
				uint64_t process_at)
{
	struct watch *o = watch_add(ws, line);

	if (!o)
		return 0;
	o->begin = *begin;
	o->begin_at = at;
	o->process_at = process_at;
	return o;
}

/* A sample that ends near is not kept by its coin: is it left out? The first stands for the others. */
static bool leaves_out(struct scan_window *w)
{
	bool has_near = w->has_near;

	w->has_near = true;
	return has_near;
}

static void count_chosen(struct scan_window *w, const struct record_access *a)
{
	w->chosen++;
	w->chosen_loads += a->kind == ACCESS_LOAD;
}

/* Does the line's next touch follow near the access that is looked at? Sure if it says so. */
static bool is_touched_soon(const struct watch_set *ws, uint64_t line, uint32_t line_shift)
{
	for (const uint64_t *p = ws->ahead; p < ws->ahead_end; p++)
		if (*p >> line_shift == line)
			return true;
	return false;
}

/*
 * The access is chosen. If it touches two lines both are watched, and the sample ends with the later touch: an access misses
 * where one of its lines does, and next to a line in use there often lies one that is not.
 */
static void choose(struct thread *t, struct scan_window *w, struct record_access *a, uint64_t at,
		   uint64_t process_at)
{
	struct watch_set *ws = t->watches;
	uint64_t line = a->address >> w->line_shift, by_chance = random_next(&t->rng);
	uint64_t last = (a->address + (a->size ? a->size - 1u : 0)) >> w->line_shift;
	bool kept = last > line || !engine.config.near_one_in || by_chance % engine.config.near_one_in == 0;
	struct watch *first, *second;

	if (!kept && is_touched_soon(ws, line, w->line_shift) && leaves_out(w)) {
		count_chosen(w, a);
		return;
	}
	describe(t, a);
	first = watch_line(ws, line, a, at, process_at);
	if (!first)
		return;
	if (last > line) {
		second = watch_line(ws, last, a, at, process_at);
		if (!second) {
			watch_take(ws, line);
			return;
		}
		watches_pair(ws, first, second);
	}
	first->kept = kept;
	count_chosen(w, a);
	if (ws->nested && by_chance % engine.config.nested_one_in == 0)
		nested_add(t, w, a, at, process_at, (uint32_t)(by_chance >> 32), kept);
}

void scan_access(struct thread *t, struct scan_window *w, const struct access *a, uint64_t at,
		 uint64_t process_at)
{
	struct watch_set *ws = t->watches;
	struct record_access ra = { .pc = a->pc,
				    .address = a->address,
				    .size = a->size,
				    .kind = (uint16_t)a->kind,
				    .thread = (uint16_t)t->index };
	uint64_t line = a->address >> w->line_shift;
	uint64_t last = (a->address + (a->size ? a->size - 1 : 0)) >> w->line_shift;
	bool seen = false;

	for (uint64_t l = line; l <= last; l++) {
		struct watch *o = 0;

		if (watch_maybe(ws, l)) {
			o = watch_take(ws, l);
			seen = true;
		}
		if (!o || watch_leaves_partner(ws, o))
			continue;
		if (!o->kept && at - o->begin_at <= CHANNEL_NEAR && leaves_out(w))
			continue;
		describe(t, &ra);
		if (o->followed)
			send_follow(t, o, FOLLOW_TOUCHED, at, process_at, &ra);
		else
			send(t, w, o, SAMPLE_REUSED, at, &ra);
	}
	if (seen && ws->nested)
		nested_touch(t, w, &ra, at);
	if (watch_is_fresh(ws, line)) {
		if (process_at >= w->middle)
			describe(t, &ra);
		arrivals_touch(t, w, &ra, process_at);
	}
	if (at < ws->next_sample)
		return;
	ws->next_sample = at + random_exponential(&t->rng, w->interval);
	choose(t, w, &ra, at, process_at);
}

/*
 * Groups filtered at once, at most: the wide filter has registers to save each time. But with each sample
 * more is watched than was.
 */
#define GROUPS_AHEAD 8u

/* Where scan_buffer stands. */
struct cursor {
	struct thread *t;
	struct scan_window *w;
	uint64_t at;		 /* thread's number of the first access in this group */
	uint64_t process_less_thread;
	uint64_t first, end;	 /* numbers of the accesses wanted */
	uint64_t fs;
	uint32_t next, known;	 /* of the masks: the next group's, and how many there are */
	uint32_t changes;	 /* of the watch set, when they were made */
	uint32_t ahead;		 /* groups to filter next */
	struct scan_masks masks[GROUPS_AHEAD];
};

/* The entries [begin, trailer) of a buffer. */
struct segment {
	const uint64_t *begin, *trailer;
};

static void look_at(struct cursor *c, const uint64_t *entry, const struct segment *s, uint64_t at)
{
	const struct stream_desc *d = translate_desc((uint32_t)*s->trailer & STREAM_NUMBER_MASK);
	const struct stream_access *sa = &d->access[entry - s->begin];
	struct access a = { d->pc + sa->pc_offset, *entry + (sa->fs ? c->fs : 0), sa->size,
			    sa->kind };

	if (at < c->first || at >= c->end)
		return;
	if (c->t->watches->calls)
		c->t->watches->calls->entry = entry;
	c->t->watches->ahead = entry + 1;
	c->t->watches->ahead_end = at + CHANNEL_NEAR < c->end && c->t->buf - entry > CHANNEL_NEAR ?
					   entry + 1 + CHANNEL_NEAR : entry + 1;
	scan_access(c->t, c->w, &a, at, at + c->process_less_thread);
}

/*
 * An entry that may matter, or the trailer of a special segment, whose accesses
 * then are looked at one by one. `at`: the number of this or the next access.
 */
static void look(struct cursor *c, const uint64_t *entry, const struct segment *s, uint64_t at)
{
	if (*s->trailer & STREAM_PLAIN_BIT) {
		look_at(c, entry, s, at);
	} else if (entry == s->trailer) {
		at -= (uint64_t)(s->trailer - s->begin);
		for (entry = s->begin; entry < s->trailer; entry++, at++)
			look_at(c, entry, s, at);
	}
}

/* Index in a group of its k-th access, SCAN_GROUP when it has fewer. */
static uint32_t nth_access(uint64_t trailers, uint64_t k)
{
	uint64_t accesses = ~trailers;

	if (k >= SCAN_GROUP)
		return SCAN_GROUP;
	if (engine.bmi2)
		__asm__ volatile("pdep %0, %1, %0" : "+r"(accesses) : "r"(1ull << k));
	else
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

/* Accesses of the group and later ones until the next sample. */
static uint64_t due_in(const struct cursor *c)
{
	uint64_t due = c->t->watches->next_sample;

	return due > c->at ? due - c->at : 0;
}

/* Filter the group at p and those behind it. */
static void look_ahead(struct cursor *c, const uint64_t *p)
{
	scan_filter_fn *filter = engine.wide ? scan_filter_wide :
				 engine.bmi2 ? scan_filter_fast :
					       scan_filter;
	uint64_t left = ((uint64_t)(c->t->buf - p) + SCAN_GROUP - 1) / SCAN_GROUP;
	uint64_t groups = left < c->ahead ? left : c->ahead;

	filter(p, c->t->watches->bits, c->w->line_shift, c->masks, groups);
	c->next = 0;
	c->known = (uint32_t)groups;
	c->changes = c->t->watches->changes;
	c->ahead = 4 * c->ahead < GROUPS_AHEAD ? 4 * c->ahead : GROUPS_AHEAD;
}

/* Where the segment begins that p is in, or behind. */
static const uint64_t *segment_begin(const struct cursor *c, const uint64_t *p)
{
	while (p > c->t->buf_start && !(p[-1] >> 63))
		p--;
	return p;
}

/* The segment of entry i of the group at p. */
static struct segment segment_of(const struct cursor *c, const uint64_t *p, uint64_t trailers,
				 uint32_t i)
{
	uint64_t below = trailers & ((1ull << i) - 1), above = trailers >> i;
	struct segment s = { .trailer = p + i };

	s.begin = below ? p + 64 - __builtin_clzll(below) : segment_begin(c, p);
	if (above)
		s.trailer += __builtin_ctzll(above);
	while (!(*s.trailer >> 63))
		s.trailer++;
	return s;
}

/*
 * Those of the group's hits that are hits still. Until the next sample the filter only gets finer, and most
 * groups have no hit.
 */
static uint64_t hits_now(const struct cursor *c, const uint64_t *p, struct scan_masks m)
{
	uint64_t now = m.hits & m.trailers; /* special ones */

	for (uint64_t left = m.hits & ~m.trailers; left; left &= left - 1)
		if (watch_maybe(c->t->watches, p[__builtin_ctzll(left)] >> c->w->line_shift))
			now |= left & -left;
	return now;
}

/* What matters of the next group, which is at p. */
static struct scan_masks next_masks(struct cursor *c, const uint64_t *p, uint64_t valid)
{
	struct scan_masks m;

	if (c->next == c->known)
		look_ahead(c, p);
	m = c->masks[c->next++];
	m.trailers &= valid;
	m.hits &= valid & ~m.trailers;
	if (c->changes != c->t->watches->changes)
		m.hits = hits_now(c, p, m);
	if (c->t->special)
		m.hits |= special_of(p, m.trailers);
	return m;
}

/* The group's entries that need a look, in order. */
static void look_into(struct cursor *c, const uint64_t *p, uint64_t valid, struct scan_masks m)
{
	const struct watch_set *ws = c->t->watches;
	uint64_t done = 0;

	for (;;) {
		const uint32_t changes = ws->changes, additions = ws->additions;
		uint32_t i = next_of_interest(m.hits, m.trailers, done, due_in(c));
		struct segment s;

		if (i >= SCAN_GROUP || !(valid >> i & 1))
			break;
		done = bits_up_to(i);
		s = segment_of(c, p, m.trailers, i);
		look(c, p + i, &s, c->at + i - count_bits(m.trailers & (done >> 1)));
		m.hits &= ~done;
		if (ws->additions != additions) {
			c->known = c->next; /* the others' are of the past */
			c->ahead = 1;
			m = next_masks(c, p, valid);
			m.hits &= ~done;
		} else if (ws->changes != changes) {
			m.hits = hits_now(c, p, m);
		}
	}
}

/* Over the groups known where nothing matters. Returns the first that is left. */
static const uint64_t *pass_quiet(struct cursor *c, const uint64_t *p)
{
	const struct scan_masks *m = c->masks + c->next;
	uint64_t due = due_in(c);

	if (c->t->special)
		return p;
	for (; c->next < c->known && p + SCAN_GROUP <= c->t->buf; p += SCAN_GROUP, m++) {
		uint64_t accesses = SCAN_GROUP - count_bits(m->trailers);

		if (m->hits & ~m->trailers || due < accesses)
			break;
		due -= accesses;
		c->at += accesses;
		c->next++;
	}
	return p;
}

static void scan_group(struct cursor *c, const uint64_t *p, uint32_t n)
{
	uint64_t valid = bits_up_to(n - 1);
	struct scan_masks m = next_masks(c, p, valid);

	look_into(c, p, valid, m);
	c->at += n - count_bits(m.trailers);
}

void scan_buffer(struct thread *t, struct scan_window *w, uint64_t skip, uint64_t end,
		 uint64_t process_at)
{
	const uint64_t first = t->stream_position, *p = t->buf_start;
	struct cursor c;
	uint64_t stop;

	c.t = t;
	c.w = w;
	c.at = first;
	c.process_less_thread = process_at - first;
	c.first = first + skip;
	c.end = first + end;
	c.fs = fsbase_get();
	c.next = c.known = 0;
	c.ahead = GROUPS_AHEAD;
	scan_join(t, w, c.first);
	/* A special segment in which the end lies is looked at when its trailer comes. */
	stop = c.end + (t->special ? STREAM_MAX_ACCESSES : 0);
	while (p < t->buf && c.at < stop) {
		uint64_t left;

		if (c.next == c.known)
			look_ahead(&c, p);
		p = pass_quiet(&c, p);
		if (c.next == c.known)
			continue;
		left = (uint64_t)(t->buf - p);
		scan_group(&c, p, left < SCAN_GROUP ? (uint32_t)left : SCAN_GROUP);
		p += SCAN_GROUP;
	}
	t->special = 0;
	t->watches->ahead = t->watches->ahead_end = 0;
	if (t->watches->calls)
		t->watches->calls->entry = 0;
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
