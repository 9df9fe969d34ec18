/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses on their way to the run mode; see collect.h. */
#include "engine/drive/collect.h"

#include "channel/sys.h"
#include "engine/codecache/poll.h"
#include "engine/core/lock.h"
#include "engine/core/publish.h"
#include "engine/core/records.h"
#include "engine/core/upward.h"
#include "engine/core/util.h"
#include "engine/drive/buffers.h"
#include "engine/drive/ticker.h"
#include "engine/drive/toggles.h"
#include "engine/unwind/call_stack.h"

/* State of the process; under the lock. */
static struct {
	uint32_t lock;
	bool on;	   /* sampling is on, see control.h */
	uint64_t shown_ns; /* when counts were last sent to the collector */
} c;

static const struct counts nothing;

void collect_lock(void)
{
	lock_take(&c.lock);
}

void collect_unlock(void)
{
	lock_drop(&c.lock);
}

bool collect_takes(struct thread *t, uint64_t n)
{
	collect_settle(t);
	if (t->variant != VARIANT_STREAM || !n)
		return false;
	t->stream_position += n;
	collect_lock();
	if (t->process->profiling)
		return true;
	collect_unlock();
	return false;
}

bool collect_is_on(void)
{
	return c.on;
}

bool collect_has_shown(uint64_t now)
{
	return now - c.shown_ns <= COLLECT_REPORT_NS;
}

static bool should_be_on(void)
{
	return !run_mode->is_controlled || control_allows(now_ns());
}

static uint64_t left_of(const struct thread *t, uint64_t total)
{
	return run_mode->left ? run_mode->left(t, total) : 0;
}

/* ---- From the start to the end ---- */

void collect_start(struct thread *t)
{
	c.lock = 0;
	c.shown_ns = 0;
	c.on = should_be_on();
	engine.variant = VARIANT_COUNT;
	if (run_mode->start && !run_mode->start(t))
		t->process->profiling = false;
	if (t->process->profiling && c.on && run_mode->variant)
		engine.variant = run_mode->variant();
}

void collect_thread_start(struct thread *t)
{
	t->counters = t->published = (struct counts){0};
	t->extra = t->extra_published = (struct extra_counts){0};
	thread_forget_quick_reps(t);
	t->stream_position = 0;
	t->entries_of_1024 = 3 * 1024 / 2;
	t->variant = VARIANT_COUNT;
	t->tick_due = t->process->profiling; /* which arms the first timer */
	t->buf = t->buf_start = t->buf_memory;
	if (run_mode->thread_start)
		run_mode->thread_start(t);
}

void collect_thread_end(struct thread *t)
{
	if (t->variant == VARIANT_STREAM)
		collect_flush(t, &nothing);
	else
		publish_counts(t, &nothing);
	collect_lock();
	if (run_mode->thread_end)
		run_mode->thread_end(t);
	buffers_release(t);
	collect_unlock();
	if (run_mode->leave_variant)
		run_mode->leave_variant(t, VARIANT_COUNT);
	records_thread(t->process, t);
}

void collect_end(struct thread *t, bool is_over)
{
	collect_lock();
	if (run_mode->end)
		run_mode->end(t, is_over, t->process->total.accesses);
	engine.variant = VARIANT_COUNT;
	collect_unlock();
}

void collect_give_up(struct thread *t)
{
	t->process->profiling = false;
	if (run_mode->give_up)
		run_mode->give_up();
	__atomic_store_n(&engine.variant, VARIANT_COUNT, __ATOMIC_SEQ_CST);
}

/* ---- On and off ---- */

void collect_follow_control(struct thread *t, uint64_t total)
{
	const bool on = should_be_on();

	if (on == c.on)
		return;
	c.on = on;
	if (run_mode->turn)
		run_mode->turn(t, total, on);
}

void collect_event(struct thread *t, enum control_event what)
{
	if (!t->process->profiling || t->process->borrowed_memory)
		return;
	collect_settle(t);
	publish_counts(t, &nothing);
	collect_lock();
	control_event(what, now_ns());
	collect_follow_control(t, __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED));
	t->tick_due = true; /* a window may be near */
	collect_unlock();
}

/* ---- The clock ---- */

void collect_tick_in(struct thread *t, uint64_t ns)
{
	if (ticker_arm(t, ns) != 0)
		records_message(t->process, "the kernel gives no timer: no samples are taken");
}

