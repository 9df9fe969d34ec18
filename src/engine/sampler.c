/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampling windows, samples and watches; see sampler.h. */
#include "engine/sampler.h"

#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/dispatch.h"
#include "engine/nested.h"
#include "engine/pages.h"
#include "engine/poll.h"
#include "engine/random.h"
#include "engine/records.h"
#include "engine/scan.h"
#include "engine/stream.h"
#include "engine/ticker.h"
#include "engine/util.h"

#define BUFFER_ENTRIES 16384u
/*
 * A window's place is an access count, and between windows nobody compares
 * counts: a timer calls the threads short of it, again and again, and the last
 * stretch runs in the stream gear, where entries can be skipped exactly.
 */
#define NEAR_NS 14000u		 /* a stretch too short to time */
#define NEAR_MIN 4000u		 /* accesses; the least such stretch */
#define SHORTEST_NS 8000u
#define RATE_DECAY 1024u	 /* slowly: fast phases come back, and would be missed */
#define EXTRA_DECAY 16u
#define MOST_A_NS 200u		 /* accesses a nanosecond: no thread is so fast */
#define FOOTPRINT_PART 64u	 /* pages are counted when the run has grown by this part */
#define LATE_PART 16u		 /* of a window; one that begins later than that is passed over */
#define REPORT_NS 50000000u	 /* threads show their counts at least so often */
#define DUTY_AT 120000000u	 /* accesses at which windows take just the configured share */
#define DUTY_FROM 3000000u	 /* accesses up to which the share is the same, the largest */
#define DUTY_LONG 250000000u	 /* accesses from which on it falls with the run, not its root */
#define DUTY_LEAST 50u		 /* permille of the configured share, from there on */
#define SHORT_PART 1000u	 /* short runs have windows of this part, down to half the least */
#define SPACING_MIN 500u	 /* accesses between samples, on average, unless a period is given */
#define FIRST_RATE 1000000u	 /* accesses a millisecond until it is known */

/* Of the process. The lock guards all of it, and every thread's watch set. */
static struct sampler {
	uint32_t lock;
	bool open;
	struct scan_window window; /* the open one, or the next */
	uint64_t start, end;	/* process accesses */
	uint64_t period_start, period_end; /* what the window stands for */
	uint64_t footprint, footprint_at; /* pages, and accesses when they were counted */
	uint64_t rng;
	uint64_t rate;		/* process accesses a millisecond, the highest of late */
	uint64_t seen_total, seen_ns; /* when the rate was last looked at */
	uint64_t asked_ns;	/* of the timer, since then; 0: nothing */
	uint64_t extra_ns;	/* what a call takes beyond the time asked for, the least of late */
	uint64_t shown_ns;	/* when counts were last shown */
} s;

static struct process *process_of(const struct thread *t)
{
	return t->process;
}

static bool wants_windows(void)
{
	return engine.config.gear == CHANNEL_GEAR_SAMPLE || engine.config.gear == CHANNEL_GEAR_WATCH;
}

static uint64_t square_root(uint64_t v)
{
	uint64_t r = 0;

	for (uint64_t bit = 1ull << 31; bit; bit >>= 1)
		if ((r + bit) * (r + bit) <= v)
			r += bit;
	return r;
}

static uint64_t clamp(uint64_t v, uint64_t low, uint64_t high)
{
	return v < low ? low : v > high ? high : v;
}

/*
 * The share of accesses in windows, in millionths: short runs need more for the
 * same certainty than long ones can afford.
 */
static uint64_t duty_at(uint64_t now)
{
	const uint64_t least = engine.config.duty_ppm * DUTY_LEAST / 1000;
	uint64_t duty = engine.config.duty_ppm * square_root(DUTY_AT) /
			square_root(clamp(now, DUTY_FROM, DUTY_LONG));

	if (now > DUTY_LONG)
		duty = (uint64_t)((unsigned __int128)duty * DUTY_LONG / now);
	duty = duty > least ? duty : least;
	return duty < 1000000 ? duty : 1000000;
}

