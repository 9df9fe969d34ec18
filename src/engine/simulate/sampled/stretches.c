/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When stretches begin and end; see stretches.h. */
#include "engine/simulate/sampled/stretches.h"

#include "engine/core/lanes.h"
#include "engine/core/publish.h"
#include "engine/core/random.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/sample/collect.h"
#include "engine/sample/pacing.h"
#include "engine/simulate/filter/filter.h"
#include "engine/simulate/filter/filter_notes.h"
#include "engine/simulate/filter/filter_scheduler.h"
#include "engine/simulate/filter/filter_windows.h"
#include "engine/simulate/sampled/cold.h"
#include "engine/simulate/sampled/dead.h"
#include "engine/simulate/whose/bins.h"
#include "engine/translate/world.h"

#define MILLION 1000000u
#define MARKS	255u
/* Accesses of a block, until some were counted: more than in most programs. */
#define FIRST_RATE 4u
/*
 * Blocks are counted, not accesses. At each stop half of those that the rest of the stretch seems
 * to need are counted next, so that few stretches get longer than planned.
 */
#define PART_OF_REST 2u
#define AGAIN_NS     1000000u /* a thread still has its turn in the last stretch */

enum phase { PHASE_OFF, PHASE_ON, PHASE_ENDS };

static struct {
	enum phase phase;
	bool is_paused;
	struct pacing pace;	/* its plan: start, end, period_start, period_end */
	uint64_t began;		/* of the open stretch, in accesses of the process */
	uint64_t planned;	/* its length */
	struct counts done;	/* of it: accesses and instructions */
	uint64_t number;	/* of the stretch, in the process */
	uint64_t blocks, since; /* counted by code from the thread's count `since` on */
	uint64_t rate_accesses, rate_blocks; /* of the last stop */
} s;

bool stretches_on;
struct stretch_cache stretch_caches[BIN_CACHES];

static const struct counts nothing;

/* ---- The plan ---- */

static void plan_next(void)
{
	const struct channel_config *c = &engine.config;
	const uint64_t mean = c->sample_length, from = s.pace.period_end;
	uint64_t period, at;

	s.planned = c->sample_fixed ? mean : mean / 2 + random_next(&s.pace.rng) % (mean + 1);
	s.planned += s.planned == 0;
	period = (uint64_t)((unsigned __int128)s.planned * MILLION / c->sample_ppm);
	at = c->sample_fixed ? (period - s.planned) / 2
			     : random_next(&s.pace.rng) % (period - s.planned + 1);
	s.pace.period_start = from;
	s.pace.period_end = from + period;
	s.pace.start = from + at;
	s.pace.end = s.pace.start + s.planned;
}

void stretches_begin(struct thread *t)
{
	if (!engine.config.sample_ppm)
		return;
	if (!stretches_on && (!filter_is_on() || filter_state.walks || !cold_start())) {
		say("all accesses are simulated: with these caches --sample is not possible; "
		    "dwell-simulate(1) says when");
		return;
	}
	stretches_on = true;
	memset(&s, 0, sizeof s);
	pacing_start(&s.pace, engine.config.seed * 0x2545f4914f6cdd1dull + t->process->order + 1);
	plan_next();
}

/* ---- Beginnings and ends ---- */

/* Counts what t has done since it was last asked. */
static void fold(struct thread *t)
{
	const uint64_t insns = t->counters.instructions + t->extra.rep_iterations;
	const uint64_t accesses = thread_accesses(t) - t->stretch_from.accesses;

	s.done.accesses += accesses;
	s.done.instructions += insns - t->stretch_from.instructions;
	t->extra.watch_accesses += accesses;
	t->stretch_from.accesses = thread_accesses(t);
	t->stretch_from.instructions = insns;
}

static void tell(struct process *p)
{
	struct record_stretch r = {.number = s.number++,
				   .start = s.began,
				   .accesses = s.done.accesses,
				   .instructions = s.done.instructions};

	memcpy(r.caches, stretch_caches, sizeof r.caches);
	if (s.done.accesses)
		records_stretch(p, &r);
}

/* Nobody runs simulated code, or t does. */
static void finish(struct process *p)
{
	filter_window_close();
	dead_reach(DEAD_WHOLE);
	filter_settle();
	filter_allocation_settle();
	tell(p);
	s.phase = PHASE_OFF;
}

