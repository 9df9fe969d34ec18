/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the few entries of a stream buffer that matter; see scan.h. */
#include "engine/core/fsbase.h"
#include "engine/core/util.h"
#include "engine/sample/arrivals.h"
#include "engine/sample/scan.h"
#include "engine/sample/stack_distance.h"
#include "engine/translate/translate.h"
#include "engine/unwind/call_stack.h"

static uint64_t bits_up_to(uint32_t i)
{
	return i >= 63 ? ~0ull : (2ull << i) - 1;
}

/*
 * Most groups filtered at once: the wide filter saves registers at each call. But each sample adds
 * to what is watched, and makes the masks stale.
 */
#define GROUPS_AHEAD 8u

/* The position of scan_buffer. */
struct cursor {
	struct thread *t;
	struct scan_window *w;
	uint64_t at; /* thread's number of the first access in this group */
	uint64_t process_less_thread;
	uint64_t first, end; /* numbers of the accesses to scan */
	uint64_t fs;
	uint32_t next, known; /* masks: the next group's, and their number */
	uint32_t changes;     /* of the watch set, when the masks were made */
	uint32_t ahead;	      /* groups to filter next */
	struct scan_masks masks[GROUPS_AHEAD];
};

/* The entries [begin, trailer) of a buffer. */
struct segment {
	const uint64_t *begin, *trailer;
};

/* Is it chosen, or may it touch a watched line? */
static bool matters(const struct cursor *c, const struct access *a, uint64_t at)
{
	const struct watch_set *ws = c->t->watches;
	const uint32_t shift = c->w->line_shift;
	const uint64_t line = a->address >> shift,
		       last = (a->address + (a->size ? a->size - 1 : 0)) >> shift;

	return at >= ws->next_sample || last > line || watch_maybe_here(ws, line);
}

static void look_at(struct cursor *c, const uint64_t *entry, const struct segment *s, uint64_t at)
{
	const struct stream_desc *d = translate_desc((uint32_t)*s->trailer & STREAM_NUMBER_MASK);
	const struct stream_access *sa = &d->access[entry - s->begin];
	struct access a = {d->pc + sa->pc_offset, *entry + (sa->fs ? c->fs : 0), sa->size,
			   sa->kind};

	if (at < c->first || at >= c->end)
		return;
	if (!matters(c, &a, at)) {
		arrivals_pass(c->t->watches, a.address >> c->w->line_shift);
		return;
	}
	if (c->t->watches->calls)
		c->t->watches->calls->entry = entry;
	c->t->watches->ahead = entry + 1;
	c->t->watches->ahead_end = at + CHANNEL_NEAR < c->end && c->t->buf - entry > CHANNEL_NEAR
					   ? entry + 1 + CHANNEL_NEAR
					   : entry + 1;
	scan_access(c->t, c->w, &a, at, at + c->process_less_thread);
}

/*
 * An entry that may matter, or the trailer of a special segment, whose accesses are then scanned
 * one by one. `at`: the number of this or the next access.
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

/* Index in a group of its k-th access; SCAN_GROUP if it has fewer. */
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

/* The next entry with a hit, or the due-th access of the group, after those in `done`. */
static uint32_t next_of_interest(uint64_t hits, uint64_t trailers, uint64_t done, uint64_t due)
{
	uint32_t hit = hits ? (uint32_t)__builtin_ctzll(hits) : SCAN_GROUP;
	uint32_t sample = nth_access(trailers, due);

	if (sample < SCAN_GROUP && done >> sample & 1)
		sample = nth_access(trailers | done, 0);
	return sample < hit ? sample : hit;
}

/* The trailers of special segments, which are few. */
static uint64_t special_of(const uint64_t *p, uint64_t trailers)
{
	uint64_t special = 0;

	for (; trailers; trailers &= trailers - 1)
		if (!(p[__builtin_ctzll(trailers)] & STREAM_PLAIN_BIT))
			special |= trailers & -trailers;
	return special;
}

/* Accesses from the group's first until the next sample. */
static uint64_t due_in(const struct cursor *c)
{
	uint64_t due = c->t->watches->next_sample;

	return due > c->at ? due - c->at : 0;
}

