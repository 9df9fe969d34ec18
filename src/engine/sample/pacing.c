/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places of windows and times of calls; see pacing.h. */
#include "engine/sample/pacing.h"

#include "engine/core/random.h"
#include "engine/core/records.h"
#include "engine/core/state.h"
#include "engine/core/util.h"
#include "engine/sample/budget.h"

/*
 * A window's place is an access count, and between windows no code compares counts. A timer calls
 * the threads before it, repeatedly. The last stretch runs in the stream variant, whose entries are
 * counted exactly.
 */
#define NEAR_NS	   14000u /* initially, a stretch too short to time */
#define NEAR_LEAST 8000u
#define NEAR_MOST  64000u
#define NEAR_DECAY 64u
#define NEAR_MIN   4000u /* accesses; the shortest stretch of this kind */
/* A call costs about twice its delay, and writing an address some ns. */
#define NEAR_FOR_CALL 3u /* accesses written per nanosecond of delay */
#define SHORTEST_NS   8000u
#define RATE_DECAY    1024u /* windows; slow, so that a fast phase is not missed when it returns */
/* faster than any code: excludes wrong counts, whose rate would be remembered for long */
#define RATE_MOST   16000000u
#define EXTRA_DECAY 16u
#define EXTRA_MOST  100000u    /* ns; if more, another program was scheduled */
#define MOST_A_NS   200u       /* accesses a nanosecond; faster than any thread */
#define LATE_PART   2u	       /* of a window; one that would begin later is skipped */
#define DUTY_AT	    200000000u /* accesses of the run at which windows take the configured share */
/* accesses of the run up to which the share is constant, and largest */
#define DUTY_FROM 3200000u
/*
 * From DUTY_LONG accesses on a period is a part of the run so far: one 200th, growing to one 120th
 * at DUTY_LONGEST. The last half of a run then has 83 windows.
 */
#define DUTY_LONG    200000000u
#define DUTY_LONGEST 555000000u
/*
 * Most of a run's first accesses lie in windows, because a correct order of lines needs that. It
 * costs a second at most, once per run, for any length and number of processes. The cube ends it
 * soon.
 */
#define EARLY	    240000000u
#define EARLY_TIMES 8u /* times the configured share */
#define EARLY_ONE   1024u
/* samples, of 16 in other windows: more windows help more than more samples in each */
#define EARLY_SAMPLES 13u
/* divides the share of samples watched at all line sizes */
#define EARLY_NESTED 2u
/* windows of short runs are this part of the run, at least half of window_min */
#define SHORT_PART	 1000u
#define SPACING_MIN	 500u /* accesses between samples, on average, unless a period is given */
#define CHOSEN_FOR_ONE	 1024u
#define CHOSEN_FOR_FIRST (2 * CHOSEN_FOR_ONE) /* until something is known */
#define CHOSEN_FOR_MOST	 (6 * CHOSEN_FOR_ONE) /* beyond, choosing costs more than the samples */
#define CHOSEN_FOR_DECAY 8u
/* accesses; with a limit of windows, periods grow with the run plus this */
#define GROWTH_FROM 1000000u
/* accesses; with a budget, the least period until the price of counting is known */
#define BUDGET_LEARN 1000000u
#define BUDGET_AHEAD 4000000u /* accesses; with a budget, the longest period of early windows */
/*
 * Windows slow down the code behind them. An occasional longer stretch shows the real price of
 * counting.
 */
#define CALM_ONE_IN 12u
#define CALM_PART   4u	     /* at most this part of the run, to leave time for windows */
#define CALM	    6000000u /* accesses */
#define NEVER	    (UINT64_MAX / 8)
#define FIRST_RATE  1000000u /* accesses a millisecond, until measured */
#define FAST_RATE   6000000u /* with few windows, none of which may be lost to learn the rate */

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

/* Short runs need many windows more than they need long ones. */
static uint64_t window_length(uint64_t now)
{
	const struct channel_config *c = &engine.config;
	uint64_t least = clamp(now / SHORT_PART, c->window_min / 2, c->window_min);

	return clamp(c->window_divisor ? now / c->window_divisor : 0, least, c->window_max);
}

/*
 * The share of an early window, in millionths, by the accesses of the run so far; 0 if the user
 * sets the amount.
 */
static uint64_t early_duty(uint64_t run)
{
	bool is_told = budget_is_set() || engine.config.max_windows;
	uint64_t duty = is_told ? 0 : EARLY_TIMES * (uint64_t)engine.config.duty_ppm;
	uint64_t part = run > EARLY ? (uint64_t)EARLY * EARLY_ONE / run : EARLY_ONE;

	return duty * part / EARLY_ONE * part / EARLY_ONE * part / EARLY_ONE;
}