void collect_tick(struct thread *t, const struct counts *after)
{
	uint64_t total;

	t->tick_due = false;
	publish_counts(t, after);
	if (!t->process->profiling || t->process->borrowed_memory)
		return;
	collect_lock();
	records_counters(t->process);
	c.shown_ns = now_ns();
	total = __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED);
	if (records_abandoned())
		collect_give_up(t);
	else if (run_mode->tick)
		run_mode->tick(t, total);
	else
		collect_tick_in(t, engine.report_ns);
	collect_unlock();
}

/* ---- Buffers ---- */

void collect_flush(struct thread *t, const struct counts *after)
{
	uint64_t begin = cycles(), here = thread_accesses(t) - after->accesses;
	uint64_t n = here - t->stream_position, total;

	publish_counts(t, after);
	collect_lock();
	total = __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED);
	if (run_mode->consume)
		run_mode->consume(t, here, n, total);
	buffers_look_at_room(t, n);
	t->stream_position = here;
	buffers_empty(t, left_of(t, total));
	call_stack_break(t);
	records_counters(t->process);
	collect_unlock();
	t->extra.scan_cycles += cycles() - begin;
}

void collect_settle(struct thread *t)
{
	if (t->variant == VARIANT_STREAM && t->buf != t->buf_start)
		collect_flush(t, &nothing);
	if (t->variant == VARIANT_FILTER && engine_counts_data())
		upward.look_at_misses(0, UINT64_MAX, false);
}

/* Only one look of this many is timed: reading the clock twice took longer than most looks. */
#define LOOKS_FOR_ONE_TIMED 16u

/* False: the buffer must be flushed. */
static bool look_quickly(struct thread *t)
{
	static uint32_t looks;
	const uint64_t here = thread_accesses(t), n = here - t->stream_position;
	const bool is_timed = looks++ % LOOKS_FOR_ONE_TIMED == 0;
	const uint64_t begin = is_timed ? cycles() : 0;
	const uint64_t total = __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED) +
			       here - t->published.accesses;

	if (!run_mode->consume_quickly || !run_mode->consume_quickly(t, here, n, total))
		return false;
	buffers_look_at_room(t, n);
	t->stream_position = here;
	buffers_empty(t, left_of(t, total));
	if (is_timed)
		t->extra.scan_cycles += LOOKS_FOR_ONE_TIMED * (cycles() - begin);
	return true;
}

void collect_look(struct thread *t)
{
	const bool is_alone = thread_is_alone();
	bool done;

	if (t->buf != t->buf_start) {
		if (!is_alone)
			collect_lock();
		done = look_quickly(t);
		if (!is_alone)
			collect_unlock();
		if (!done)
			collect_flush(t, &nothing);
	}
	if (collect_variant(t) != (enum code_variant_id)t->variant)
		poll_call(t);
}

/* ---- Variants ---- */

enum code_variant_id collect_variant(const struct thread *t)
{
	if (t->process->borrowed_memory || !toggles_allow(t) || t->unsampled)
		return VARIANT_COUNT;
	return (enum code_variant_id)__atomic_load_n(&engine.variant, __ATOMIC_SEQ_CST);
}

void collect_set_variant(struct thread *t)
{
	uint64_t total = __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED);
	enum code_variant_id wanted = collect_variant(t);

	if (wanted == VARIANT_STREAM && !t->buf_memory) { /* or its buffer was returned */
		if (!buffers_need(t))
			return buffers_do_without(t);
		buffers_empty(t, left_of(t, total));
		call_stack_break(t);
	}
	if (t->variant == wanted)
		return;
	if (t->variant == VARIANT_STREAM)
		collect_flush(t, &nothing);
	if (run_mode->leave_variant)
		run_mode->leave_variant(t, wanted);
	t->variant = wanted;
	t->tick_due = wanted != VARIANT_STREAM;
	if (wanted == VARIANT_STREAM) {
		t->stream_position = thread_accesses(t);
		buffers_empty(t, left_of(t, total));
		call_stack_break(t);
	} else {
		buffers_park(t);
	}
}

bool collect_is_finishing(const struct thread *t)
{
	return t->process->profiling && !t->process->borrowed_memory && records_finishing();
}

bool collect_is_armed(const struct thread *t)
{
	return !collect_is_finishing(t) && !t->pending && !t->tick_due &&
	       collect_variant(t) == (enum code_variant_id)t->variant &&
	       (t->buf_memory || t->variant != VARIANT_STREAM);
}

/* The run mode that only counts. */
const struct run_mode count_mode = {0};
