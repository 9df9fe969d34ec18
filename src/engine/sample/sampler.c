/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampling windows, samples and watches; see sampler.h. */
#include "engine/sample/sampler.h"

#include "channel/sys.h"
#include "engine/data/alloc.h"
#include "engine/sample/budget.h"
#include "engine/sample/buffers.h"
#include "engine/unwind/call_stack.h"
#include "engine/translate/world.h"
#include "engine/simulate/filter/filter.h"
#include "engine/simulate/filter/filter_calls.h"
#include "engine/simulate/filter/filter_turns.h"
#include "engine/simulate/graph.h"
#include "engine/sample/nested.h"
#include "engine/sample/pacing.h"
#include "engine/sample/page_use.h"
#include "engine/codecache/pages.h"
#include "engine/codecache/poll.h"
#include "engine/core/publish.h"
#include "engine/core/random.h"
#include "engine/core/records.h"
#include "engine/simulate/replay.h"
#include "engine/sample/scan.h"
#include "engine/sample/stack_distance.h"
#include "engine/sample/stream.h"
#include "engine/sample/ticker.h"
#include "engine/sample/toggles.h"
#include "engine/core/util.h"

/* Of the process. The lock guards all of it, and every thread's watch set. */
static struct sampler {
	uint32_t lock;
	bool open;
	bool on; /* windows may open; see control.h */
	struct scan_window window; /* the open one, or the next */
	struct pacing pace;	   /* where it lies */
	struct page_use use;	   /* of the memory it holds */
	uint64_t shown_ns;	   /* when counts were last shown */
	uint64_t lost;		   /* records, before the open window */
} s;

static bool has_windows(void)
{
	return engine.config.gear == CHANNEL_GEAR_SAMPLE || engine.config.gear == CHANNEL_GEAR_WATCH;
}

static bool is_simulation(void)
{
	return engine.config.gear == CHANNEL_GEAR_SIMULATE;
}

static bool wants_windows(void)
{
	return s.on && has_windows();
}

/* May marks, functions and the clock turn it off? */
static bool is_controlled(void)
{
	return engine.config.gear == CHANNEL_GEAR_SAMPLE || is_simulation();
}

/* The window to come takes its samples as it was planned. */
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

void sampler_start(struct thread *t)
{
	uint32_t gear = engine.config.gear;

	s = (struct sampler){ .window = { .line_shift = 6, .use = &s.use } };
	pacing_start(&s.pace, engine.config.seed * 0x2545f4914f6cdd1dull + t->process->order + 1);
	if (engine.config.line_bytes >= 4)
		s.window.line_shift = (uint32_t)__builtin_ctz(engine.config.line_bytes);
	engine.gear = GEAR_COUNT;
	budget_start();
	s.on = !is_controlled() || control_allows(now_ns());
	if (is_simulation() && !replay_start()) {
		records_message(t->process, "there is no memory for the simulated caches");
		t->process->profiling = false;
	}
	if (t->process->profiling && is_simulation() && s.on)
		engine.gear = filter_gear();
	if (t->process->profiling && has_windows())
		plan_next();
	if (t->process->profiling && (gear == CHANNEL_GEAR_STREAM || gear == CHANNEL_GEAR_WATCH))
		engine.gear = GEAR_STREAM;
	s.open = t->process->profiling && gear == CHANNEL_GEAR_WATCH;
}

void sampler_thread_start(struct thread *t)
{
	t->counters = t->published = (struct counts){ 0 };
	t->extra = t->extra_published = (struct extra_counts){ 0 };
	thread_forget_quick_reps(t);
	t->stream_position = 0;
	t->entries_of_1024 = 3 * 1024 / 2;
	t->gear = GEAR_COUNT;
	t->tick_due = t->process->profiling; /* that arms the first */
	t->buf = t->buf_start = t->buf_memory;
	if (t->watches)
		watches_clear(t->watches, s.window.line_shift);
	t->rng = random_next(&s.pace.rng);
}

