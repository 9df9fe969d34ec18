/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outcome of --start-at and similar options; see outcome.h. */
#include "collector/target/outcome.h"

#include <string.h>

/* Tell whether the run simulates, which changes the words. */
static bool simulates(const struct channel_config *c)
{
	return c->mode == CHANNEL_MODE_SIMULATE;
}

static const char *nothing_done(const struct channel_config *c)
{
	return simulates(c) ? "nothing was simulated" : "nothing was sampled";
}

static void tell_function(const char *name, bool found, bool entered, const char *outcome,
			  struct text *lines)
{
	if (name[0] == '\0' || entered)
		return;
	if (found)
		text_addf(lines, "function '%s' was not entered while it mattered: %s\n", name,
			  outcome);
	else
		text_addf(
			lines,
			"no function '%s' in the symbol tables of the program and its libraries: "
			"%s "
			"(inlined and stripped functions cannot be found; 'nm' lists the others)\n",
			name, outcome);
}

static void tell_toggles(const struct channel_config *c, uint32_t found, uint32_t entered,
			 struct text *lines)
{
	const char *name = c->toggles;

	for (uint32_t i = 0; i < c->toggle_count; i++, name += strlen(name) + 1)
		tell_function(name, found >> i & 1, entered >> i & 1,
			      entered != 0 ? "it made no difference" : nothing_done(c), lines);
}

/* Report missing allocators: their blocks are unknown, and nothing else would show that. */
static void tell_allocators(const struct channel_config *c, uint32_t found, struct text *lines)
{
	const char *name = c->allocators;

	for (uint32_t i = 0; i < 2 * c->allocator_count; i++, name += strlen(name) + 1)
		if (name[0] != '\0' && !(found >> i & 1))
			text_addf(lines,
				  "function '%s' of --allocator is in no module: it may be "
				  "inlined, or its "
				  "file stripped ('nm' lists the others)\n",
				  name);
}

static bool has(uint32_t marks, enum channel_marks mark)
{
	return (marks & mark) != 0;
}

/* Explain why sampling, once on, took no samples, and how to get some. */
static void tell_no_samples(const struct channel_config *c, uint32_t marks, bool was_stopped,
			    struct text *lines)
{
	text_add(lines, "nothing was sampled: ");
	if (was_stopped)
		text_add(lines, "'dwell stop' came before the first sample, so stop later\n");
	else if (has(marks, CHANNEL_STOP_ENTERED))
		text_addf(lines,
			  "function '%s' was entered before the first sample: choose one that is "
			  "entered later\n",
			  c->stop_at);
	else if (c->duration_ns != 0)
		text_add(lines, "no sample came before --duration was over: give a longer one\n");
	else
		text_add(lines,
			 "the run ended before the first sample, so give it more work, or use "
			 "--duty 100\n");
}

/* The same for a simulation, which begins at once unless options delay it. */
static void tell_no_simulation(const struct channel_config *c, uint32_t marks, bool was_stopped,
			       struct text *lines)
{
	if (was_stopped)
		text_add(lines, "nothing was simulated: 'dwell stop' came before it began, so stop "
				"later\n");
	else if (has(marks, CHANNEL_STOP_ENTERED))
		text_addf(lines,
			  "nothing was simulated: function '%s' was entered before the simulation "
			  "began: choose one that is entered later\n",
			  c->stop_at);
	else if (c->duration_ns != 0)
		text_add(lines,
			 "nothing was simulated before --duration was over: give a longer one\n");
}

void outcome_print(const struct channel_config *c, const struct channel_header *h, uint64_t run_ns,
		   uint64_t samples, bool was_stopped, struct text *lines)
{
	uint32_t marks = __atomic_load_n(&h->marks, __ATOMIC_RELAXED);

	if (run_ns < c->delay_ns) {
		text_addf(lines, "the command ended before the delay was over: %s\n",
			  nothing_done(c));
		return;
	}
	if (!has(marks, CHANNEL_MARK_SEEN)) {
		tell_function(c->start_at, has(marks, CHANNEL_START_FOUND),
			      has(marks, CHANNEL_START_ENTERED), nothing_done(c), lines);
		if (c->start_off && !has(marks, CHANNEL_START_ENTERED))
			text_addf(lines, "the program did not come to a DWELL_START: %s\n",
				  nothing_done(c));
	}
	tell_function(c->stop_at, has(marks, CHANNEL_STOP_FOUND), has(marks, CHANNEL_STOP_ENTERED),
		      simulates(c) ? "the simulation did not end there"
				   : "sampling did not end there",
		      lines);
	tell_allocators(c, __atomic_load_n(&h->allocators_found, __ATOMIC_RELAXED), lines);
	tell_toggles(c, __atomic_load_n(&h->toggles_found, __ATOMIC_RELAXED),
		     __atomic_load_n(&h->toggles_entered, __ATOMIC_RELAXED), lines);
	if (has(marks, CHANNEL_ENGINE_FAILED)) /* that is the cause */
		return;
	if (c->mode == CHANNEL_MODE_SAMPLE && samples == 0 && lines->count == 0)
		tell_no_samples(c, marks, was_stopped, lines);
	if (simulates(c) && samples == 0 && lines->count == 0)
		tell_no_simulation(c, marks, was_stopped, lines);
}