/* Short runs need many windows more than long ones. */
static uint64_t window_length(uint64_t now)
{
	const struct channel_config *c = &engine.config;
	uint64_t least = clamp(now / SHORT_PART, c->window_min / 2, c->window_min);

	return clamp(c->window_divisor ? now / c->window_divisor : 0, least, c->window_max);
}

/* One window at a random place of each period; periods grow with the run, as windows do. */
static void plan_next(void)
{
	const struct channel_config *c = &engine.config;
	uint64_t now = s.period_end, duty = duty_at(now), length;
	uint64_t w = window_length(now);

	length = (uint64_t)((unsigned __int128)w * 1000000 / (duty ? duty : 1));
	s.period_start = now;
	s.period_end = now + (length > w ? length : w);
	s.start = now + random_next(&s.rng) % (s.period_end - now - w + 1);
	s.end = s.start + w;
	if (c->gear == CHANNEL_GEAR_WATCH) {
		s.start = 0;
		s.end = UINT64_MAX;
	}
	s.window.interval = w / (c->samples_per_window ? c->samples_per_window : 200);
	if (s.window.interval < SPACING_MIN)
		s.window.interval = SPACING_MIN;
	if (c->sample_period)
		s.window.interval =
			(uint64_t)((unsigned __int128)c->sample_period * duty / 1000000);
	if (s.window.interval < 1)
		s.window.interval = 1;
}

void sampler_start(struct thread *t)
{
	uint32_t gear = engine.config.gear;

	s = (struct sampler){ .rng = engine.config.seed * 0x2545f4914f6cdd1dull +
				     t->process->order + 1 };
	s.window.line_shift = 6;
	s.rate = FIRST_RATE;
	s.seen_ns = now_ns();
	if (engine.config.line_bytes >= 4)
		s.window.line_shift = (uint32_t)__builtin_ctz(engine.config.line_bytes);
	engine.gear = GEAR_COUNT;
	if (t->process->profiling && wants_windows())
		plan_next();
	if (t->process->profiling && gear == CHANNEL_GEAR_STREAM)
		engine.gear = GEAR_STREAM;
	if (t->process->profiling && gear == CHANNEL_GEAR_WATCH) {
		s.open = true;
		engine.gear = GEAR_STREAM;
	}
}

void sampler_thread_start(struct thread *t)
{
	t->counters = (struct counts){ 0 };
	t->published = (struct counts){ 0 };
	t->extra = (struct extra_counts){ 0 };
	t->extra_published = (struct extra_counts){ 0 };
	t->stream_position = 0;
	t->gear = GEAR_COUNT;
	t->tick_due = t->process->profiling; /* that arms the first */
	t->buf = t->buf_start;
	if (t->watches)
		watches_clear(t->watches, s.window.line_shift);
	t->rng = random_next(&s.rng);
}

static void add(uint64_t *total, uint64_t now, uint64_t *seen)
{
	__atomic_fetch_add(total, now - *seen, __ATOMIC_RELAXED);
	*seen = now;
}

void sampler_publish(struct thread *t, const struct counts *after)
{
	struct process *p = process_of(t);

	add(&p->total.accesses, thread_accesses(t) - after->accesses, &t->published.accesses);
	add(&p->total.loads, t->counters.loads - after->loads, &t->published.loads);
	add(&p->total.stores, t->counters.stores - after->stores, &t->published.stores);
	add(&p->total.instructions, t->counters.instructions - after->instructions,
	    &t->published.instructions);
	add(&p->extra.rep_iterations, t->extra.rep_iterations, &t->extra_published.rep_iterations);
	add(&p->extra.vector_elements, t->extra.vector_elements,
	    &t->extra_published.vector_elements);
	add(&p->extra.translate_cycles, t->extra.translate_cycles,
	    &t->extra_published.translate_cycles);
	add(&p->extra.scan_cycles, t->extra.scan_cycles, &t->extra_published.scan_cycles);
	add(&p->extra.watch_accesses, t->extra.watch_accesses, &t->extra_published.watch_accesses);
}

