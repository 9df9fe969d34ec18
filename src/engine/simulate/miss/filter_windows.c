/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Windows in which all accesses to data are seen; see filter_windows.h. */
#include "engine/simulate/miss/filter_windows.h"

#include "engine/core/random.h"
#include "engine/core/run_mode.h"
#include "engine/core/state.h"
#include "engine/core/util.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/miss/filter_notes.h"
#include "engine/simulate/observe/patterns.h"
#include "engine/simulate/observe/references.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter.h"
#include "engine/simulate/state/filter_conflicts.h"
#include "engine/simulate/state/filter_sets.h"

/*
 * Executions of segments for each window. A window takes the time of some 2,000, and of 4 for each
 * place of the first level, whose cells it hides and shows. So in the long run windows cost two per
 * cent; more at the beginning, so that short programs have some. Ten windows of 100 references say
 * more than one of 1,000, which is of one loop mostly.
 */
#define LAST_MEAN	   100000u
#define LAST_MEAN_OF_PLACE 200u
#define FIRST_PART	   200u
#define GROWTH		   64u /* after a window the mean is greater by this part of itself */
/*
 * A window for patterns needs as many references as loops have, and takes 20 times as long. So one
 * in so many windows is one; and the weights of its accesses are in a unit of so many executions.
 */
#define LONG_ONE_IN 4u
#define WEIGHT_UNIT 64u

/*
 * With some sets only, a window also hides and shows the cells of lines elsewhere, page by page.
 * So many pages take as long as the window does; further ones make windows rare.
 */
#define FEW_PAGES    256u
#define MEAN_OF_PAGE 20000u

#define MOST_COUNTERS (16u << 20)

/* A counter of executions, which triggers when it is 0. */
struct watch {
	uint64_t taken; /* its value when executions were taken last */
	uint64_t mean;	/* of the executions until it triggers */
};

static struct {
	struct grow watches; /* struct watch, by number of counter */
	uint64_t random, mean, last_mean;
	bool sees_references;
	/* In a window: are accesses still seen? */
	bool is_for_references, is_for_patterns;
} v;

/* ---- Cells ---- */

static void hide_lines(void)
{
	const struct filter_level *l = &filter_state.data;

	for (uint64_t i = 0; i < filter_places(l); i++)
		if (l->owners[i])
			*l->owners[i] = 0;
}

static void show_lines(void)
{
	const struct filter_level *l = &filter_state.data;

	for (uint64_t i = 0; i < filter_places(l); i++)
		if (l->owners[i] && filter_conflicts_show(l, &l->stamps[i]))
			*l->owners[i] = (uint32_t)(uintptr_t)&l->stamps[i];
}

/* ---- Triggers ---- */

bool filter_windows_start(bool sees_references)
{
	v.random = engine.config.seed;
	v.sees_references = sees_references;
	v.last_mean = LAST_MEAN + LAST_MEAN_OF_PLACE * filter_places(&filter_state.data);
	if (!sees_references)
		v.last_mean *= LONG_ONE_IN;
	v.mean = v.last_mean / FIRST_PART;
	plan.windows = grow_init_whole(&v.watches, MOST_COUNTERS * sizeof(struct watch)) == 0;
	return plan.windows;
}

static struct watch *watch_at(uint64_t number)
{
	return (struct watch *)(void *)v.watches.base + number;
}

/* The mean of executions until the next window. */
static uint64_t mean(void)
{
	const uint64_t pages = filter_pages_elsewhere();

	return v.mean + (pages > FEW_PAGES ? (pages - FEW_PAGES) * MEAN_OF_PAGE : 0);
}

static void wind_up(struct watch *w, uint64_t *counter)
{
	w->mean = mean();
	w->taken = *counter = -random_exponential(&v.random, w->mean);
}

bool filter_window_watch(uint64_t number, uint64_t *counter)
{
	if (number >= MOST_COUNTERS)
		return false;
	wind_up(watch_at(number), counter);
	return true;
}

uint64_t filter_window_executions(uint64_t number, const uint64_t *counter)
{
	return *counter - watch_at(number)->taken;
}

void filter_window_take(uint64_t number, const uint64_t *counter)
{
	watch_at(number)->taken = *counter;
}

/* ---- Windows ---- */

static void open_window(void)
{
	v.is_for_references = v.sees_references;
	v.is_for_patterns = !v.sees_references || random_next(&v.random) % LONG_ONE_IN == 0;
	if (v.is_for_references)
		references_begin(v.mean);
	if (v.is_for_patterns)
		patterns_begin(1 + mean() / WEIGHT_UNIT);
	hide_lines();
	filter_hide_elsewhere();
	filter_notes_allow(false);
	filter_window_is_open = true;
	if (v.mean < v.last_mean)
		v.mean += v.mean / GROWTH;
}

void filter_window_trigger(uint64_t number, uint64_t *counter)
{
	struct watch *w = watch_at(number);

	/* the mean may have grown since this trigger was planned */
	if (!filter_window_is_open && random_next(&v.random) % mean() < w->mean)
		open_window();
	wind_up(w, counter);
}

void filter_window_close(void)
{
	if (!filter_window_is_open)
		return;
	filter_window_is_open = v.is_for_patterns = false;
	show_lines();
	filter_show_elsewhere();
	filter_notes_allow(true);
	if (v.sees_references)
		references_end();
	patterns_end();
}

void filter_window_see(uint32_t site, uint64_t pc, uint64_t address, const struct segment_access *a)
{
	if (v.is_for_references)
		v.is_for_references = !references_see(site, pc, address, filter_allocates());
	if (v.is_for_patterns)
		v.is_for_patterns =
			!patterns_see(site, pc, address, a->size, a->kind == ACCESS_LOAD);
}

void filter_window_repeat(const struct repeat *rep)
{
	for (uint32_t k = 0; k < rep->accesses && v.is_for_patterns; k++)
		patterns_repeat(rep->address[k], rep->size, rep->step, rep->iterations);
}

void filter_window_elements(uint64_t pc, const uint64_t *entries, uint32_t n,
			    const struct segment_access *a)
{
	for (uint32_t i = 0; i < n && v.is_for_patterns; i++)
		patterns_see(0, pc, STREAM_ADDRESS(entries[i]), a->size, a->kind == ACCESS_LOAD);
}

void filter_window_saw(void)
{
	if (!v.is_for_references && !v.is_for_patterns)
		filter_window_close();
}
