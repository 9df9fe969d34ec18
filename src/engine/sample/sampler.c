/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random sampling of reuse distances (StatCache, sections 3.4 to 3.7): a run mode (run_mode.h).
 *
 * Windows are placed at random in the process's count of accesses. Between windows all threads run
 * in the count variant, inside one in the stream variant. Buffers are scanned: accesses are chosen
 * at random gaps, and their lines watched. The next touch by the same thread ends the sample. Far
 * lines are watched in all windows.
 */
#include "engine/core/run_mode.h"

#include "engine/codecache/poll.h"
#include "engine/core/lock.h"
#include "engine/core/publish.h"
#include "engine/core/random.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/data/alloc.h"
#include "engine/drive/buffers.h"
#include "engine/drive/collect.h"
#include "engine/drive/ticker.h"
#include "engine/sample/budget.h"
#include "engine/sample/far_lines.h"
#include "engine/sample/footprint.h"
#include "engine/sample/nested.h"
#include "engine/sample/pacing.h"
#include "engine/sample/scan.h"
#include "engine/sample/shares.h"
#include "engine/sample/stack_distance.h"
#include "engine/sample/watch_sets.h"
#include "engine/translate/world.h"

#define MOST_WAIT   3u	/* a divided window may last so many times longer than its shares */
#define MOST_SHARES 16u /* of more threads, too few run in one window */
#define LEAST_GAP   3u	/* windows in a period: of shorter ones too much is owed at the end */

/* State of the process. The lock of collect.h guards it, and every thread's watch set. */
static struct sampler {
	bool open;
	struct scan_window window; /* the open one, or the next */
	struct pacing pace;	   /* the plan of windows */
	struct shares shares;	   /* of threads, in a window behind a gap */
	struct footprint held;	   /* the process's memory */
	uint64_t lost;		   /* lost records before the open window */
	struct far_sums gone;	   /* far lines of threads that have ended */
} s;

/* The next window samples as planned. */
static void take_plan(void)
{
	s.window.interval = s.pace.interval;
	s.window.nested_one_in = engine.config.nested_one_in;
}

static void plan_next(void)
{
	pacing_next(&s.pace);
	take_plan();
}

/* No window is planned. */
static void reset(const struct thread *t)
{
	budget_start();
	s = (struct sampler){.window = {.line_shift = 6}};
	far_rate_start(&s.window.far_rate[0], FAR_SENT);
	far_rate_start(&s.window.far_rate[1], FAR_SENT_SMALL);
	pacing_start(&s.pace, engine.config.seed * 0x2545f4914f6cdd1dull + t->process->order + 1);
	s.shares.rng = s.pace.rng;
	if (engine.config.line_bytes >= 4)
		s.window.line_shift = (uint32_t)__builtin_ctz(engine.config.line_bytes);
}

static bool need(struct thread *t)
{
	return watch_sets_need(t, s.window.line_shift);
}

static bool start(struct thread *t)
{
	reset(t);
	if (t->process->profiling)
		plan_next();
	return true;
}

static bool start_open(struct thread *t)
{
	start(t);
	s.open = t->process->profiling;
	s.window.start = s.pace.start;
	s.window.end = s.pace.end;
	return true;
}

static enum code_variant_id variant_of_watch(void)
{
	return VARIANT_STREAM;
}

static void thread_start(struct thread *t)
{
	if (t->watches)
		watches_clear(t->watches, s.window.line_shift);
	collect_lock();
	t->rng = random_next(&s.pace.rng);
	if (!t->process->borrowed_memory)
		shares_thread_start(&s.shares, t);
	collect_unlock();
}

/* Is the open window over when the process has made `total` accesses? */
static bool is_over(uint64_t total)
{
	return total >= s.pace.end || (shares_are_given(&s.shares) && shares_are_taken(&s.shares));
}

/* Accesses left of the open window for t when the process has made `total`. */
static uint64_t left_of_window(const struct thread *t, uint64_t total)
{
	if (!s.open || total >= s.pace.end)
		return 0;
	return shares_are_given(&s.shares) ? t->share : s.pace.end - total;
}

