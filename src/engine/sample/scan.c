/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking through the accesses of a window; see scan.h. */
#include "engine/sample/scan.h"

#include "engine/core/random.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/data/alloc.h"
#include "engine/sample/nested.h"
#include "engine/sample/stack_distance.h"
#include "engine/unwind/paths.h"

static void send(struct thread *t, struct scan_window *w, const struct watch *o, uint32_t status,
		 uint64_t distance, const struct record_access *end)
{
	struct record_sample r = {.window = t->watches->window,
				  .status = status,
				  .position = o->process_at,
				  .distance = distance,
				  .line = o->line << w->line_shift,
				  .begin = o->begin};

	if (end) {
		r.end = *end;
		if (distance >= CHANNEL_NEAR)
			watches_count_touches(t->watches, o->touches, r.touches);
	}
	w->samples++;
	records_sample(t->process, &r);
}

/*
 * Ends the samples that are CHANNEL_FAR accesses old when access `at` is the next; `all`: also the
 * others.
 */
static void end_old(struct thread *t, struct scan_window *w, uint64_t at, bool all)
{
	struct watch_set *ws = t->watches;

	while (ws->oldest) {
		struct watch *o = &ws->watch[ws->oldest - 1];
		uint64_t watched = at > o->begin_at ? at - o->begin_at - 1 : 0;

		if (watched < CHANNEL_FAR && !all)
			break;
		watch_take(ws, o->line);
		if (watch_leaves_partner(ws, o))
			continue;
		if (watched < CHANNEL_FAR)
			send(t, w, o, SAMPLE_CUT, watched, 0);
		else
			send(t, w, o, SAMPLE_FAR, CHANNEL_FAR, 0);
	}
}

void scan_end_watches(struct thread *t, struct scan_window *w)
{
	struct watch_set *ws = t->watches;
	uint64_t at = t->stream_position;

	end_old(t, w, at, true);
	if (ws->nested)
		nested_end_window(t, at);
	if (ws->stack)
		stack_distance_end_window(t, at);
	if (ws->far_lines)
		far_lines_end_window(ws, at);
	ws->window = UINT32_MAX;
}

/*
 * At the end of a share, as of a window, no access is chosen. In a smaller one that is a larger
 * part, so the others are chosen more often: each share has its part of the samples.
 */
static uint64_t interval_for(const struct scan_window *w, uint64_t share)
{
	const uint64_t all = w->end - w->start;

	if (!share || all <= CHANNEL_FAR)
		return w->interval;
	return (uint64_t)((unsigned __int128)w->interval * (share - CHANNEL_FAR) * all / share /
			  (all - CHANNEL_FAR));
}

void scan_join(struct thread *t, struct scan_window *w, uint64_t first_at)
{
	struct watch_set *ws = t->watches;

	if (ws->window == w->number)
		return;
	w->joined++;
	if (ws->far_lines)
		far_lines_join(ws, first_at, &t->rng);
	ws->window = w->number;
	paths_choose(t, w->number);
	ws->first_at = first_at;
	ws->share = t->share;
	ws->interval = interval_for(w, t->share);
	ws->next_sample = first_at + random_exponential(&t->rng, ws->interval) - 1;
}

/*
 * Does t's part of the window last as long as a sample is watched? Threads without shares share
 * its accesses somehow; but half of it is always sampled.
 */
static bool lasts(const struct watch_set *ws, const struct scan_window *w, uint64_t at,
		  uint64_t process_at)
{
	uint64_t left = w->end - process_at, needed = (uint64_t)CHANNEL_FAR * w->joined;

	if (ws->share)
		return at + CHANNEL_FAR < ws->first_at + ws->share;
	return left > needed || left > (w->end - w->start) / 2;
}

/* The data that only accesses in records need: the block touched, and the path. */
static void describe(struct thread *t, struct record_access *a, uint64_t at)
{
	alloc_describe(t, a, at);
	if (!a->path)
		a->path = paths_number(t, a->pc);
}

static struct watch *watch_line(struct watch_set *ws, uint64_t line,
				const struct record_access *begin, uint64_t at, uint64_t process_at)
{
	struct watch *o = watch_add(ws, line);

	if (!o)
		return 0;
	o->begin = *begin;
	o->begin_at = at;
	o->process_at = process_at;
	memcpy(o->touches, ws->touches, sizeof o->touches);
	return o;
}

/*
 * A sample that ends near lost the coin toss: drop it? The first in a window is kept for the
 * others.
 */
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

/* Is the address's line touched again soon after the scanned access? False: perhaps. */
static bool is_touched_soon(const struct watch_set *ws, uint64_t address, uint32_t line_shift)
{
	const uint64_t bytes = 1ull << line_shift, line = address & -bytes;
	const uint64_t *p = ws->ahead;

	for (; p + 4 <= ws->ahead_end; p += 4)
		if ((p[0] - line < bytes) | (p[1] - line < bytes) | (p[2] - line < bytes) |
		    (p[3] - line < bytes))
			return true;
	for (; p < ws->ahead_end; p++)
		if (*p - line < bytes)
			return true;
	return false;
}

