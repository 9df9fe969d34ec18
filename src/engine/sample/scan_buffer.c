/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the few entries of a stream buffer that matter; see scan.h. */
#include "engine/core/fsbase.h"
#include "engine/core/util.h"
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

static void look_at(struct cursor *c, const uint64_t *entry, const struct segment *s, uint64_t at)
{
	const struct stream_desc *d = translate_desc((uint32_t)*s->trailer & STREAM_NUMBER_MASK);
	const struct stream_access *sa = &d->access[entry - s->begin];
	struct access a = {d->pc + sa->pc_offset, *entry + (sa->fs ? c->fs : 0), sa->size,
			   sa->kind};

	if (at < c->first || at >= c->end)
		return;
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

/* The bit of the next sample among the accesses of the group; 0: it is in a later one, or done. */
static uint64_t due_bit(const struct cursor *c, uint64_t trailers, uint64_t done)
{
	uint32_t i = nth_access(trailers, due_in(c));

	if (i < SCAN_GROUP && done >> i & 1)
		i = nth_access(trailers | done, 0);
	return i < SCAN_GROUP ? 1ull << i : 0;
}

/* Those of `hits` in the group at p that are still hits. */
static uint64_t hits_now(const struct cursor *c, const uint64_t *p, uint64_t hits)
{
	uint64_t now = 0;

	for (; hits; hits &= hits - 1)
		if (watch_passes(c->t->watches, p[__builtin_ctzll(hits)] >> WATCH_SHIFT))
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

	filter(p, c->t->watches->bits, WATCH_SHIFT, c->masks, groups);
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

/* The trailer of the segment of entry i of the group at p. */
static const uint64_t *trailer_of(const uint64_t *p, uint64_t trailers, uint32_t i)
{
	const uint64_t above = trailers >> i, *trailer = p + i;

	if (above)
		return trailer + __builtin_ctzll(above);
	while (!(*trailer >> 63))
		trailer++;
	return trailer;
}

/* The beginning of that segment. */
static const uint64_t *begin_of(const struct cursor *c, const uint64_t *p, uint64_t trailers,
				uint32_t i)
{
	const uint64_t below = trailers & ((1ull << i) - 1);

	return below ? p + 64 - __builtin_clzll(below) : segment_begin(c, p);
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

/*
 * Does an access at this address only come near a far line, or a watched one, in the slot behind
 * its own, which it does not reach?
 */
static bool stays_before(const struct watch_set *ws, uint64_t address, uint64_t trailer)
{
	const uint64_t slot = watch_slot(address >> WATCH_SHIFT);
	const uint64_t bits = ws->own.bits[slot / 64] | ws->far[slot / 64];

	return trailer & STREAM_PLAIN_BIT && !(bits >> (slot & 63) & 1) &&
	       address % WATCH_REACH + STREAM_WIDEST(trailer) <= WATCH_REACH;
}

/* The group's entries that need a look, in order. */
static void look_into(struct cursor *c, const uint64_t *p, uint64_t valid, struct scan_masks m)
{
	const struct watch_set *ws = c->t->watches;
	uint64_t done = 0, due = due_bit(c, m.trailers, 0), left;

	while ((left = (m.hits | due) & valid & ~done)) {
		const uint32_t changes = ws->changes, additions = ws->additions;
		const uint64_t next_sample = ws->next_sample;
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		struct segment s;

		done = bits_up_to(i);
		if (!((due | m.trailers) >> i & 1) && !watch_maybe(ws, p[i] >> WATCH_SHIFT))
			continue;
		s.trailer = trailer_of(p, m.trailers, i);
		if (!(due >> i & 1) && stays_before(ws, p[i], *s.trailer))
			continue;
		s.begin = begin_of(c, p, m.trailers, i);
		look(c, p + i, &s, c->at + i - count_bits(m.trailers & (done >> 1)));
		if (ws->additions != additions) {
			c->known = c->next; /* the other masks are stale */
			c->ahead = 1;
			m = next_masks(c, p, valid);
		} else if (ws->changes != changes) {
			m.hits &= ~done;
			m.hits = hits_now(c, p, m.hits & ~m.trailers) | (m.hits & m.trailers);
		}
		if (ws->next_sample != next_sample)
			due = due_bit(c, m.trailers, done);
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
	if (t->watches->calls)
		t->watches->calls->entry = 0;
}