/* Of some accesses of t those in the open window, and the place of the first one in the process. */
struct part {
	uint64_t skip, end, process_at;
};

/* process_at: what the process had made before these n accesses. */
static struct part part_in_window(const struct thread *t, uint64_t process_at, uint64_t n)
{
	uint64_t left = process_at < s.pace.end ? s.pace.end - process_at : 0;
	struct part p = {.end = left < n ? left : n, .process_at = process_at};

	if (process_at < s.pace.start)
		p.skip = s.pace.start - process_at < n ? s.pace.start - process_at : n;
	if (shares_are_given(&s.shares)) {
		/* those that no share has are left out, and places are counted without them */
		p.process_at = s.pace.start + s.shares.taken - p.skip;
		p.end = n - p.skip > t->share ? p.skip + t->share : n;
	}
	return p;
}

/* t has made n accesses in the window, the last one before its number `at`. */
static void count_part(struct thread *t, uint64_t n, uint64_t at)
{
	uint64_t begin = t->stream_position;

	t->extra.watch_accesses += n;
	if (!shares_are_given(&s.shares))
		return;
	shares_take(&s.shares, t, n);
	if (t->share)
		return;
	t->stream_position = at;
	scan_end_watches(t, &s.window);
	t->stream_position = begin;
}

/* `n` accesses are in the buffer; process_at is the process's count at the first. */
static void look_through(struct thread *t, uint64_t process_at, uint64_t n)
{
	const struct part p = part_in_window(t, process_at, n);

	if (p.skip >= p.end)
		return;
	scan_buffer(t, &s.window, p.skip, p.end, p.process_at);
	count_part(t, p.end - p.skip, t->stream_position + p.end);
}

/* The window is over for all threads: their watches end, and they may leave the stream variant. */
static void end_watches(struct thread *t, struct far_sums *sums)
{
	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o; o = o->next_thread) {
		o->unsampled = false;
		if (o->watches && o->watches->window == s.window.number)
			scan_end_watches(o, &s.window);
		if (o->process == t->process)
			far_lines_sum_up(sums, o->watches);
		watch_sets_park(o);
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
}

/* The accesses of the window, which ends when the process has made `total`. */
static uint64_t length_until(uint64_t total)
{
	uint64_t now = total < s.pace.end ? total : s.pace.end;

	if (shares_are_given(&s.shares))
		return s.shares.taken;
	return now > s.pace.start ? now - s.pace.start : 0;
}

/* Sends the record of the window, which has ended. False: some record of it is missing. */
static bool send_window(struct thread *t, uint64_t length, const struct far_sums *sums)
{
	struct record_window w = {
		.number = s.window.number,
		.start = s.pace.start,
		.length = length,
		.stands_for = shares_are_given(&s.shares) ? shares_stand_for(&s.shares)
							  : s.pace.period_end - s.pace.period_start,
		.samples = s.window.samples,
		.chosen = s.window.chosen,
		.chosen_loads = s.window.chosen_loads,
		.footprint_pages = s.held.pages,
	};

	memcpy(w.touches, s.window.touches, sizeof w.touches);
	for (uint32_t i = 0; i < CHANNEL_FAR_SIZES; i++) {
		w.far[i] = s.window.far[i];
		w.far_lines[i] = sums->lines[i];
		w.far_line_weight[i] =
			sums->lines[i] ? sums->weighted[i] / sums->lines[i] : sums->weight[i];
	}
	return w.length && records_lost(t->process) == s.lost && records_window(t->process, &w);
}

/* The next window. It samples as planned. */
static void plan_after(uint64_t length)
{
	struct scan_window next = {.number = s.window.number + 1,
				   .line_shift = s.window.line_shift,
				   .far_rate = {s.window.far_rate[0], s.window.far_rate[1]}};

	s.window = next;
	plan_next();
	for (uint32_t i = 0; i < 2; i++)
		far_rate_next(&s.window.far_rate[i], length, s.pace.end - s.pace.start);
}