/* So much of the open window is left when the process has made `total` accesses. */
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
	struct record_window w = { .number = s.window.number, .start = s.pace.start };
	uint64_t now = total < s.pace.end ? total : s.pace.end, from = s.pace.period_start;
	bool is_whole;

	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o; o = o->next_thread) {
		o->unsampled = false;
		if (o->watches && o->watches->window == s.window.number)
			scan_end_watches(o, &s.window, status, now);
		buffers_park_watches(o);
		/* It may have seen the window, so not set its timer, and will find no gear to change. */
		if (o != t && o->process == t->process && o->gear == GEAR_COUNT) {
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
	/* Those of a window's records that found no room are its last ones, not any: the next stands for it, too. */
	is_whole = w.length && records_lost(t->process) == s.lost && records_window(t->process, &w);
	s.open = false;
	pacing_saw(&s.pace, s.window.chosen, s.window.samples);
	s.window = (struct scan_window){ .number = s.window.number + 1,
					 .line_shift = s.window.line_shift,
					 .use = s.window.use };
	pacing_close(&s.pace, total, publish_paced(t->process));
	plan_next();
	if (!is_whole)
		s.pace.period_start = from;
	alloc_window_closed(t->process, now_ns());
	__atomic_store_n(&engine.gear, GEAR_COUNT, __ATOMIC_SEQ_CST);
}

uint64_t sampler_footprint(struct thread *t, uint16_t line_use[CHANNEL_LINE_USES])
{
	uint64_t pages;

	lock_take(&s.lock);
	pages = page_use_end(&s.use, t);
	page_use_shares(&s.use, s.window.line_shift, line_use);
	lock_drop(&s.lock);
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
	__atomic_store_n(&engine.gear, GEAR_STREAM, __ATOMIC_SEQ_CST);
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

/* Sampling begins or ends, if it should. The lock is held, the thread's buffer empty. */
static void follow_control(struct thread *t, uint64_t total)
{
	bool on = !is_controlled() || control_allows(now_ns());

	if (on == s.on)
		return;
	if (is_simulation()) {
		s.on = on;
		__atomic_store_n(&engine.gear, on ? filter_gear() : GEAR_COUNT, __ATOMIC_SEQ_CST);
		world_kick(t);
		return;
	}
	if (!on && s.open)
		cut_window(t, total, SAMPLE_CENSORED);
	s.on = on;
	if (on)
		pacing_resume(&s.pace, total);
	else
		pacing_pause(&s.pace, total);
	take_plan();
}

/* Profiling ends while the target runs on. The lock is held. */
static void give_up(struct thread *t)
{
	t->process->profiling = false;
	s.open = false;
	__atomic_store_n(&engine.gear, GEAR_COUNT, __ATOMIC_SEQ_CST);
}

/* Call t again before the next window can begin, if it runs no faster than lately. */
static void set_next_tick(struct thread *t, uint64_t total)
{
	bool alone = !engine.threads || !engine.threads->next_thread;
	uint64_t ns = wants_windows() ? pacing_wait(&s.pace, total, alone) : engine.report_ns;

	if (ticker_arm(t, ns) != 0)
		records_message(t->process, "the kernel gives no timer: no samples are taken");
}

/* Windows that the thread ran over, and one that would have to be left out as the collector is late. */
static void pass_over(struct process *p, uint64_t total)
{
	pacing_pass_over(&s.pace, total);
	if (pacing_is_near(&s.pace, total) && !records_wait_for_room(p))
		pacing_leave_out(&s.pace);
	take_plan();
}

void sampler_tick(struct thread *t, const struct counts *after)
{
	uint64_t total;

	t->tick_due = false;
	publish_counts(t, after);
	if (!t->process->profiling || t->process->borrowed_memory)
		return;
	lock_take(&s.lock);
	records_counters(t->process);
	if (is_simulation())
		replay_tell_when_due(t->process);
	s.shown_ns = now_ns();
	total = __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED);
	if (records_abandoned()) {
		give_up(t);
	} else if (s.open && t->unsampled && total < s.pace.end) {
		ticker_arm(t, engine.report_ns); /* the others may all wait for it */
	} else if (s.open && t->unsampled) {
		close_window(t, total, SAMPLE_CENSORED);
		t->tick_due = true;
	} else if (!s.open) {
		t->unsampled = false;
		if (t->gear == GEAR_FILTER) { /* its lanes have not gone round since */
			filter_calls_pause(t);
			replay_tell_when_due(t->process);
		}
		pacing_look(&s.pace, total, publish_paced(t->process));
		follow_control(t, total);
		if (wants_windows())
			pass_over(t->process, total);
		if (wants_windows() && pacing_is_near(&s.pace, total))
			open_window(t, total);
		else
			set_next_tick(t, total);
	}
	lock_drop(&s.lock);
}

bool sampler_is_early(struct thread *t, uint64_t accesses)
{
	uint64_t since = accesses - t->published.accesses, now = now_ns(), total;

	if (!t->process->profiling || t->process->borrowed_memory || !wants_windows() || s.open ||
	    engine.threads->next_thread || now - s.shown_ns > PACING_REPORT_NS)
		return false;
	total = t->process->total.accesses + since;
	if (since >> 63 || !pacing_believes(&s.pace, total, now))
		return false;
	pacing_look(&s.pace, total, t->process->extra.paced + accesses - t->extra.leaps - t->extra_published.paced);
	if (pacing_is_near(&s.pace, total))
		return false;
	set_next_tick(t, total);
	return true;
}

/* The lock is held. */
static void simulate(struct thread *t, uint64_t total)
{
	if (!t->process->profiling || t->buf == t->buf_start)
		return;
	replay_buffer(t);
	if (records_abandoned()) {
		give_up(t);
		return;
	}
	if (t->buf - t->buf_start < BUFFER_ENTRIES / 2 && !records_asked(t->process))
		return; /* at a system call, of which there may be very many */
	replay_tell_when_due(t->process);
	t->buf = t->buf_start = t->buf_memory;
	follow_control(t, total);
}

void sampler_flush(struct thread *t, const struct counts *after)
{
	uint64_t begin = cycles(), here = thread_accesses(t) - after->accesses;
	uint64_t n = here - t->stream_position, total;

	publish_counts(t, after);
	lock_take(&s.lock);
	total = __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED);
	if (engine.config.gear == CHANNEL_GEAR_STREAM) {
		if (t->process->profiling)
			stream_send_buffer(t);
	} else if (is_simulation()) {
		simulate(t, total);
	} else if (s.open && t->watches) {
		look_through(t, total - n, n);
		if (total >= s.pace.end) {
			/* Watches lasted to the window's end, not to the buffer's beginning. */
			if (total - s.pace.end < n)
				t->stream_position = here - (total - s.pace.end);
			close_window(t, total, SAMPLE_CENSORED);
		} else if (records_abandoned()) {
			give_up(t);
		}
	}
	buffers_look_at_room(t, n);
	t->stream_position = here;
	buffers_empty(t, left_of_window(total));
	call_stack_break(t);
	records_counters(t->process);
	lock_drop(&s.lock);
	t->extra.scan_cycles += cycles() - begin;
}