static void need_buffers(struct thread *t)
{
	if (!t->buf_start) {
		t->buf_start = pages_get(BUFFER_ENTRIES * 8 + PAGE);
		engine_assert(t->buf_start);
		t->buf_end = t->buf_start + BUFFER_ENTRIES;
		/* The scan may read on there, but segments cannot write. */
		sys3(SYS_mprotect, t->buf_end, PAGE, PROT_READ);
	}
	if (!t->watches && wants_windows()) {
		t->watches = pages_get(round_up(sizeof *t->watches, PAGE));
		engine_assert(t->watches);
		if (engine.config.nested_one_in) {
			t->watches->nested = pages_get(round_up(sizeof *t->watches->nested, PAGE));
			engine_assert(t->watches->nested);
		}
		watches_clear(t->watches, s.window.line_shift);
	}
}

bool sampler_is_full(const struct thread *t, uint64_t address)
{
	return t->buf_end && address - (uint64_t)(uintptr_t)t->buf_end < PAGE;
}

/* `n` accesses are in the buffer; process_at is the process's count at the first. */
static void look_through(struct thread *t, uint64_t process_at, uint64_t n)
{
	uint64_t skip = process_at < s.start ? s.start - process_at : 0;
	uint64_t end = process_at < s.end ? s.end - process_at : 0;

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
	struct record_window w = { .number = s.window.number, .start = s.start };
	uint64_t now = total < s.end ? total : s.end;

	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o; o = o->next_thread)
		if (o->watches && o->watches->window == s.window.number)
			scan_end_watches(o, &s.window, status, now);
	lock_drop(&engine.world_lock);
	w.length = now > s.start ? now - s.start : 0;
	w.stands_for = s.period_end - s.period_start;
	if (status == SAMPLE_DANGLING && total < s.period_end) /* the run ends here */
		w.stands_for = total - s.period_start;
	w.samples = s.window.samples;
	w.footprint_pages = s.footprint;
	if (w.length)
		records_window(process_of(t), &w);
	if (s.period_end < s.end)
		s.period_end = s.end; /* it began late */
	s.open = false;
	s.window.samples = 0;
	s.window.number++;
	plan_next();
	s.seen_total = total; /* windows run slowly: no measure */
	s.seen_ns = now_ns();
	__atomic_store_n(&engine.gear, GEAR_COUNT, __ATOMIC_SEQ_CST);
}

static void count_pages(const struct thread *t, uint64_t total)
{
	if (s.footprint && total < s.footprint_at + s.footprint_at / FOOTPRINT_PART)
		return;
	lock_take(&engine.translate_lock);
	s.footprint = pages_footprint(t->regs[RSP]);
	lock_drop(&engine.translate_lock);
	s.footprint_at = total;
}

static void open_window(struct thread *t, uint64_t total)
{
	s.open = true;
	if (s.start < total) { /* faster than foreseen, or a long string instruction: late */
		s.end += total - s.start;
		s.start = total;
	}
	count_pages(t, total);
	__atomic_store_n(&engine.gear, GEAR_STREAM, __ATOMIC_SEQ_CST);
	world_kick(t);
}

/* Profiling ends while the target runs on. The lock is held. */
static void give_up(struct thread *t)
{
	t->process->profiling = false;
	s.open = false;
	__atomic_store_n(&engine.gear, GEAR_COUNT, __ATOMIC_SEQ_CST);
}

/*
 * A call takes its way in and out of the kernel, some microseconds, on some machines tens: if no
 * more time were asked for than that, the thread would get nowhere between two calls.
 */