/*
 * The window is over, after `total` accesses or before. The lock is held. Threads stay in the
 * stream variant if the caller opens the next one.
 */
static void close_window(struct thread *t, uint64_t total)
{
	uint64_t from = s.pace.period_start, length = length_until(total);
	struct far_sums sums = s.gone;
	bool is_whole;

	end_watches(t, &sums);
	if (budget_is_set())
		budget_stretch(t->process, total, true);
	/*
	 * The records of a window that found no room are its last, not random ones: the next window
	 * stands for it, too.
	 */
	is_whole = send_window(t, length, &sums);
	s.open = false;
	pacing_saw(&s.pace, s.window.chosen, s.window.samples);
	pacing_close(&s.pace, total, publish_paced(t->process));
	plan_after(length);
	if (shares_are_given(&s.shares))
		shares_close(&s.shares, t->process);
	else
		shares_settle(&s.shares, t->process, &s.pace);
	if (!is_whole)
		s.pace.period_start = from;
	alloc_window_closed(t->process, now_ns());
}

static void leave_stream(void)
{
	if (!s.open)
		__atomic_store_n(&engine.variant, VARIANT_COUNT, __ATOMIC_SEQ_CST);
}

/*
 * Divides the window among the threads, if there are several, no crowd, and it lies behind a gap
 * much longer than itself. False: it stays closed, and the next one stands for its period, too.
 */
static bool divide(const struct thread *t)
{
	uint64_t length = s.pace.end - s.pace.start;

	if (t->process->listed < 2 || t->process->listed > MOST_SHARES ||
	    s.pace.period_end - s.pace.period_start < LEAST_GAP * length)
		return true;
	if (!shares_divide(&s.shares, t->process, &s.pace)) {
		pacing_leave_out(&s.pace);
		take_plan();
		return false;
	}
	/* threads that sleep on may be waited for in vain */
	s.pace.end += MOST_WAIT * (s.shares.wanted > length ? s.shares.wanted : length);
	return true;
}

static void open_window(struct thread *t, uint64_t total)
{
	s.lost = records_lost(t->process);
	pacing_open(&s.pace, total);
	s.window.start = s.pace.start;
	s.window.end = s.pace.end;
	s.open = divide(t);
	if (!s.open)
		return;
	footprint_look(&s.held, t, total);
	if (budget_is_set())
		budget_stretch(t->process, total, false);
	if (__atomic_load_n(&engine.variant, __ATOMIC_RELAXED) == VARIANT_STREAM)
		return;
	__atomic_store_n(&engine.variant, VARIANT_STREAM, __ATOMIC_SEQ_CST);
	world_kick(t);
}

/*
 * The window is over, and the process has made `total` accesses. If the next one begins before
 * that, it is opened at its first access, which is still in the buffer.
 */
static bool go_on(struct thread *t, uint64_t total)
{
	bool opens;

	close_window(t, total);
	collect_follow_control(t, total); /* no timer calls in between */
	opens = collect_is_on() && s.pace.start <= total && records_wait_for_room(t->process);
	if (opens)
		open_window(t, s.pace.start);
	leave_stream();
	return s.open;
}

/* The window ends here and now, and its period as well. The lock is held. */
static void cut_window(struct thread *t, uint64_t total)
{
	if (total < s.pace.end)
		s.pace.end = total;
	if (total < s.pace.period_end)
		s.pace.period_end = total;
	close_window(t, total);
	leave_stream();
}

