/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When stretches begin and end; see stretches.h. */
#include "engine/simulate/mode/stretches.h"

#include "engine/codecache/cache.h"
#include "engine/core/lanes.h"
#include "engine/core/lock.h"
#include "engine/core/publish.h"
#include "engine/core/random.h"
#include "engine/core/records.h"
#include "engine/core/run_mode.h"
#include "engine/core/util.h"
#include "engine/drive/collect.h"
#include "engine/sample/budget.h"
#include "engine/sample/pacing.h"
#include "engine/simulate/miss/filter_notes.h"
#include "engine/simulate/miss/filter_strings.h"
#include "engine/simulate/miss/filter_taken.h"
#include "engine/simulate/miss/filter_windows.h"
#include "engine/simulate/mode/filter_scheduler.h"
#include "engine/simulate/observe/bins.h"
#include "engine/simulate/observe/contrasts.h"
#include "engine/simulate/observe/dead.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/cold.h"
#include "engine/simulate/state/filter.h"
#include "engine/translate/world.h"
#include "sim/system/hierarchy.h"

#define MILLION 1000000u
#define MARKS	255u
/* Accesses of a block, until some were counted: more than in most programs. */
#define FIRST_RATE 4u
/*
 * Blocks are counted, not accesses. At each stop half of those that the rest of the stretch seems
 * to need are counted next, so that few stretches get longer than planned.
 */
#define PART_OF_REST	2u
#define PARTS_IN_REPEAT 16u
/*
 * The way to a beginning that code counts: so long, if the timer came late often enough. Beginnings
 * that are past move, mostly to code that is slow, so there should be few. Counting costs little.
 */
#define NEAR_MOST_NS 4000000u
#define AGAIN_NS     1000000u /* a thread still has its turn in the last stretch */

/* PHASE_APPROACH: the beginning is near, and the only thread counts its way to it. */
enum phase { PHASE_OFF, PHASE_APPROACH, PHASE_ON, PHASE_ENDS };

static struct {
	enum phase phase;
	bool is_paused;
	struct pacing pace;	/* its plan: start, end, period_start, period_end */
	uint64_t began;		/* of the open stretch, in accesses of the process */
	struct counts done;	/* of it: accesses and instructions */
	uint64_t number;	/* of the stretch, in the process */
	uint64_t blocks, since; /* counted by code from the thread's count `since` on */
	uint64_t rate_accesses, rate_blocks; /* of the last stop */
} s;

static const struct counts nothing;

/* ---- The plan ---- */

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void plan_next(void)
{
	const struct channel_config *c = &engine.config;
	const uint64_t mean = c->sample_length, from = s.pace.period_end;
	uint64_t period, at;

	dead_stretch.planned =
		c->sample_fixed ? mean : mean / 2 + random_next(&s.pace.rng) % (mean + 1);
	dead_stretch.planned += dead_stretch.planned == 0;
	period = (uint64_t)((unsigned __int128)dead_stretch.planned * MILLION / c->sample_ppm);
	at = c->sample_fixed ? (period - dead_stretch.planned) / 2
			     : random_next(&s.pace.rng) % (period - dead_stretch.planned + 1);
	s.pace.period_start = from;
	s.pace.period_end = from + period;
	s.pace.start = from + at;
	s.pace.end = s.pace.start + dead_stretch.planned;
}

bool stretches_start(uint32_t levels)
{
	return cold_start() && contrasts_start(levels, FILTER_MOST_SITES) &&
	       cache_need_variant(VARIANT_APPROACH) == 0;
}

void stretches_begin(struct thread *t)
{
	if (!plan.stretches)
		return;
	memset(&s, 0, sizeof s);
	budget_start();
	pacing_start(&s.pace, engine.config.seed * 0x2545f4914f6cdd1dull + t->process->order + 1);
	s.pace.near_most = NEAR_MOST_NS;
	plan_next();
}

/* ---- Beginnings and ends ---- */

static uint64_t instructions_of(const struct thread *t)
{
	return t->counters.instructions + t->extra.rep_iterations;
}

/* Counts what t has done since it was last asked, and in a string instruction beyond. */
static void fold_with(struct thread *t, struct counts beyond)
{
	const struct counts now = {.accesses = thread_accesses(t) + beyond.accesses,
				   .instructions = instructions_of(t) + beyond.instructions};
	const uint64_t accesses = now.accesses - t->stretch_from.accesses;

	dead_stretch.done += accesses;
	s.done.instructions += now.instructions - t->stretch_from.instructions;
	t->extra.watch_accesses += accesses;
	t->stretch_from = now;
}