static void look_at_extra(uint64_t ns)
{
	uint64_t extra = s.asked_ns && ns > s.asked_ns ? ns - s.asked_ns : 0;

	if (extra)
		s.extra_ns = s.extra_ns && extra > s.extra_ns ?
				     s.extra_ns + s.extra_ns / EXTRA_DECAY :
				     extra;
	s.asked_ns = 0;
}

/* The process's accesses a millisecond, as the last stretch and those before it show. */
static void look_at_rate(uint64_t total)
{
	uint64_t now = now_ns(), ns = now - s.seen_ns, rate;

	if (ns < SHORTEST_NS)
		return;
	look_at_extra(ns);
	rate = (uint64_t)((unsigned __int128)(total - s.seen_total) * 1000000u / ns);
	s.rate = rate > s.rate - s.rate / RATE_DECAY ? rate : s.rate - s.rate / RATE_DECAY;
	s.seen_total = total;
	s.seen_ns = now;
}

/* Accesses that take no longer than NEAR_NS. */
static uint64_t near_by(void)
{
	uint64_t n = s.rate * NEAR_NS / 1000000u;

	return n > NEAR_MIN ? n : NEAR_MIN;
}

/* Call t again before the next window can begin, if it runs no faster than lately. */
static void set_next_tick(struct thread *t, uint64_t total)
{
	uint64_t ns = REPORT_NS, left;

	if (wants_windows()) {
		left = s.start > total + near_by() ? s.start - total - near_by() / 2 : 0;
		/* A quarter faster than ever lately; others count, too, and come at other times. */
		ns = (uint64_t)((unsigned __int128)left * 800000u / (s.rate ? s.rate : 1));
		if (engine.threads && engine.threads->next_thread)
			ns /= 2;
		ns = clamp(ns, SHORTEST_NS, REPORT_NS) + s.extra_ns / 2;
	}
	s.asked_ns = ns;
	if (ticker_arm(t, ns) != 0)
		records_message(t->process, "the kernel gives no timer: no samples are taken");
}

/*
 * A burst of speed has run over the window's beginning. To begin behind it would show the
 * slow stretches that follow bursts too often: the next window speaks for this period, too.
 */
static void pass_over(uint64_t total)
{
	const uint64_t from = s.period_start;

	while (total > s.start + (s.end - s.start) / LATE_PART) {
		plan_next();
		s.period_start = from;
	}
}

void sampler_tick(struct thread *t, const struct counts *after)
{
	uint64_t total;

	t->tick_due = false;
	sampler_publish(t, after);
	if (!t->process->profiling || t->process->borrowed_memory)
		return;
	lock_take(&s.lock);
	records_counters(t->process);
	s.shown_ns = now_ns();
	total = __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED);
	if (records_abandoned()) {
		give_up(t);
	} else if (!s.open) {
		look_at_rate(total);
		if (wants_windows())
			pass_over(total);
		if (wants_windows() && total + near_by() >= s.start)
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
	    engine.threads->next_thread || now - s.shown_ns > REPORT_NS)
		return false;
	total = t->process->total.accesses + since;
	if (since >> 63 || total < s.seen_total ||
	    total - s.seen_total > (now - s.seen_ns) * MOST_A_NS)
		return false;
	look_at_rate(total);
	if (total + near_by() >= s.start)
		return false;
	set_next_tick(t, total);
	return true;
}

void sampler_flush(struct thread *t, const struct counts *after)
{
	uint64_t begin = cycles(), here = thread_accesses(t) - after->accesses;
	uint64_t total;

	sampler_publish(t, after);
	lock_take(&s.lock);
	total = __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED);
	if (engine.config.gear == CHANNEL_GEAR_STREAM) {
		if (t->process->profiling)
			stream_send_buffer(t);
	} else if (s.open && t->watches) {
		look_through(t, total - (here - t->stream_position), here - t->stream_position);
		if (total >= s.end) {
			/* Watches lasted to the window's end, not to the buffer's beginning. */
			if (total - s.end < here - t->stream_position)
				t->stream_position = here - (total - s.end);
			close_window(t, total, SAMPLE_CENSORED);
		} else if (records_abandoned()) {
			give_up(t);
		}
	}
	t->stream_position = here;
	t->buf = t->buf_start;
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

			if (process_at + i < s.start || process_at + i >= s.end)
				continue;
			scan_join(t, &s.window, at + i);
			t->extra.watch_accesses++;
			scan_access(t, &s.window, &a, at + i, process_at + i);
		}
	}
	lock_drop(&s.lock);
}

