/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell processes: all processes of a run, running or ended, and how each misses. */

#include "base/text.h"
#include "cli/cli.h"
#include "cli/event_options.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "estimate/processes.h"
#include "events/event_processes.h"
#include "views/figures.h"
#include "views/views.h"

static const struct option_use uses[] = {
	VIEW_INPUT,
	VIEW_SHOWN,
	VIEW_SETS,
	{OPTION_CACHES, .shown = "those of the machine that recorded"},
	{OPTION_SORT, .shown = "accesses"},
	{OPTION_ROWS, .shown = "all"},
	VIEW_OTHER,
	{0},
};

static void put_title(const struct processes *s, const struct profile *p, struct text *out)
{
	const struct query ranked = query_at(s->query, s->ranked_bytes);

	text_add(out, "Misses per access, by cache");
	if (s->ranked_bytes > 0) {
		text_addf(out, "; first those with %s in a cache of ",
			  s->order == QUERY_BY_RATIO ? "the highest miss ratio" : "most misses");
		figure_cache(p, &ranked, out);
	}
	text_add(out, ":\n\n");
}

static int print_processes(const struct options *o, const struct profile *p)
{
	struct display d = view_display();
	struct text out = {0};
	struct processes s;
	struct err err;
	int status = 0;

	if (processes_init(&s, p, &o->query, &err) != 0)
		return cli_fail(&err, options_given(o, OPTION_SORT) ? EXIT_USAGE : EXIT_INPUT);
	if (o->format == VIEW_TEXT)
		put_title(&s, p, &out);
	fit_prose(&out, 0, 0, &d);
	status = VIEW_WRITE(processes, o, &s, &out, &err, o->query.limit, &d);
	processes_release(&s);
	return view_show(&out, status, &err);
}

static int print_simulated(const struct options *o, struct event_profile *p)
{
	struct display d = view_display();
	struct text out = {0};
	struct event_processes s;
	struct err err;
	int status;

	if (event_processes_init(&s, p, o->input, &o->query, &err) != 0)
		return cli_fail(&err, options_given(o, OPTION_SORT) ? EXIT_USAGE : EXIT_INPUT);
	if (o->format == VIEW_TEXT && s.caches.count > 0)
		text_addf(&out,
			  "Misses per access, of L1i per instruction, in simulated caches%s:\n\n",
			  p->sample.is_sampled ? ": estimates" : "");
	fit_prose(&out, 0, 0, &d);
	status = VIEW_WRITE(event_processes, o, &s, &out, &err, o->query.limit, &d);
	event_processes_release(&s);
	return view_show(&out, status, &err);
}

static int processes(struct options *o)
{
	static const int of_samples[] = {OPTION_POLICY, OPTION_WAYS, OPTION_CACHES, 0};
	static const int of_events[] = {0};
	static const struct event_or_sample_view view = {of_samples, of_events, print_processes,
							 print_simulated};

	return event_options_run(o, &view);
}

const struct command command_processes = {
	.run = processes,
	.words = WORDS_PROFILE,
	.summary = "show all processes of a run and how each misses",
	.options =
		{
			.name = "processes",
			.arguments = "[FILE]",
			.doc = "Show all processes of a run, running or ended: what each did, and "
			       "its miss ratio in the caches of the machine, or in simulated "
			       "ones.",
			.uses = uses,
		},
};