static void fold(struct thread *t)
{
	fold_with(t, nothing);
}

static void tell(struct process *p)
{
	struct record_stretch r = {.number = s.number++,
				   .start = s.began,
				   .accesses = dead_stretch.done,
				   .instructions = s.done.instructions,
				   .signs = contrasts_now};

	memcpy(r.caches, stretch_caches, sizeof r.caches);
	if (dead_stretch.done)
		records_stretch(p, &r);
}

/* Nobody runs simulated code, or t does. */
static void finish(struct process *p)
{
	filter_window_close();
	dead_reach_part(DEAD_WHOLE);
	filter_settle();
	filter_allocation_settle();
	tell(p);
	s.phase = PHASE_OFF;
}

static void run_code(struct thread *t, enum code_variant_id variant)
{
	__atomic_store_n(&engine.variant, variant, __ATOMIC_SEQ_CST);
	world_kick(t);
}

static void begin(uint64_t total)
{
	cold_empty();
	memset(stretch_caches, 0, sizeof stretch_caches);
	dead_begin();
	s.done = nothing;
	dead_stretch.done = 0;
	s.began = total;
	s.phase = PHASE_ON;
	contrasts_now = contrasts_signs(s.number);
	bins_stretch = (struct bins_stretch){1 + (uint32_t)(s.number % MARKS), cold_set};
	if (s.pace.period_end < total + dead_stretch.planned)
		s.pace.period_end = total + dead_stretch.planned;
}

static void begin_code(struct thread *t, uint64_t total)
{
	begin(total);
	run_code(t, VARIANT_FILTER);
}

/* Code counts blocks until the beginning. */
static void approach(struct thread *t)
{
	s.phase = PHASE_APPROACH;
	run_code(t, VARIANT_APPROACH);
}

/* Puts the stretch at a random place behind `total`, in what is left of its period. */
static void place_behind(uint64_t total)
{
	const uint64_t end = s.pace.period_end;

	s.pace.start = total;
	if (total + dead_stretch.planned < end)
		s.pace.start += random_next(&s.pace.rng) % (end - dead_stretch.planned - total + 1);
	s.pace.end = s.pace.start + dead_stretch.planned;
	s.pace.near_ns = min(2 * s.pace.near_ns, NEAR_MOST_NS);
}

/*
 * The timer came late. For periods that are past the next stretch stands, too, and is longer. A
 * beginning that is past moves: if it were now, code that follows fast code would be taken too
 * often.
 */
static void pass_over(uint64_t total)
{
	uint64_t owed = 0;

	while (total >= s.pace.period_end) {
		owed += dead_stretch.planned;
		plan_next();
	}
	dead_stretch.planned += owed;
	if (s.pace.start < total || owed)
		place_behind(total);
}

void stretches_tick(struct thread *t, uint64_t total)
{
	const bool alone = !engine.threads || !engine.threads->next_thread;

	if (s.phase == PHASE_ENDS && !filter_turn_is_anothers())
		finish(t->process);
	if (s.phase == PHASE_ON || s.phase == PHASE_APPROACH || s.is_paused || !filter_is_on()) {
		collect_tick_in(t, engine.report_ns);
		return;
	}
	pacing_look(&s.pace, total, publish_paced(t->process));
	pass_over(total);
	if (!pacing_is_near(&s.pace, total))
		collect_tick_in(t, pacing_wait(&s.pace, total, alone));
	else if (s.phase == PHASE_ENDS || filter_turn_is_anothers())
		collect_tick_in(t, AGAIN_NS);
	else if (alone)
		approach(t);
	else
		begin_code(t, total);
}

void stretches_turn(struct thread *t, uint64_t total, bool on)
{
	s.is_paused = !on;
	if (on) {
		pacing_resume(&s.pace, total);
		return;
	}
	pacing_pause(&s.pace, total);
	if (s.phase == PHASE_ON || s.phase == PHASE_APPROACH) {
		s.phase = s.phase == PHASE_ON ? PHASE_ENDS : PHASE_OFF;
		run_code(t, VARIANT_COUNT);
	}
}

