/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampling windows, samples and watches; see sampler.h. */
#include "engine/sample/sampler.h"

#include "engine/codecache/poll.h"
#include "engine/core/publish.h"
#include "engine/core/random.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/data/alloc.h"
#include "engine/sample/budget.h"
#include "engine/sample/buffers.h"
#include "engine/sample/collect.h"
#include "engine/sample/nested.h"
#include "engine/sample/pacing.h"
#include "engine/sample/page_use.h"
#include "engine/sample/scan.h"
#include "engine/sample/stack_distance.h"
#include "engine/sample/ticker.h"
#include "engine/translate/world.h"

/* State of the process. The lock of collect.h guards it, and every thread's watch set. */
static struct sampler {
	bool open;
	struct scan_window window; /* the open one, or the next */
	struct pacing pace;	   /* the plan of windows */
	struct page_use use;	   /* of the process's memory */
	uint64_t lost;		   /* lost records before the open window */
} s;

/* The next window samples as planned. */
static void take_plan(void)
{
	s.window.interval = s.pace.interval;
	s.window.nested_one_in = s.pace.nested_one_in;
}

static void plan_next(void)
{
	pacing_next(&s.pace);
	take_plan();
}

void sampler_reset(const struct thread *t)
{
	s = (struct sampler){.window = {.line_shift = 6, .use = &s.use}};
	pacing_start(&s.pace, engine.config.seed * 0x2545f4914f6cdd1dull + t->process->order + 1);
	if (engine.config.line_bytes >= 4)
		s.window.line_shift = (uint32_t)__builtin_ctz(engine.config.line_bytes);
}

uint32_t sampler_line_shift(void)
{
	return s.window.line_shift;
}

static bool start(struct thread *t)
{
	if (t->process->profiling)
		plan_next();
	return true;
}

static bool start_open(struct thread *t)
{
	s.open = t->process->profiling;
	return start(t);
}

static enum code_variant_id variant_of_watch(void)
{
	return VARIANT_STREAM;
}

void sampler_thread_start(struct thread *t)
{
	if (t->watches)
		watches_clear(t->watches, s.window.line_shift);
	t->rng = random_next(&s.pace.rng);
}

/* Accesses left of the open window when the process has made `total`. */
static uint64_t left_of_window(uint64_t total)
{
	return s.open && total < s.pace.end ? s.pace.end - total : 0;
}

/* `n` accesses are in the buffer; process_at is the process's count at the first. */
static void look_through(struct thread *t, uint64_t process_at, uint64_t n)
{
	uint64_t skip = process_at < s.pace.start ? s.pace.start - process_at : 0;
	uint64_t end = process_at < s.pace.end ? s.pace.end - process_at : 0;

	if (end > n)
		end = n;
	if (skip >= end)
		return;
	scan_buffer(t, &s.window, skip, end, process_at);
	t->extra.watch_accesses += end - skip;
}

/* The window is over: all threads' watches end. The lock is held. */
static void close_window(struct thread *t, uint64_t total, uint32_t status)
{
	struct record_window w = {.number = s.window.number, .start = s.pace.start};
	uint64_t now = total < s.pace.end ? total : s.pace.end, from = s.pace.period_start;
	bool is_whole;

	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o; o = o->next_thread) {
		o->unsampled = false;
		if (o->watches && o->watches->window == s.window.number)
			scan_end_watches(o, &s.window, status, now);
		buffers_park_watches(o);
		/*
		 * A thread still in the count variant may have ticked while the window was open,
		 * and then set no timer. No change of variant will bring it here either.
		 */
		if (o != t && o->process == t->process && o->variant == VARIANT_COUNT) {
			o->tick_due = true;
			poll_call(o);
		}
	}
	lock_drop(&engine.world_lock);
	w.length = now > s.pace.start ? now - s.pace.start : 0;
	w.stands_for = s.pace.period_end - s.pace.period_start;
	if (budget_is_set())
		budget_stretch(t->process, total, true);
	w.samples = s.window.samples;
	w.chosen = s.window.chosen;
	w.chosen_loads = s.window.chosen_loads;
	w.footprint_pages = s.use.held;
	page_use_shares(&s.use, s.window.line_shift, w.line_use);
	s.use.each_for = w.length ? 2 * w.stands_for / w.length : 0;
	/*
	 * The records of a window that found no room are its last, not random ones: the next window
	 * stands for it, too.
	 */
	is_whole = w.length && records_lost(t->process) == s.lost && records_window(t->process, &w);
	s.open = false;
	pacing_saw(&s.pace, s.window.chosen, s.window.samples);
	s.window = (struct scan_window){.number = s.window.number + 1,
					.line_shift = s.window.line_shift,
					.use = s.window.use};
	pacing_close(&s.pace, total, publish_paced(t->process));
	plan_next();
	if (!is_whole)
		s.pace.period_start = from;
	alloc_window_closed(t->process, now_ns());
	__atomic_store_n(&engine.variant, VARIANT_COUNT, __ATOMIC_SEQ_CST);
}