/*
 * The share of accesses in windows, in millionths, if the next window has w. Short runs need a
 * larger share for the same certainty; long runs cannot afford it.
 */
static uint64_t duty_at(uint64_t now, uint64_t w)
{
	uint64_t duty = engine.config.duty_ppm * square_root(DUTY_AT) /
			square_root(clamp(now, DUTY_FROM, DUTY_LONG));

	if (now > DUTY_LONG) {
		/* the period is a part of the run, for any window length */
		duty = (uint64_t)((unsigned __int128)duty * DUTY_LONG * w /
				  engine.config.window_min / now);
		duty = duty * square_root(DUTY_LONG) /
		       square_root(clamp(now, DUTY_LONG, DUTY_LONGEST));
	}
	return duty;
}

/* The length of a period whose window has w accesses; at least w. */
static uint64_t period_length(const struct pacing *p, uint64_t now, uint64_t w, uint64_t duty)
{
	const struct channel_config *c = &engine.config;
	uint64_t length = (uint64_t)((unsigned __int128)w * 1000000 / (duty ? duty : 1)), least,
		 most;
	uint64_t until = budget_is_set() ? budget_until(w) : 0;

	if (until) {
		length = until > now ? until - now : 0;
		/* a short beginning may not be typical: do not plan further ahead */
		most = now > BUDGET_AHEAD ? now : BUDGET_AHEAD;
		length = length < most ? length : most;
		length = length > w ? length : w;
		if (p->closed % (CALM_ONE_IN + CALM_PART * CALM / length) == 0 && length < CALM)
			length = CALM;
	} else if (budget_is_set() && p->closed) {
		/* without a stretch between windows the price would stay unknown */
		length = length > BUDGET_LEARN ? length : BUDGET_LEARN;
	}
	if (c->max_windows && p->closed >= c->max_windows)
		return NEVER;
	if (c->max_windows) {
		least = (uint64_t)((unsigned __int128)(now - p->left_out + GROWTH_FROM) *
				   c->window_growth_ppm / 1000000);
		length = length > least ? length : least;
	}
	return length > w ? length : w;
}

/* Mean accesses between chosen ones, in a window of w accesses. */
static uint64_t interval_of(const struct pacing *p, uint64_t w, uint64_t duty, bool is_early)
{
	const struct channel_config *c = &engine.config;
	uint64_t interval = w / (c->samples_per_window ? c->samples_per_window : 200);

	if (is_early)
		interval = interval * 16 / EARLY_SAMPLES;
	if (interval < SPACING_MIN)
		interval = SPACING_MIN;
	if (c->near_one_in)
		interval = interval * CHOSEN_FOR_ONE / p->chosen_for;
	if (c->sample_period)
		interval = (uint64_t)((unsigned __int128)c->sample_period * duty / 1000000);
	return interval ? interval : 1;
}

/* One window at a random place of each period; periods grow with the run, as windows do. */
void pacing_next(struct pacing *p)
{
	const struct channel_config *c = &engine.config;
	uint64_t now = p->period_end, seen = now - p->left_out;
	uint64_t w = window_length(seen), own = duty_at(seen, w),
		 early = early_duty(records_ran(seen - p->told));
	uint64_t duty = clamp(own > early ? own : early, 0, 1000000);

	p->told = seen;
	p->period_start = now;
	p->period_end = now + period_length(p, now, w, duty);
	p->start = now + random_next(&p->rng) % (p->period_end - now - w + 1);
	if (p->period_end - now >= NEVER)
		p->start = p->period_end;
	p->end = p->start + w;
	if (c->mode == CHANNEL_MODE_WATCH) {
		p->start = 0;
		p->end = UINT64_MAX;
	}
	p->interval = interval_of(p, w, duty, early > own);
	p->nested_one_in = c->nested_one_in * (early > own && !c->sample_period ? EARLY_NESTED : 1);
}

void pacing_start(struct pacing *p, uint64_t seed)
{
	const bool is_few = engine.config.max_windows != 0;

	*p = (struct pacing){.rng = seed,
			     .rate = is_few ? FAST_RATE : FIRST_RATE,
			     .near_ns = is_few ? NEAR_MOST : NEAR_NS,
			     .chosen_for = CHOSEN_FOR_FIRST,
			     .seen_ns = now_ns()};
}

void pacing_pass_over(struct pacing *p, uint64_t total)
{
	bool missed = false;

	while (total > p->start + (p->end - p->start) / LATE_PART) {
		pacing_leave_out(p);
		missed = true;
	}
	/*
	 * The timer is imprecise here, or the speed changes: begin farther away next time. Not if
	 * the last window has just closed: then the rest of its buffer was the cause.
	 */
	if (missed && total > p->closed_at)
		p->near_ns = clamp(2 * p->near_ns, NEAR_LEAST, NEAR_MOST);
}