void stretches_end(struct thread *t)
{
	if (s.phase == PHASE_APPROACH)
		s.phase = PHASE_OFF;
	if (s.phase == PHASE_OFF)
		return;
	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o; o = o->next_thread)
		if (o->process == t->process && o->variant == VARIANT_FILTER && !o->in_lanes)
			fold(o);
	lock_drop(&engine.world_lock);
	finish(t->process);
}

/* ---- Threads ---- */

/* To be counted before the next stop, if so many accesses are left of the stretch. */
static uint64_t blocks_for(uint64_t left)
{
	const uint64_t blocks =
		s.rate_accesses ? left * s.rate_blocks / s.rate_accesses : left / FIRST_RATE;

	return min(blocks / PART_OF_REST, filter_turn_blocks - 1) + 1;
}

/* Lets code count blocks; t has made `accesses`, and `left` remain of the stretch. */
static void count_blocks(struct thread *t, uint64_t accesses, uint64_t left)
{
	s.blocks = t->turn = blocks_for(left);
	s.since = accesses;
}

/* Accesses of the process, when t has made so many; t's are not published. */
static uint64_t total_at(const struct thread *t, uint64_t accesses)
{
	return __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED) + accesses -
	       t->published.accesses;
}

/* Accesses until the planned beginning. */
static uint64_t until(const struct thread *t, uint64_t accesses)
{
	const uint64_t total = total_at(t, accesses);

	return total < s.pace.start ? s.pace.start - total : 0;
}

void stretches_enter(struct thread *t, enum code_variant_id wanted)
{
	if (wanted == VARIANT_APPROACH)
		count_blocks(t, thread_accesses(t), until(t, thread_accesses(t)));
	t->stretch_from.accesses = thread_accesses(t);
	t->stretch_from.instructions = instructions_of(t);
}

void stretches_leave(struct thread *t)
{
	collect_lock();
	fold(t);
	collect_unlock();
}

void stretches_turn_leaves(struct thread *t)
{
	if (t->variant == VARIANT_FILTER)
		fold(t);
}

/* Of the stretch, when t has made `accesses`. */
static uint64_t left(const struct thread *t, uint64_t accesses)
{
	const uint64_t done = dead_stretch.done + accesses - t->stretch_from.accesses;

	return done < dead_stretch.planned ? dead_stretch.planned - done : 0;
}

void stretches_turn_begins(struct thread *t)
{
	count_blocks(t, thread_accesses(t), left(t, thread_accesses(t)));
	/* The count stops in front of a block: a turn of one block would run none. */
	t->turn++;
}

bool stretches_turn_ends(struct thread *t)
{
	const uint64_t accesses = lanes_accesses(t),
		       rest = s.phase == PHASE_APPROACH ? until(t, accesses) : left(t, accesses);

	if (s.phase != PHASE_ON && s.phase != PHASE_APPROACH)
		return false;
	s.rate_accesses = accesses - s.since;
	s.rate_blocks = s.blocks;
	count_blocks(t, accesses, rest);
	return rest == 0;
}

/* The stretch is over, when the process has made `total`. The lock is held. */
static void finish_at(struct thread *t, uint64_t total)
{
	finish(t->process);
	pacing_close(&s.pace, total, publish_paced(t->process));
	plan_next();
}

void stretches_look(struct thread *t)
{
	uint64_t total;

	publish_counts(t, &nothing);
	collect_lock();
	total = __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED);
	if (s.phase == PHASE_APPROACH && !filter_is_on()) {
		/* the filter has ended on the way to the beginning */
		s.phase = PHASE_OFF;
		run_code(t, VARIANT_COUNT);
	} else if (s.phase == PHASE_APPROACH && (total >= s.pace.start || !thread_is_alone())) {
		begin_code(t, total);
	} else if (s.phase == PHASE_ON && t->variant == VARIANT_FILTER) {
		fold(t);
		if (!left(t, thread_accesses(t))) {
			finish_at(t, total);
			run_code(t, VARIANT_COUNT);
		}
	}
	collect_unlock();
}

/* ---- String instructions ---- */

/* May a stretch begin while t is in C? Other threads would have to be stopped. */
static bool may_begin(const struct thread *t)
{
	return (s.phase == PHASE_OFF || s.phase == PHASE_APPROACH) && !s.is_paused &&
	       filter_is_on() && thread_is_alone() && t->process->profiling &&
	       !t->process->borrowed_memory &&
	       collect_variant(t) == (enum code_variant_id)engine.variant;
}