uint64_t sampler_footprint(struct thread *t, uint16_t line_use[CHANNEL_LINE_USES])
{
	uint64_t pages;

	collect_lock();
	pages = page_use_end(&s.use, t);
	page_use_shares(&s.use, s.window.line_shift, line_use);
	collect_unlock();
	return pages;
}

static void open_window(struct thread *t, uint64_t total)
{
	s.open = true;
	s.lost = records_lost(t->process);
	page_use_check(&s.use);
	pacing_open(&s.pace, total);
	s.window.middle = s.pace.start + (s.pace.end - s.pace.start) / 2;
	page_use_count(&s.use, t, total);
	if (budget_is_set())
		budget_stretch(t->process, total, false);
	__atomic_store_n(&engine.variant, VARIANT_STREAM, __ATOMIC_SEQ_CST);
	world_kick(t);
}

/* The window ends here and now, and its period as well. The lock is held. */
static void cut_window(struct thread *t, uint64_t total, uint32_t status)
{
	if (total < s.pace.end)
		s.pace.end = total;
	if (total < s.pace.period_end)
		s.pace.period_end = total;
	close_window(t, total, status);
}

static void turn(struct thread *t, uint64_t total, bool on)
{
	if (!on && s.open)
		cut_window(t, total, SAMPLE_CENSORED);
	if (on)
		pacing_resume(&s.pace, total);
	else
		pacing_pause(&s.pace, total);
	take_plan();
}

static void give_up(void)
{
	s.open = false;
}

/* Call t again before the next window can begin, unless it runs faster than recently. */
static void set_next_tick(struct thread *t, uint64_t total)
{
	bool alone = !engine.threads || !engine.threads->next_thread;

	collect_tick_in(t, collect_is_on() ? pacing_wait(&s.pace, total, alone) : engine.report_ns);
}

/* Skips windows that have passed, and one for which the ring has no room. */
static void pass_over(struct process *p, uint64_t total)
{
	pacing_pass_over(&s.pace, total);
	if (pacing_is_near(&s.pace, total) && !records_wait_for_room(p))
		pacing_leave_out(&s.pace);
	take_plan();
}

static void tick(struct thread *t, uint64_t total)
{
	if (s.open && t->unsampled && total < s.pace.end) {
		ticker_arm(t, engine.report_ns); /* the others may all be waiting for t */
	} else if (s.open && t->unsampled) {
		close_window(t, total, SAMPLE_CENSORED);
		t->tick_due = true;
	} else if (!s.open) {
		t->unsampled = false;
		pacing_look(&s.pace, total, publish_paced(t->process));
		collect_follow_control(t, total);
		if (collect_is_on())
			pass_over(t->process, total);
		if (collect_is_on() && pacing_is_near(&s.pace, total))
			open_window(t, total);
		else
			set_next_tick(t, total);
	}
}

static bool is_early(struct thread *t, uint64_t accesses)
{
	uint64_t since = accesses - t->published.accesses, now = now_ns(), total;

	if (!t->process->profiling || t->process->borrowed_memory || !collect_is_on() || s.open ||
	    engine.threads->next_thread || !collect_has_shown(now))
		return false;
	total = t->process->total.accesses + since;
	if (since >> 63 || !pacing_believes(&s.pace, total, now))
		return false;
	pacing_look(&s.pace, total,
		    t->process->extra.paced + accesses - t->extra.leaps - t->extra_published.paced);
	if (pacing_is_near(&s.pace, total))
		return false;
	set_next_tick(t, total);
	return true;
}

static void consume(struct thread *t, uint64_t here, uint64_t n, uint64_t total)
{
	if (!s.open || !t->watches)
		return;
	look_through(t, total - n, n);
	if (total >= s.pace.end) {
		/* watches last until the window's end, not the buffer's beginning */
		if (total - s.pace.end < n)
			t->stream_position = here - (total - s.pace.end);
		close_window(t, total, SAMPLE_CENSORED);
	} else if (records_abandoned()) {
		collect_give_up(t);
	}
}

static bool consume_quickly(struct thread *t, uint64_t here, uint64_t n, uint64_t total)
{
	(void)here;
	if (!s.open || !t->watches || total >= s.pace.end)
		return false;
	look_through(t, total - n, n);
	return true;
}