void sampler_repeat(struct thread *t, const struct repeat *r)
{
	uint64_t at = t->stream_position, n = r->iterations * r->accesses, i = 0, end;
	uint64_t process_at = t->process->total.accesses + at - t->published.accesses;

	t->stream_position += n;
	lock_take(&s.lock);
	if (t->watches && s.open && process_at < s.end && process_at + n > s.start) {
		if (process_at < s.start)
			i = (s.start - process_at) / r->accesses;
		end = s.end - process_at < n ? (s.end - process_at) / r->accesses : r->iterations;
		scan_join(t, &s.window, at + i * r->accesses);
		scan_repeat(t, &s.window, r, i, end, at + i * r->accesses,
			    process_at + i * r->accesses);
		t->extra.watch_accesses += (end - i) * r->accesses;
	}
	lock_drop(&s.lock);
}

static const struct counts nothing;

bool sampler_enters(struct thread *t, uint64_t n)
{
	uint64_t here = thread_accesses(t) - t->published.accesses;

	if (!t->process->profiling || t->process->borrowed_memory || !wants_windows() || s.open)
		return false;
	here += __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED);
	if (here + n <= s.start)
		return false;
	lock_take(&s.lock);
	if (!s.open)
		open_window(t, here);
	lock_drop(&s.lock);
	sampler_set_gear(t);
	return true;
}

void sampler_settle(struct thread *t)
{
	if (t->gear == GEAR_STREAM && t->buf != t->buf_start)
		sampler_flush(t, &nothing);
}

void sampler_report(struct thread *t)
{
	if (thread_accesses(t) == t->published.accesses || !t->process->profiling)
		return;
	sampler_publish(t, &nothing);
	records_counters(t->process);
}

void sampler_thread_end(struct thread *t)
{
	if (t->gear == GEAR_STREAM)
		sampler_flush(t, &nothing);
	else
		sampler_publish(t, &nothing);
	lock_take(&s.lock);
	if (t->watches && s.open && t->watches->window == s.window.number)
		scan_end_watches(t, &s.window, SAMPLE_DANGLING, t->process->total.accesses);
	if (t->watches)
		scan_end_follows(t, &s.window, t->process->total.accesses);
	lock_drop(&s.lock);
	records_thread(t->process, t);
}

void sampler_end(struct thread *t)
{
	lock_take(&s.lock);
	if (s.open && wants_windows())
		close_window(t, t->process->total.accesses, SAMPLE_DANGLING);
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
	if (t->process->borrowed_memory)
		return GEAR_COUNT;
	return (enum gear)__atomic_load_n(&engine.gear, __ATOMIC_SEQ_CST);
}

void sampler_set_gear(struct thread *t)
{
	enum gear wanted = sampler_gear(t);

	if (t->gear == wanted)
		return;
	if (t->gear == GEAR_STREAM)
		sampler_flush(t, &nothing);
	t->gear = wanted;
	t->tick_due = wanted == GEAR_COUNT;
	if (wanted == GEAR_STREAM) {
		need_buffers(t);
		t->buf = t->buf_start;
		t->stream_position = thread_accesses(t);
	}
}

bool sampler_arm(struct thread *t)
{
	poll_answer(t);
	return !t->pending && !t->tick_due && sampler_gear(t) == (enum gear)t->gear;
}