void sampler_elements(struct thread *t, uint64_t pc, const uint64_t *entries, uint32_t n)
{
	uint64_t at = t->stream_position, process_at = t->process->total.accesses;

	process_at += at - t->published.accesses;
	t->stream_position += n;
	lock_take(&s.lock);
	if (engine.config.gear == CHANNEL_GEAR_STREAM && t->process->profiling) {
		stream_send_elements(t, pc, entries, n);
	} else if (t->watches && s.open) {
		for (uint32_t i = 0; i < n; i++) {
			struct access a = { pc, STREAM_ADDRESS(entries[i]),
					    STREAM_SIZE(entries[i]), STREAM_KIND(entries[i]) };

			if (process_at + i < s.pace.start || process_at + i >= s.pace.end)
				continue;
			scan_join(t, &s.window, at + i);
			t->extra.watch_accesses++;
			scan_access(t, &s.window, &a, at + i, process_at + i);
			stack_distance_touch(t, a.address, a.size, at + i);
		}
	}
	lock_drop(&s.lock);
}

/* What the open window sees of a string instruction whose first access is the process's process_at. */
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

/* It may be as long as many windows, and as the gaps between them. */
void sampler_repeat(struct thread *t, const struct repeat *r)
{
	uint64_t at = t->stream_position, n = r->iterations * r->accesses;
	uint64_t process_at = t->process->total.accesses + at - t->published.accesses;

	lock_take(&s.lock);
	while (t->watches && s.open && process_at < s.pace.end && process_at + n > s.pace.start) {
		scan_window_of(t, r, at, process_at);
		if (s.pace.end > process_at + n)
			break; /* not if it ends with these: nothing may be left to close it by */
		t->stream_position = at + (s.pace.end - process_at);
		close_window(t, s.pace.end, SAMPLE_CENSORED);
		if (wants_windows() && s.pace.start < process_at + n)
			open_window(t, s.pace.start);
	}
	t->stream_position = at + n;
	lock_drop(&s.lock);
}

void sampler_lock(void)
{
	lock_take(&s.lock);
}

void sampler_unlock(void)
{
	lock_drop(&s.lock);
}

static const struct counts nothing;

bool sampler_enters(struct thread *t, uint64_t n)
{
	uint64_t here = thread_accesses(t) - t->published.accesses;

	if (!t->process->profiling || t->process->borrowed_memory || !wants_windows() || s.open)
		return false;
	here += __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED);
	if (here + n <= s.pace.start)
		return false;
	lock_take(&s.lock);
	if (!s.open)
		pass_over(t->process, here); /* its beginning was missed before these */
	if (!s.open && here + n > s.pace.start)
		open_window(t, here);
	lock_drop(&s.lock);
	sampler_set_gear(t);
	return t->gear == GEAR_STREAM;
}

void sampler_settle(struct thread *t)
{
	if (t->gear == GEAR_STREAM && t->buf != t->buf_start)
		sampler_flush(t, &nothing);
}