static void elements(struct thread *t, uint64_t pc, uint32_t segment, const uint64_t *entries,
		     uint32_t n)
{
	uint64_t at, process_at = t->process->total.accesses;

	(void)segment;
	collect_settle(t);
	if (t->variant != VARIANT_STREAM || !n)
		return;
	at = t->stream_position;
	process_at += at - t->published.accesses;
	t->stream_position += n;
	collect_lock();
	for (uint32_t i = 0; i < n && t->watches && s.open; i++) {
		struct access a = {pc, STREAM_ADDRESS(entries[i]), STREAM_SIZE(entries[i]),
				   STREAM_KIND(entries[i])};

		if (process_at + i < s.pace.start || process_at + i >= s.pace.end)
			continue;
		scan_join(t, &s.window, at + i);
		t->extra.watch_accesses++;
		scan_access(t, &s.window, &a, at + i, process_at + i);
		stack_distance_touch(t, a.address, a.size, at + i);
	}
	collect_unlock();
}

/*
 * Scans the part of a string instruction that lies in the open window. Its first access is the
 * process's process_at.
 */
static void scan_window_of(struct thread *t, const struct repeat *r, uint64_t at,
			   uint64_t process_at)
{
	uint64_t i = 0, end = r->iterations;

	if (process_at < s.pace.start)
		i = (s.pace.start - process_at) / r->accesses;
	if (s.pace.end - process_at < r->iterations * r->accesses)
		end = (s.pace.end - process_at) / r->accesses;
	scan_join(t, &s.window, at + i * r->accesses);
	scan_repeat(t, &s.window, r, i, end, at + i * r->accesses, process_at + i * r->accesses);
	stack_distance_repeat(t, r, i, end, at + i * r->accesses);
	t->extra.watch_accesses += (end - i) * r->accesses;
}

/* A string instruction may be longer than many windows and the gaps between them. */
static void repeat(struct thread *t, uint32_t segment, const struct repeat *r)
{
	const uint64_t n = r->iterations * r->accesses;
	uint64_t at, process_at;

	(void)segment;
	collect_settle(t);
	at = t->stream_position;
	process_at = t->process->total.accesses + at - t->published.accesses;
	collect_lock();
	while (t->watches && s.open && process_at < s.pace.end && process_at + n > s.pace.start) {
		scan_window_of(t, r, at, process_at);
		if (s.pace.end > process_at + n)
			/*
			 * if the window ends exactly here it is closed now, as nothing else may
			 * close it
			 */
			break;
		t->stream_position = at + (s.pace.end - process_at);
		close_window(t, s.pace.end, SAMPLE_CENSORED);
		if (collect_is_on() && s.pace.start < process_at + n)
			open_window(t, s.pace.start);
	}
	t->stream_position = at + n;
	collect_unlock();
}

/*
 * In the count variant: does a window begin among the next n accesses? Then open it, and change t
 * to the stream variant.
 */
static bool enters(struct thread *t, uint64_t n)
{
	uint64_t here = thread_accesses(t) - t->published.accesses;

	if (!t->process->profiling || t->process->borrowed_memory || !collect_is_on() || s.open)
		return false;
	here += __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED);
	if (here + n <= s.pace.start)
		return false;
	collect_lock();
	if (!s.open)
		pass_over(t->process, here); /* its beginning was missed earlier */
	if (!s.open && here + n > s.pace.start)
		open_window(t, here);
	collect_unlock();
	collect_set_variant(t);
	return t->variant == VARIANT_STREAM;
}

static bool wants_repeat(struct thread *t, uint32_t segment, uint64_t n)
{
	(void)segment;
	return n && (t->variant == VARIANT_STREAM || enters(t, n));
}

static void thread_end(struct thread *t)
{
	if (t->watches && s.open && t->watches->window == s.window.number)
		scan_end_watches(t, &s.window, SAMPLE_DANGLING, t->process->total.accesses);
	if (t->watches)
		scan_end_follows(t, &s.window, t->process->total.accesses);
}

static void end(struct thread *t, uint32_t status, bool is_over, uint64_t total)
{
	(void)is_over;
	if (s.open && collect_is_on())
		cut_window(t, total, status);
	else if (budget_is_set())
		budget_stretch(t->process, total, false);
	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o; o = o->next_thread)
		if (o->watches && o->process == t->process)
			scan_end_follows(o, &s.window, total);
	lock_drop(&engine.world_lock);
}

/* Common to both modes with windows. */
#define WINDOW_MODE                                                                                \
	.has_windows = true, .turn = turn, .give_up = give_up, .tick = tick, .is_early = is_early, \
	.consume = consume, .consume_quickly = consume_quickly, .left = left_of_window,            \
	.wants_repeat = wants_repeat, .repeat = repeat, .elements = elements,                      \
	.thread_end = thread_end, .end = end

const struct run_mode sample_mode = {
	WINDOW_MODE,
	.is_controlled = true,
	.leaves_out = true,
	.start = start,
};

/* A window is open from the start. For tests. */
const struct run_mode watch_mode = {
	WINDOW_MODE,
	.start = start_open,
	.variant = variant_of_watch,
};
