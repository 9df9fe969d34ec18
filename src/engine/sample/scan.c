/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking through the accesses of a window; see scan.h. */
#include "engine/sample/scan.h"

#include "engine/core/random.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/data/alloc.h"
#include "engine/sample/arrivals.h"
#include "engine/sample/nested.h"
#include "engine/sample/stack_distance.h"
#include "engine/unwind/paths.h"

static void send(struct thread *t, struct scan_window *w, const struct watch *o, uint32_t status,
		 uint64_t at, const struct record_access *end)
{
	struct record_sample r = {.window = t->watches->window,
				  .status = status,
				  .position = o->process_at,
				  .distance = at > o->begin_at ? at - o->begin_at - 1 : 0,
				  .line = o->line << w->line_shift,
				  .begin = o->begin};

	if (end)
		r.end = *end;
	w->samples++;
	records_sample(t->process, &r);
}

/* The long watch ends at the thread's access `at`, the process's `process_at`. */
static void send_follow(struct thread *t, const struct watch *o, uint32_t status, uint64_t at,
			uint64_t process_at, const struct record_access *end)
{
	struct record_follow r = {.window = o->window,
				  .status = status,
				  .position = o->process_at,
				  .watched = at - o->begin_at - 1,
				  .end_position = process_at,
				  .end.thread = (uint16_t)t->index};

	if (end)
		r.end = *end;
	records_follow(t->process, &r);
}

/* All watches of a set. The loop's body may take the current one. */
#define FOR_EACH_WATCH(o, ws)                                  \
	for (uint32_t c_ = 0, i_, n_; c_ < WATCH_CHAINS; c_++) \
		for (i_ = (ws)->chain[c_];                     \
		     i_ && ((o) = &(ws)->watch[i_ - 1], n_ = (o)->next, true); i_ = n_)

/*
 * Makes room: drops each long watch with probability one half, and chooses half as many from now
 * on.
 */
static void thin_out(struct thread *t, uint64_t process_at)
{
	struct watch_set *ws = t->watches;
	struct watch *o;

	ws->one_in *= 2;
	FOR_EACH_WATCH(o, ws)
	{
		if (!o->followed || random_next(&t->rng) >> 63)
			continue;
		send_follow(t, o, FOLLOW_DROPPED, o->begin_at + 1 + o->watched, process_at, 0);
		watch_take(ws, o->line);
	}
}

/*
 * Lines watched for less than half of the window give distances that windows see anyway: they would
 * be touched at the beginning of the next window.
 */
static bool is_worth_following(struct thread *t, const struct watch *o, uint64_t at)
{
	const struct watch_set *ws = t->watches;

	return o->watched >= (at - ws->first_at) / 2 && random_next(&t->rng) % ws->one_in == 0;
}

void scan_end_watches(struct thread *t, struct scan_window *w, uint32_t status, uint64_t process_at)
{
	struct watch_set *ws = t->watches;
	uint64_t at = t->stream_position;
	struct watch *o;

	FOR_EACH_WATCH(o, ws)
	{
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
	if (ws->stack)
		stack_distance_end_window(t, at);
	arrivals_end(t);
	ws->window = UINT32_MAX;
	if (ws->follows > MAX_FOLLOWS)
		thin_out(t, process_at);
}

void scan_end_follows(struct thread *t, const struct scan_window *w, uint64_t process_at)
{
	struct watch_set *ws = t->watches;
	struct watch *o;

	FOR_EACH_WATCH(o, ws)
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
	/* as if the windows were contiguous: accesses between them do not count */
	FOR_EACH_WATCH(o, ws)
	o->begin_at = first_at - o->watched - 1;
	if (ws->nested)
		nested_join(t, first_at);
	arrivals_begin(t);
	ws->window = w->number;
	ws->first_at = first_at;
	ws->next_sample = first_at + random_exponential(&t->rng, w->interval) - 1;
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

/*
 * The filter passes accesses that may reach the next line. With more, smaller lines the first two
 * suffice.
 */
static void arrive(struct thread *t, const struct scan_window *w, struct record_access *a,
		   uint64_t at, uint64_t process_at)
{
	struct watch_set *ws = t->watches;
	uint64_t line = a->address >> w->line_shift;
	uint64_t last = (a->address + (a->size ? a->size - 1u : 0)) >> w->line_shift;
	bool arrives;

	if (!watch_is_fresh(ws, line) && (last == line || !watch_is_fresh(ws, line + 1))) {
		arrivals_pass(ws, line);
		return;
	}
	arrives = arrivals_is_one(ws, line, last);
	if (arrives && process_at >= w->middle)
		describe(t, a, at);
	arrivals_touch(t, w, a, arrives, process_at);
}

void scan_access(struct thread *t, struct scan_window *w, const struct access *a, uint64_t at,
		 uint64_t process_at)
{
	struct watch_set *ws = t->watches;
	struct record_access ra = {.pc = a->pc,
				   .address = a->address,
				   .size = a->size,
				   .kind = (uint16_t)a->kind,
				   .thread = (uint16_t)t->index};
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
		describe(t, &ra, at);
		if (o->followed)
			send_follow(t, o, FOLLOW_TOUCHED, at, process_at, &ra);
		else
			send(t, w, o, SAMPLE_REUSED, at, &ra);
	}
	if (seen && ws->nested)
		nested_touch(t, w, &ra, at);
	arrive(t, w, &ra, at, process_at);
	if (at < ws->next_sample)
		return;
	ws->next_sample = at + random_exponential(&t->rng, w->interval);
	choose(t, w, &ra, at, process_at);
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
	struct watch_set *ws = t->watches;

	while (i < end) {
		uint64_t skip = end - i;
		bool watched = false;

		for (uint32_t k = 0; k < r->accesses; k++, at++, process_at++) {
			struct access a = {r->pc, r->address[k] + i * (uint64_t)r->step, r->size,
					   r->kind[k]};
			uint64_t stay = scan_stays(a.address, r, w->line_shift);

			scan_access(t, w, &a, at, process_at);
			watched |= watch_maybe(ws, a.address >> w->line_shift) != 0;
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