/* Of so many looks one is timed: to read the clock twice took longer than most looks. */
#define LOOKS_FOR_ONE_TIMED 16u

void sampler_look(struct thread *t)
{
	static uint32_t looks;
	uint64_t here = thread_accesses(t), n = here - t->stream_position, begin, total;
	bool quiet, is_timed, is_alone = thread_is_alone();

	if (t->buf == t->buf_start)
		return;
	if (!is_alone)
		lock_take(&s.lock);
	is_timed = looks++ % LOOKS_FOR_ONE_TIMED == 0;
	begin = is_timed ? cycles() : 0;
	total = __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED) + here -
		t->published.accesses;
	quiet = s.open && t->watches && total < s.pace.end &&
		engine.config.gear != CHANNEL_GEAR_STREAM;
	if (quiet) {
		look_through(t, total - n, n);
		buffers_look_at_room(t, n);
		t->stream_position = here;
		buffers_empty(t, left_of_window(total));
		if (is_timed)
			t->extra.scan_cycles += LOOKS_FOR_ONE_TIMED * (cycles() - begin);
	}
	if (!is_alone)
		lock_drop(&s.lock);
	if (!quiet)
		sampler_flush(t, &nothing);
}

void sampler_thread_end(struct thread *t)
{
	if (t->gear == GEAR_STREAM)
		sampler_flush(t, &nothing);
	else
		publish_counts(t, &nothing);
	lock_take(&s.lock);
	if (t->watches && s.open && t->watches->window == s.window.number)
		scan_end_watches(t, &s.window, SAMPLE_DANGLING, t->process->total.accesses);
	if (t->watches)
		scan_end_follows(t, &s.window, t->process->total.accesses);
	buffers_release(t);
	lock_drop(&s.lock);
	graph_break(t);
	records_thread(t->process, t);
}

void sampler_event(struct thread *t, enum control_event what)
{
	if (!t->process->profiling || t->process->borrowed_memory)
		return;
	sampler_settle(t);
	publish_counts(t, &nothing);
	lock_take(&s.lock);
	control_event(what, now_ns());
	follow_control(t, __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED));
	t->tick_due = true; /* a window may be near */
	lock_drop(&s.lock);
}

void sampler_end(struct thread *t, uint32_t status, bool is_over)
{
	const uint64_t total = t->process->total.accesses;

	lock_take(&s.lock);
	if (is_over && is_simulation())
		replay_end();
	replay_tell(t->process);
	if (s.open && wants_windows())
		cut_window(t, total, status);
	else if (budget_is_set())
		budget_stretch(t->process, total, false);
	engine.gear = GEAR_COUNT;
	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o; o = o->next_thread)
		if (o->watches && o->process == t->process)
			scan_end_follows(o, &s.window, t->process->total.accesses);
	lock_drop(&engine.world_lock);
	lock_drop(&s.lock);
}

enum gear sampler_gear(const struct thread *t)
{
	if (t->process->borrowed_memory || !toggles_allow(t) || t->unsampled)
		return GEAR_COUNT;
	return (enum gear)__atomic_load_n(&engine.gear, __ATOMIC_SEQ_CST);
}

void sampler_set_gear(struct thread *t)
{
	uint64_t total = __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED);
	enum gear wanted = sampler_gear(t);

	if (wanted == GEAR_STREAM && !t->buf_memory) { /* or it is parked */
		if (!buffers_need(t, has_windows(), s.window.line_shift))
			return buffers_do_without(t);
		buffers_empty(t, left_of_window(total));
		call_stack_break(t);
	}
	if (t->gear == wanted)
		return;
	if (t->gear == GEAR_STREAM)
		sampler_flush(t, &nothing);
	if (t->gear == GEAR_FILTER)
		filter_turn_leave(t);
	if (t->gear == GEAR_STREAM ? wanted != GEAR_FILTER : wanted == GEAR_COUNT)
		graph_break(t);
	t->gear = wanted;
	t->tick_due = wanted != GEAR_STREAM;
	if (wanted == GEAR_STREAM) {
		t->stream_position = thread_accesses(t);
		buffers_empty(t, left_of_window(total));
		call_stack_break(t);
	} else {
		buffers_park(t);
	}
}

bool sampler_is_finishing(const struct thread *t)
{
	return t->process->profiling && !t->process->borrowed_memory && records_finishing();
}

bool sampler_is_armed(const struct thread *t)
{
	return !sampler_is_finishing(t) && !t->pending && !t->tick_due &&
	       sampler_gear(t) == (enum gear)t->gear && (t->buf_memory || t->gear != GEAR_STREAM);
}