bool stretches_reach(struct thread *t, uint64_t n)
{
	return n && may_begin(t) && total_at(t, thread_accesses(t)) + n > s.pace.start;
}

static uint64_t iterations_for(uint64_t accesses, const struct repeat *r)
{
	return (accesses + r->accesses - 1) / r->accesses;
}

static struct counts counts_of_iterations(uint64_t n, const struct repeat *r)
{
	return (struct counts){.accesses = n * r->accesses, .instructions = n};
}

/* From iteration `from` on nothing is simulated. Returns the one in which a stretch begins. */
static uint64_t begin_in_repeat(struct thread *t, const struct repeat *r, uint64_t from)
{
	const uint64_t total = total_at(t, thread_accesses(t)), now = total + from * r->accesses;
	uint64_t at = from;

	if (!may_begin(t))
		return r->iterations;
	pass_over(now);
	if (s.pace.start > now)
		at += iterations_for(s.pace.start - now, r);
	if (at >= r->iterations)
		return r->iterations;
	begin(total + at * r->accesses);
	t->stretch_from.accesses = thread_accesses(t) + at * r->accesses;
	t->stretch_from.instructions = instructions_of(t) + at;
	return at;
}

/*
 * Iterations from `from` on are simulated: at most to the end of the stretch, and so few that
 * dead.h knows how much of it is over. Returns their end.
 */
static uint64_t run_in_repeat(struct thread *t, uint32_t segment, const struct repeat *r,
			      uint64_t from)
{
	const uint64_t rest = left(t, thread_accesses(t) + from * r->accesses),
		       most = iterations_for(min(rest, dead_stretch.planned / PARTS_IN_REPEAT + 1),
					     r);
	struct repeat part = *r;

	part.iterations = r->iterations - from;
	if (s.phase == PHASE_ON && part.iterations > most)
		part.iterations = most;
	for (uint32_t k = 0; k < r->accesses; k++)
		part.address[k] += from * (uint64_t)r->step;
	dead_reach(dead_stretch.planned - rest - dead_stretch.done);
	filter_repeat(t, segment, &part);
	return from + part.iterations;
}

/* The stretch has come to iteration `at`. */
static void stop_in_repeat(struct thread *t, const struct repeat *r, uint64_t at)
{
	uint64_t now, rest;

	fold_with(t, counts_of_iterations(at, r));
	now = t->stretch_from.accesses;
	rest = left(t, now);
	if (s.phase != PHASE_ON)
		return;
	if (!rest)
		finish_at(t, total_at(t, thread_accesses(t)) + at * r->accesses);
	else if (blocks_for(rest) < t->turn)
		count_blocks(t, now, rest);
}

/* The state of code, as it is behind the instruction. */
static void leave_repeat(struct thread *t, const struct repeat *r)
{
	static const enum code_variant_id variants[] = {[PHASE_OFF] = VARIANT_COUNT,
							[PHASE_APPROACH] = VARIANT_APPROACH,
							[PHASE_ON] = VARIANT_FILTER,
							[PHASE_ENDS] = VARIANT_COUNT};

	if (s.phase == PHASE_OFF || s.phase == PHASE_APPROACH)
		t->stretch_from = (struct counts){
			.accesses = thread_accesses(t) + r->iterations * r->accesses,
			.instructions = instructions_of(t) + r->iterations};
	if (engine.variant != variants[s.phase])
		run_code(t, variants[s.phase]);
}

void stretches_repeat(struct thread *t, uint32_t segment, const struct repeat *r)
{
	uint64_t at = 0;

	if (t->variant == VARIANT_FILTER && !r->iterations)
		return filter_repeat(t, segment, r);
	if (t->variant != VARIANT_FILTER)
		filter_turn_enter(t);
	while (at < r->iterations) {
		collect_lock();
		if (s.phase == PHASE_OFF || s.phase == PHASE_APPROACH)
			at = begin_in_repeat(t, r, at);
		collect_unlock();
		if (at == r->iterations)
			break;
		at = run_in_repeat(t, segment, r, at);
		collect_lock();
		stop_in_repeat(t, r, at);
		collect_unlock();
	}
	collect_lock();
	leave_repeat(t, r);
	collect_unlock();
	if (t->variant != VARIANT_FILTER)
		filter_turn_leave(t);
}