/*
 * The access is chosen. If it touches two lines, both are watched, and the sample ends with the
 * later touch: an access misses if one of its lines does, and next to a line in use there is often
 * one that is not.
 */
static void choose(struct thread *t, struct scan_window *w, struct record_access *a, uint64_t at,
		   uint64_t process_at)
{
	struct watch_set *ws = t->watches;
	uint64_t line = a->address >> w->line_shift, by_chance = random_next(&t->rng);
	uint64_t last = (a->address + (a->size ? a->size - 1u : 0)) >> w->line_shift;
	bool kept = last > line || !engine.config.near_one_in ||
		    by_chance % engine.config.near_one_in == 0;
	struct watch *first, *second;

	if (!kept && is_touched_soon(ws, a->address, w->line_shift)) {
		if (leaves_out(w)) {
			count_chosen(w, a);
			return;
		}
		kept = true;
	}
	describe(t, a, at);
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
	if (ws->nested && by_chance % w->nested_one_in == 0)
		nested_add(t, w, a, at, process_at, (uint32_t)(by_chance >> 32), kept);
	stack_distance_begin(t, w, a, at, process_at);
}

/* The access touches lines of samples, or is chosen. */
static void look_at_samples(struct thread *t, struct scan_window *w, const struct access *a,
			    uint64_t at, uint64_t process_at)
{
	struct watch_set *ws = t->watches;
	struct record_access ra = {.pc = a->pc,
				   .address = a->address,
				   .size = a->size,
				   .kind = (uint16_t)a->kind,
				   .thread = (uint16_t)t->index};
	uint64_t line = a->address >> w->line_shift;
	uint64_t last = (a->address + (a->size ? a->size - 1 : 0)) >> w->line_shift;

	for (uint64_t l = line; l <= last; l++) {
		struct watch *o = watch_take(ws, l);

		if (!o || watch_leaves_partner(ws, o))
			continue;
		if (!o->kept && at - o->begin_at <= CHANNEL_NEAR && leaves_out(w))
			continue;
		if (at - o->begin_at > CHANNEL_FAR) {
			send(t, w, o, SAMPLE_FAR, CHANNEL_FAR, 0);
			continue;
		}
		describe(t, &ra, at);
		send(t, w, o, SAMPLE_REUSED, at - o->begin_at - 1, &ra);
	}
	if (ws->nested)
		nested_touch(t, w, &ra, at);
	if (at < ws->next_sample)
		return;
	ws->next_sample = at + random_exponential(&t->rng, ws->interval);
	end_old(t, w, at, false);
	if (ws->nested)
		nested_end_old(t, at);
	if (lasts(ws, w, at, process_at))
		choose(t, w, &ra, at, process_at);
}

void scan_access(struct thread *t, struct scan_window *w, const struct access *a, uint64_t at,
		 uint64_t process_at)
{
	const struct watch_set *ws = t->watches;
	uint64_t first = a->address >> WATCH_SHIFT;
	uint64_t last = (a->address + (a->size ? a->size - 1u : 0)) >> WATCH_SHIFT;
	bool is_far = false, is_marked = at >= ws->next_sample;

	for (uint64_t line = first; line <= last; line++) {
		is_far |= watch_is_far(ws, line) != 0;
		is_marked |= watch_is_marked(ws, line);
	}
	if (is_far)
		far_lines_touch(t, w, a, at, process_at);
	if (is_marked)
		look_at_samples(t, w, a, at, process_at);
}

uint64_t scan_stays(uint64_t address, const struct repeat *r, uint32_t line_shift)
{
	uint64_t line = 1ull << line_shift, offset = address & (line - 1);

	if (offset + r->size > line)
		return 1;
	return r->step > 0 ? (line - offset - r->size) / r->size + 1 : offset / r->size + 1;
}

void scan_repeat(struct thread *t, struct scan_window *w, const struct repeat *r, uint64_t i,
		 uint64_t end, uint64_t at, uint64_t process_at)
{
	const struct watch_set *ws = t->watches;
	uint32_t shift = w->line_shift < WATCH_SHIFT ? w->line_shift : WATCH_SHIFT;

	while (i < end) {
		uint64_t skip = end - i;
		bool watched = false;

		for (uint32_t k = 0; k < r->accesses; k++, at++, process_at++) {
			struct access a = {r->pc, r->address[k] + i * (uint64_t)r->step, r->size,
					   r->kind[k]};
			uint64_t stay = scan_stays(a.address, r, shift);

			scan_access(t, w, &a, at, process_at);
			watched |= watch_maybe(ws, a.address >> WATCH_SHIFT);
			skip = stay < skip ? stay : skip;
		}
		i++;
		skip--;
		/*
		 * accesses to the rest of these lines touch nothing watched until the next sample
		 * is due
		 */
		if (watched || skip == 0 || ws->next_sample <= at)
			continue;
		if (skip > (ws->next_sample - at) / r->accesses)
			skip = (ws->next_sample - at) / r->accesses;
		i += skip;
		at += skip * r->accesses;
		process_at += skip * r->accesses;
	}
}
