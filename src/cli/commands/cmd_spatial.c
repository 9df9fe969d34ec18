/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell spatial: the miss ratio for each line size, and how much of a line is used. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "estimate/spatial.h"
#include "views/views.h"

static const struct option_use uses[] = {
	VIEW_INPUT,
	{OPTION_PROCESS_ID, .shown = "the one with the most accesses"},
	{OPTION_THREAD_ID, .shown = "all"},
	{OPTION_FUNCTION},
	{OPTION_OBJECT},
	{OPTION_LINE_AT},
	{OPTION_CACHE_SIZE,
	 .shown = "the caches of the machine that recorded, or 32K and 1M; up to 8 "
		  "may be given",
	 .adds_up = true},
	VIEW_SETS,
	{OPTION_BASE, .usual = "4"},
	VIEW_OTHER,
	{0},
};

/* Take the settings of the view from the options. */
static int take(const struct options *o, struct spatial *s, struct err *err)
{
	*s = (struct spatial){.query = &o->query,
			      .small_line = (uint32_t)o->base_bytes,
			      .size_count = o->size_count};
	for (size_t i = 0; i < o->size_count; i++) {
		if (o->sizes[i] < SPATIAL_FIRST)
			return err_set(err,
				       "a cache of %" PRIu64 " byte%s: it must hold a line of %d",
				       o->sizes[i], o->sizes[i] == 1 ? "" : "s", SPATIAL_FIRST);
		s->sizes[i] = o->sizes[i];
	}
	if (o->part_count > 1)
		return err_set(err, "'%s' and '%s': it shows one part of the accesses at a time",
			       o->parts_of[0].name, o->parts_of[1].name);
	if (o->part_count > 0) {
		s->part_kind = o->parts_of[0].kind;
		s->part = o->parts_of[0].name;
	}
	return 0;
}

static void choose_sizes(const struct profile *p, struct spatial *s)
{
	struct profile_cache caches[PROFILE_CACHES];

	profile_caches(p, caches);
	for (size_t i = 0; i < PROFILE_CACHES; i++)
		if (caches[i].size_bytes > 0)
			s->sizes[s->size_count++] = caches[i].size_bytes;
	if (s->size_count == 0) {
		s->sizes[s->size_count++] = 32 << 10;
		s->sizes[s->size_count++] = 1 << 20;
	}
}

static int print_spatial(const struct options *o, const struct profile *p)
{
	struct spatial s;
	struct display d = view_display();
	struct text out = {0};
	struct err err;
	int ret = 0;

	if (take(o, &s, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (s.size_count == 0)
		choose_sizes(p, &s);
	if (spatial_compute(p, &s, &err) != 0) {
		spatial_release(&s);
		return cli_fail(&err, s.part != NULL ? EXIT_USAGE : EXIT_INPUT);
	}
	if (s.note != NULL)
		fprintf(stderr, "dwell: %s\n", s.note);
	if (o->format == VIEW_CSV)
		spatial_csv(&s, &out);
	else if (o->format == VIEW_JSON)
		ret = spatial_json(&s, p, &out, &err);
	else
		ret = spatial_text(&s, p, &d, &out, &err);
	spatial_release(&s);
	return view_show(&out, ret, &err);
}

static int spatial(struct options *o)
{
	return view_run(o, PROFILE_SAMPLES, print_spatial);
}

const struct command command_spatial = {
	.run = spatial,
	.words = WORDS_PROFILE,
	.summary = "show the miss ratio for each line size, and how much of a line is used",
	.options =
		{
			.name = "spatial",
			.arguments = "[FILE]",
			.doc = "Show the miss ratio for each line size from 4 to 4096 bytes in "
			       "caches of some sizes, how far longer lines help, and how much of "
			       "what is fetched is used.",
			.uses = uses,
		},
};