static void stop_code(struct thread *t)
{
	__atomic_store_n(&engine.variant, VARIANT_COUNT, __ATOMIC_SEQ_CST);
	world_kick(t);
}

static void open(struct thread *t, uint64_t total)
{
	cold_empty();
	memset(stretch_caches, 0, sizeof stretch_caches);
	dead_begin();
	s.done = nothing;
	s.began = total;
	s.phase = PHASE_ON;
	bins_stretch = (struct bins_stretch){1 + (uint32_t)(s.number % MARKS), cold_set};
	if (s.pace.period_end < total + s.planned)
		s.pace.period_end = total + s.planned;
	__atomic_store_n(&engine.variant, VARIANT_FILTER, __ATOMIC_SEQ_CST);
	world_kick(t);
}

void stretches_tick(struct thread *t, uint64_t total)
{
	const bool alone = !engine.threads || !engine.threads->next_thread;

	if (s.phase == PHASE_ENDS && !filter_turn_is_anothers())
		finish(t->process);
	if (s.phase == PHASE_ON || s.is_paused || !filter_is_on()) {
		collect_tick_in(t, engine.report_ns);
		return;
	}
	pacing_look(&s.pace, total, publish_paced(t->process));
	while (total >= s.pace.period_end)
		plan_next();
	if (!pacing_is_near(&s.pace, total))
		collect_tick_in(t, pacing_wait(&s.pace, total, alone));
	else if (s.phase == PHASE_ENDS || filter_turn_is_anothers())
		collect_tick_in(t, AGAIN_NS);
	else
		open(t, total);
}

void stretches_turn(struct thread *t, uint64_t total, bool on)
{
	s.is_paused = !on;
	if (on) {
		pacing_resume(&s.pace, total);
		return;
	}
	pacing_pause(&s.pace, total);
	if (s.phase == PHASE_ON) {
		s.phase = PHASE_ENDS;
		stop_code(t);
	}
}

void stretches_end(struct thread *t)
{
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

void stretches_enter(struct thread *t)
{
	t->stretch_from.accesses = thread_accesses(t);
	t->stretch_from.instructions = t->counters.instructions + t->extra.rep_iterations;
}

void stretches_leave(struct thread *t)
{
	collect_lock();
	fold(t);
	collect_unlock();
}

/* Lets code count blocks; t has made `accesses`, and `left` remain of the stretch. */
static void count_blocks(struct thread *t, uint64_t accesses, uint64_t left)
{
	uint64_t blocks =
		s.rate_accesses ? left * s.rate_blocks / s.rate_accesses : left / FIRST_RATE;

	blocks /= PART_OF_REST;
	if (blocks > FILTER_TURN_BLOCKS)
		blocks = FILTER_TURN_BLOCKS;
	s.blocks = t->turn = blocks ? blocks : 1;
	s.since = accesses;
}

/* Of the stretch, when t has made `accesses`. */
static uint64_t left(const struct thread *t, uint64_t accesses)
{
	const uint64_t done = s.done.accesses + accesses - t->stretch_from.accesses;

	return done < s.planned ? s.planned - done : 0;
}

uint32_t stretches_part(const struct thread *t)
{
	const uint64_t rest = left(t, lanes_accesses(t));

	return DEAD_WHOLE - (uint32_t)((unsigned __int128)rest * DEAD_WHOLE / s.planned);
}

void stretches_turn_begins(struct thread *t)
{
	count_blocks(t, thread_accesses(t), left(t, thread_accesses(t)));
}

bool stretches_turn_ends(struct thread *t)
{
	const uint64_t accesses = lanes_accesses(t), rest = left(t, accesses);

	if (s.phase != PHASE_ON)
		return false;
	s.rate_accesses = accesses - s.since;
	s.rate_blocks = s.blocks;
	count_blocks(t, accesses, rest);
	return rest == 0;
}

void stretches_look(struct thread *t)
{
	uint64_t total;

	publish_counts(t, &nothing);
	collect_lock();
	if (s.phase == PHASE_ON && t->variant == VARIANT_FILTER) {
		fold(t);
		total = __atomic_load_n(&t->process->total.accesses, __ATOMIC_RELAXED);
		if (!left(t, thread_accesses(t))) {
			finish(t->process);
			stop_code(t);
			pacing_close(&s.pace, total, publish_paced(t->process));
			plan_next();
		}
	}
	collect_unlock();
}