void pacing_leave_out(struct pacing *p)
{
	const uint64_t from = p->period_start;

	pacing_next(p);
	p->period_start = from;
}

void pacing_open(struct pacing *p, uint64_t total)
{
	if (p->start < total) { /* faster than expected, or a long string instruction */
		p->end += total - p->start;
		p->start = total;
		if (p->period_end < p->end)
			p->period_end = p->end;
	}
}

void pacing_pause(struct pacing *p, uint64_t total)
{
	p->paused_at = total;
}

void pacing_resume(struct pacing *p, uint64_t total)
{
	uint64_t by = total - p->paused_at;

	p->left_out += by;
	p->start += by;
	p->end += by;
	p->period_start += by;
	p->period_end += by;
}

void pacing_saw(struct pacing *p, uint64_t chosen, uint64_t samples)
{
	uint64_t now = clamp(CHOSEN_FOR_ONE * chosen / (samples ? samples : 1), CHOSEN_FOR_ONE,
			     CHOSEN_FOR_MOST);

	if (chosen)
		p->chosen_for =
			(p->chosen_for * (CHOSEN_FOR_DECAY - 1) + now + CHOSEN_FOR_DECAY / 2) /
			CHOSEN_FOR_DECAY;
}

void pacing_close(struct pacing *p, uint64_t total, uint64_t paced)
{
	p->closed++;
	p->rate -= p->rate / RATE_DECAY;
	p->near_ns = clamp(p->near_ns - p->near_ns / NEAR_DECAY, NEAR_LEAST, NEAR_MOST);
	p->closed_at = total;
	p->seen_total = total; /* windows run slowly, so they are not measured */
	p->seen_paced = paced;
	p->seen_ns = now_ns();
}

/*
 * A call enters and leaves the kernel, which takes some microseconds, on some machines tens. A
 * shorter request would leave the thread no time between two calls.
 */
static void look_at_extra(struct pacing *p, uint64_t ns)
{
	uint64_t extra = p->asked_ns && ns > p->asked_ns ? ns - p->asked_ns : 0;

	if (extra && extra < EXTRA_MOST)
		p->extra_ns = p->extra_ns && extra > p->extra_ns
				      ? p->extra_ns + p->extra_ns / EXTRA_DECAY
				      : extra;
	p->asked_ns = 0;
}

void pacing_look(struct pacing *p, uint64_t total, uint64_t paced)
{
	uint64_t now = now_ns(), ns = now - p->seen_ns,
		 made = paced > p->seen_paced ? paced - p->seen_paced : 0, rate;

	/* the last count was wrong, see pacing_believes */
	if (total < p->seen_total) {
		p->seen_total = total;
		p->seen_paced = paced;
		p->seen_ns = now;
		p->asked_ns = 0;
		return;
	}
	if (ns < SHORTEST_NS)
		return;
	/*
	 * If a call takes longer than the requested time, as when traced, double the request until
	 * the thread gets on.
	 */
	p->stuck_ns = p->asked_ns && total == p->seen_total
			      ? clamp(2 * p->stuck_ns, SHORTEST_NS, PACING_REPORT_NS)
			      : 0;
	look_at_extra(p, ns);
	rate = (uint64_t)((unsigned __int128)made * 1000000u / ns);
	p->rate = rate > p->rate && rate <= RATE_MOST ? rate : p->rate;
	p->seen_total = total;
	p->seen_paced = paced;
	p->seen_ns = now;
}

/* Accesses that take near_ns, or cost as much to write as another call. */
static uint64_t near_by(const struct pacing *p)
{
	uint64_t timed = p->rate * p->near_ns / 1000000u, cheap = p->extra_ns * NEAR_FOR_CALL;
	uint64_t n = timed > cheap ? timed : cheap;

	return n > NEAR_MIN ? n : NEAR_MIN;
}

bool pacing_is_near(const struct pacing *p, uint64_t total)
{
	return total + near_by(p) >= p->start;
}

bool pacing_believes(const struct pacing *p, uint64_t total, uint64_t now)
{
	return total >= p->seen_total && total - p->seen_total <= (now - p->seen_ns) * MOST_A_NS;
}

uint64_t pacing_wait(struct pacing *p, uint64_t total, bool alone)
{
	uint64_t near = near_by(p);
	uint64_t left = p->start > total + near ? p->start - total - near / 2 : 0;
	/* allows for a speed a quarter above the recent maximum */
	uint64_t ns = (uint64_t)((unsigned __int128)left * 800000u / (p->rate ? p->rate : 1));

	if (!alone) /* others count, too, and are called at other times */
		ns /= 2;
	p->asked_ns = clamp(ns, SHORTEST_NS, PACING_REPORT_NS) + p->extra_ns / 2 + p->stuck_ns;
	return p->asked_ns;
}