/* Those of `hits` in the group at p that are still hits. */
static uint64_t hits_now(const struct cursor *c, const uint64_t *p, uint64_t hits)
{
	uint64_t now = 0;

	for (; hits; hits &= hits - 1)
		if (watch_passes(c->t->watches, p[__builtin_ctzll(hits)] >> c->w->line_shift))
			now |= hits & -hits;
	return now;
}

/* Filter the group at p and those behind it. */
static void look_ahead(struct cursor *c, const uint64_t *p)
{
	scan_filter_fn *filter = engine.wide   ? scan_filter_wide
				 : engine.bmi2 ? scan_filter_fast
					       : scan_filter;
	uint64_t left = ((uint64_t)(c->t->buf - p) + SCAN_GROUP - 1) / SCAN_GROUP;
	uint64_t groups = left < c->ahead ? left : c->ahead;

	filter(p, c->t->watches->bits, c->w->line_shift, c->masks, groups);
	c->next = 0;
	c->known = (uint32_t)groups;
	c->changes = c->t->watches->changes;
	c->ahead = 4 * c->ahead < GROUPS_AHEAD ? 4 * c->ahead : GROUPS_AHEAD;
}

/* The beginning of the segment that contains p, or ends before it. */
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
	struct segment s = {.trailer = p + i};

	s.begin = below ? p + 64 - __builtin_clzll(below) : segment_begin(c, p);
	if (above)
		s.trailer += __builtin_ctzll(above);
	while (!(*s.trailer >> 63))
		s.trailer++;
	return s;
}

/* The masks of the next group, at p. */
static struct scan_masks next_masks(struct cursor *c, const uint64_t *p, uint64_t valid)
{
	struct scan_masks m;

	if (c->next == c->known)
		look_ahead(c, p);
	m = c->masks[c->next++];
	m.trailers &= valid;
	m.hits &= valid & ~m.trailers;
	/* until the next sample the filter only loses bits */
	if (c->changes != c->t->watches->changes)
		m.hits = hits_now(c, p, m.hits);
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
		uint64_t at;

		if (i >= SCAN_GROUP || !(valid >> i & 1))
			break;
		done = bits_up_to(i);
		m.hits &= ~done;
		at = c->at + i - count_bits(m.trailers & (done >> 1));
		if (at < ws->next_sample && !(m.trailers >> i & 1) &&
		    !watch_maybe(ws, p[i] >> c->w->line_shift))
			continue;
		s = segment_of(c, p, m.trailers, i);
		look(c, p + i, &s, at);
		if (ws->additions != additions) {
			c->known = c->next; /* the other masks are stale */
			c->ahead = 1;
			m = next_masks(c, p, valid);
			m.hits &= ~done;
		} else if (ws->changes != changes) {
			m.hits = hits_now(c, p, m.hits & ~m.trailers) | (m.hits & m.trailers);
		}
	}
}

/* Skips filtered groups in which nothing matters. Returns the first of the rest. */
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

/*
 * Skips groups before the first access to scan. Where timer calls are slow these are up to a fifth
 * of what a window fills.
 */
static const uint64_t *pass_unwanted(struct cursor *c, const uint64_t *p)
{
	while (c->first >= c->at + SCAN_GROUP && p + SCAN_GROUP <= c->t->buf) {
		uint64_t trailers = 0;

		for (uint32_t i = 0; i < SCAN_GROUP; i++)
			trailers += p[i] >> 63;
		c->at += SCAN_GROUP - trailers;
		p += SCAN_GROUP;
	}
	return p;
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
	c.fs = fsbase_get(t);
	c.next = c.known = 0;
	c.ahead = GROUPS_AHEAD;
	scan_join(t, w, c.first);
	/* a special segment that contains the end is scanned at its trailer */
	stop = c.end + (t->special ? STREAM_MAX_ACCESSES : 0);
	p = pass_unwanted(&c, p);
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
	t->watches->ahead = t->watches->ahead_end = 0;
	if (stack_distance_counts(t->watches))
		stack_distance_buffer(t, c.end, c.fs);
	t->special = 0;
	if (t->watches->calls)
		t->watches->calls->entry = 0;
}
