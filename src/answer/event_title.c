/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run of an event profile in words; see event_title.h. */
#include "answer/event_title.h"

#include <inttypes.h>
#include <string.h>

#include "answer/answer.h"

void event_put_command(const struct event_profile *p, struct text *out)
{
	const char *command = store_meta_text(p->store, "command");
	const char *creator = store_meta_text(p->store, "creator");
	char count[FIGURE_BYTES];
	size_t i;

	for (i = 0; i < p->process_count; i++) {
		if (p->processes[i].id == p->process || p->process_count == 1)
			command = p->processes[i].command;
	}
	text_add(out, command != NULL ? command : "");
	if (p->process == STORE_ALL && p->process_count > 1)
		text_addf(out, " (%s processes)", figure_count(p->process_count, count));
	if (p->thread != STORE_NONE)
		text_addf(out, ", thread %" PRId64, p->thread);
	if (creator != NULL)
		text_addf(out, ", by %s", creator);
}

static bool has_no_end(const char *state)
{
	return strcmp(state, "running") == 0 || strncmp(state, "cut off", strlen("cut off")) == 0;
}

/* Normal ends are not mentioned; profiles of other tools have none. */
static bool has_ended_well(const struct store_process *x)
{
	return strcmp(x->state, "exited") == 0 && x->exit_status <= 0;
}

/*
 * Say if the profile may be incomplete. Of several processes, only those without an end are
 * mentioned.
 */
static void put_endings(const struct event_profile *p, struct text *out)
{
	const char *state = store_meta_text(p->store, "state");
	/* If no process runs, the file was never completed. */
	bool is_cut = p->process == STORE_ALL && state != NULL && has_no_end(state);
	const struct store_process nobody = {.state = is_cut ? state : "running"};
	const struct store_process *told = NULL;
	size_t count = 0, running = 0, i;

	for (i = 0; i < p->process_count; i++) {
		const struct store_process *x = &p->processes[i];

		if (p->process != STORE_ALL && x->id != p->process)
			continue;
		running += has_no_end(x->state);
		if (count++ == 0 && !has_ended_well(x))
			told = x;
	}
	if (count != 1 || (is_cut && running == 0))
		told = is_cut || running > 0 ? &nobody : NULL;
	if (told == NULL)
		return;
	if (count > 1 && running > 0)
		text_addf(out, "%zu of them: ", running);
	process_put_ending(told, out);
}

/* Profiles of other tools have no times. */
void event_put_end(const struct event_profile *p, struct text *out)
{
	int64_t wall_ns = store_meta_int(p->store, "wall_ns", 0);
	char time[FIGURE_BYTES];
	size_t from = out->count, count = 0;
	const struct store_process *one = NULL;

	put_endings(p, out);
	for (size_t i = 0; i < p->process_count; i++) {
		if (p->process != STORE_ALL && p->processes[i].id != p->process)
			continue;
		one = &p->processes[i];
		count++;
	}
	if (out->count > from || count == 0)
		return;
	if (count == 1 && one->end_ns > one->start_ns)
		process_put_ending(one, out);
	else if (count > 1 && wall_ns > 0)
		text_addf(out, "ended after %s", figure_duration((uint64_t)wall_ns, time));
}

/* What estimates rest on, if any are shown. */
static void put_line_use(const struct event_profile *p, const struct event_columns *c,
			 struct text *out)
{
	bool any = event_use_is_estimate(p, c->sort);

	for (size_t i = 0; i < c->count; i++)
		any |= event_use_is_estimate(p, c->items[i]);
	if (any)
		text_addf(out,
			  "\nAcCost and SpLoss: estimates, from one in %" PRIu64
			  " lines that came to a cache, and more at first; low and high: 95 %%",
			  p->use.share);
}

void event_title(const struct event_profile *p, const struct event_columns *c, const char *what,
		 struct text *out)
{
	const struct event_column *sort = &p->columns[c->sort];
	char figure[FIGURE_BYTES];
	struct text command = {0};
	size_t end, i;

	text_addf(out, "%s: ", what);
	event_put_command(p, &command);
	answer_words(out, text_get(&command));
	text_release(&command);
	text_add(out, "\n  ");
	end = out->count;
	put_endings(p, out);
	if (out->count > end)
		text_add(out, "\n");
	else
		out->count -= 2;
	answer_words(out, sort->name);
	text_addf(out, ANSWER_STAY "%s", event_figure(events_value(p, c->sort, p->totals), figure));
	if (sort->text != NULL || sort->description != NULL) {
		text_add(out, " (");
		answer_words(out, sort->text != NULL ? sort->text : sort->description);
		text_add(out, ")");
	}
	for (i = 0; i < c->count; i++) {
		if (c->items[i] == c->sort)
			continue;
		text_add(out, ", ");
		answer_words(out, p->columns[c->items[i]].name);
		text_addf(out, ANSWER_STAY "%s",
			  event_figure(events_value(p, c->items[i], p->totals), figure));
	}
	put_line_use(p, c, out);
	text_add(out, "\n");
}