static void turn(struct thread *t, uint64_t total, bool on)
{
	if (!on && s.open)
		cut_window(t, total);
	if (on)
		pacing_resume(&s.pace, total);
	else
		pacing_pause(&s.pace, total);
	shares_settle(&s.shares, t->process, &s.pace);
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
	if (s.open && t->unsampled && !is_over(total)) {
		/* the others may all be waiting for t */
		ticker_arm(t, pacing_wait_for_end(&s.pace, total));
	} else if (s.open && t->unsampled) {
		close_window(t, total);
		leave_stream();
		t->tick_due = true;
	} else if (!s.open) {
		t->unsampled = false;
		pacing_look(&s.pace, total, publish_paced(t->process));
		collect_follow_control(t, total);
		if (collect_is_on())
			pass_over(t->process, total);
		if (collect_is_on() && pacing_is_near(&s.pace, total))
			open_window(t, total);
		if (!s.open)
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
	uint64_t begin;
	bool goes_on;

	if (!s.open || !t->watches)
		return;
	for (;;) {
		look_through(t, total - n, n);
		if (!is_over(total))
			break;
		/* watches last until the window's end, not the buffer's beginning */
		begin = t->stream_position;
		if (total - s.pace.end < n)
			t->stream_position = here - (total - s.pace.end);
		goes_on = go_on(t, total);
		t->stream_position = begin;
		if (!goes_on)
			return;
	}
	if (records_abandoned())
		collect_give_up(t);
}

static bool consume_quickly(struct thread *t, uint64_t here, uint64_t n, uint64_t total)
{
	(void)here;
	if (!s.open || !t->watches || total >= s.pace.end ||
	    (shares_are_given(&s.shares) && n >= t->share))
		return false;
	look_through(t, total - n, n);
	return true;
}

static void elements(struct thread *t, uint64_t pc, uint32_t segment, const uint64_t *entries,
		     uint32_t n)
{
	uint64_t at, process_at = t->process->total.accesses;
	struct part p;

	(void)segment;
	collect_settle(t);
	if (t->variant != VARIANT_STREAM || !n)
		return;
	at = t->stream_position;
	process_at += at - t->published.accesses;
	t->stream_position += n;
	collect_lock();
	p = part_in_window(t, process_at, n);
	if (!s.open || !t->watches)
		p.end = 0;
	for (uint64_t i = p.skip; i < p.end; i++) {
		struct access a = {pc, STREAM_ADDRESS(entries[i]), STREAM_SIZE(entries[i]),
				   STREAM_KIND(entries[i])};

		scan_join(t, &s.window, at + i);
		scan_access(t, &s.window, &a, at + i, p.process_at + i);
		stack_distance_touch(t, a.address, a.size, at + i);
	}
	if (p.skip < p.end)
		count_part(t, p.end - p.skip, at + p.end);
	collect_unlock();
}

/* Scans the part of a string instruction in the window. Its first access: process_at. */
static void scan_window_of(struct thread *t, const struct repeat *r, uint64_t at,
			   uint64_t process_at)
{
	const struct part p = part_in_window(t, process_at, r->iterations * r->accesses);
	uint64_t i = p.skip / r->accesses, end = p.end / r->accesses;

	if (i >= end)
		return;
	scan_join(t, &s.window, at + i * r->accesses);
	scan_repeat(t, &s.window, r, i, end, at + i * r->accesses, p.process_at + i * r->accesses);
	stack_distance_repeat(t, r, i, end, at + i * r->accesses);
	count_part(t, (end - i) * r->accesses, at + end * r->accesses);
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
		if (!is_over(process_at + n))
			/*
			 * if the window ends exactly here it is closed now, as nothing else may
			 * close it
			 */
			break;
		if (s.pace.end < process_at + n)
			t->stream_position = at + (s.pace.end - process_at);
		if (!go_on(t, process_at + n))
			break;
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
		scan_end_watches(t, &s.window);
	far_lines_sum_up(&s.gone, t->watches);
	shares_thread_end(&s.shares, t);
	watch_sets_release(t);
}

static void end(struct thread *t, bool is_over, uint64_t total)
{
	(void)is_over;
	if (s.open && collect_is_on())
		cut_window(t, total);
	else if (budget_is_set())
		budget_stretch(t->process, total, false);
}

/* Common to both modes with windows. */
#define WINDOW_MODE                                                                               \
	.has_windows = true, .thread_start = thread_start, .need = need, .turn = turn,            \
	.give_up = give_up, .tick = tick, .is_early = is_early, .consume = consume,               \
	.consume_quickly = consume_quickly, .left = left_of_window, .wants_repeat = wants_repeat, \
	.repeat = repeat, .elements = elements, .thread_end = thread_end, .end = end

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
