/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places of windows and times of calls; see pacing.h. */
#include "engine/sample/pacing.h"
#include "engine/drive/collect.h"

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
#define LATE_END_NS   1000000u /* a window that waits in vain may end so late */
#define RATE_DECAY    1024u /* windows; slow, so that a fast phase is not missed when it returns */
/* faster than any code: excludes wrong counts, whose rate would be remembered for long */
#define RATE_MOST   16000000u
#define EXTRA_DECAY 16u
#define EXTRA_MOST  100000u /* ns; if more, another program was scheduled */
#define MOST_A_NS   200u    /* accesses a nanosecond; faster than any thread */
#define LATE_PART   2u	    /* of a window; one that would begin later is moved */
/*
 * All of a run's first accesses lie in windows, side by side: short runs need that, and a table of
 * far lines (far_lines.h) without gaps. It costs a second or two at most, once per run, for any
 * length and number of processes.
 */
#define EARLY 190000000u
/*
 * Windows grow with the process. Beyond EARLY the windows of a new process grow less, so that it
 * does not lie in windows for long.
 */
#define EARLY_GROWTH	 100u /* a window is this part of the process so far */
#define LATE_GROWTH	 400u
#define SPACING_MIN	 500u /* accesses between samples, on average, unless a period is given */
#define CHOSEN_FOR_ONE	 1024u
#define CHOSEN_FOR_FIRST (2 * CHOSEN_FOR_ONE) /* until something is known */
#define CHOSEN_FOR_MOST	 (6 * CHOSEN_FOR_ONE) /* beyond, choosing costs more than the samples */
#define CHOSEN_FOR_DECAY 8u
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
#define FIRST_RATE  1000000u /* accesses a millisecond, until measured */

static uint64_t clamp(uint64_t v, uint64_t low, uint64_t high)
{
	return v < low ? low : v > high ? high : v;
}

static uint64_t window_length(uint64_t now, bool is_early)
{
	const struct channel_config *c = &engine.config;
	uint64_t length =
		clamp(now / (is_early ? EARLY_GROWTH : LATE_GROWTH), c->window_min, c->window_max);
	uint64_t later = c->window_divisor ? now / c->window_divisor : 0;

	return length > later ? length : later;
}

/* The length of a period, for the budget. */
static uint64_t period_of_budget(const struct pacing *p, uint64_t now, uint64_t w, uint64_t length)
{
	uint64_t until = budget_until(w), most;

	/* without a stretch between windows the price would stay unknown */
	if (!until)
		return p->closed && length < BUDGET_LEARN ? BUDGET_LEARN : length;
	length = until > now ? until - now : 0;
	/* a short beginning may not be typical: do not plan further ahead */
	most = now > BUDGET_AHEAD ? now : BUDGET_AHEAD;
	length = length < most ? length : most;
	length = length > w ? length : w;
	if (p->closed % (CALM_ONE_IN + CALM_PART * CALM / length) == 0 && length < CALM)
		length = CALM;
	return length;
}

/* The length of a period whose window has w accesses, after `seen` of the process; at least w. */
static uint64_t period_length(const struct pacing *p, uint64_t seen, uint64_t w, bool is_early)
{
	const struct channel_config *c = &engine.config;
	uint64_t length =
		(uint64_t)((unsigned __int128)w * 1000000 / (c->duty_ppm ? c->duty_ppm : 1));
	uint64_t least = (uint64_t)((unsigned __int128)seen * c->window_growth_ppm / 1000000);

	if (!is_early && length < least)
		length = least;
	if (budget_is_set())
		length = period_of_budget(p, p->period_end, w, length);
	return length > w ? length : w;
}

/* Mean accesses between chosen ones, in a window of w accesses. */
static uint64_t interval_of(const struct pacing *p, uint64_t w, uint64_t period)
{
	const struct channel_config *c = &engine.config;
	uint64_t sampled = w > 2 * CHANNEL_FAR ? w - CHANNEL_FAR : w; /* see scan.c */
	uint64_t interval = sampled / (c->samples_per_window ? c->samples_per_window : 48);

	if (interval < SPACING_MIN)
		interval = SPACING_MIN;
	if (c->near_one_in)
		interval = interval * CHOSEN_FOR_ONE / p->chosen_for;
	if (c->sample_period)
		interval = (uint64_t)((unsigned __int128)c->sample_period * w / period);
	return interval ? interval : 1;
}

/* One window at a random place of each period; periods grow with the run, as windows do. */
void pacing_next(struct pacing *p)
{
	const struct channel_config *c = &engine.config;
	uint64_t now = p->period_end, seen = now - p->left_out;
	bool is_early = records_ran(seen - p->told) < EARLY && !budget_is_set();
	uint64_t w = window_length(seen, is_early), length = period_length(p, seen, w, is_early);

	p->told = seen;
	p->period_start = now;
	p->period_end = now + length;
	p->start = now + random_next(&p->rng) % (length - w + 1);
	p->end = p->start + w;
	if (c->mode == CHANNEL_MODE_WATCH) {
		p->start = 0;
		p->end = UINT64_MAX;
	}
	p->interval = interval_of(p, w, length);
}

void pacing_start(struct pacing *p, uint64_t seed)
{
	*p = (struct pacing){.rng = seed,
			     .rate = FIRST_RATE,
			     .near_ns = NEAR_NS,
			     .near_most = NEAR_MOST,
			     .chosen_for = CHOSEN_FOR_FIRST,
			     .seen_ns = now_ns()};
}

/* The window begins at another place of what is left of its period. False: there is no room. */
static bool move_window(struct pacing *p, uint64_t total)
{
	const uint64_t length = p->end - p->start;

	if (total + length >= p->period_end)
		return false;
	p->start = total + random_next(&p->rng) % (p->period_end - length - total + 1);
	p->end = p->start + length;
	return true;
}

void pacing_pass_over(struct pacing *p, uint64_t total)
{
	bool missed = false;

	while (total > p->start + (p->end - p->start) / LATE_PART) {
		if (!move_window(p, total))
			pacing_leave_out(p);
		missed = true;
	}
	/*
	 * The timer is imprecise here, or the speed changes: begin farther away next time. Not if
	 * the last window has just closed: then the rest of its buffer was the cause.
	 */
	if (missed && total > p->closed_at)
		p->near_ns = clamp(2 * p->near_ns, NEAR_LEAST, p->near_most);
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
	const bool fills =
		p->end > p->start && p->end - p->start == p->period_end - p->period_start;

	p->closed++;
	/* windows side by side tell nothing of how to find one behind a gap */
	if (!fills) {
		p->rate -= p->rate / RATE_DECAY;
		p->near_ns = clamp(p->near_ns - p->near_ns / NEAR_DECAY, NEAR_LEAST, p->near_most);
	}
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
			      ? clamp(2 * p->stuck_ns, SHORTEST_NS, COLLECT_REPORT_NS)
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
	p->asked_ns = clamp(ns, SHORTEST_NS, COLLECT_REPORT_NS) + p->extra_ns / 2 + p->stuck_ns;
	return p->asked_ns;
}

uint64_t pacing_wait_for_end(const struct pacing *p, uint64_t total)
{
	uint64_t left = p->end > total ? p->end - total : 0;

	return clamp(left * 1000000u / (p->rate ? p->rate : 1), LATE_END_NS, COLLECT_REPORT_NS);
}
