/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell spatial: the miss ratio for each line size, and what of the lines is used. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "estimate/spatial.h"
#include "views/views.h"

enum {
	KEY_SIZE = 's',
	KEY_SMALL = 'b',
	KEY_FUNCTION = 'f',
	KEY_OBJECT = 'd',
	KEY_LINE_AT = 'a',
};

struct spatial_options {
	struct view view;
	struct spatial spatial; /* sizes and the small line as asked for */
};

static const struct argp_option option_list[] = {
	{"size", KEY_SIZE, "BYTES", 0,
	 "A cache of this size; may be given up to 8 times (default: the caches of the machine "
	 "that recorded, or 32K and 1M)",
	 0},
	{"base", KEY_SMALL, "BYTES", 0,
	 "Compare spatial use with lines of BYTES, a power of two from 4 to 2048 (default 4)", 0},
	{"function", KEY_FUNCTION, "NAME", 0, "Accesses of this function alone", 0},
	{"object", KEY_OBJECT, "NAME", 0,
	 "Accesses to this data structure alone, by a name that 'dwell objects' takes", 0},
	{"line-at", KEY_LINE_AT, "FILE:LINE", 0, "Accesses of this source line alone", 0},
	{0},
};

static void add_size(struct spatial *s, uint64_t bytes, struct argp_state *state)
{
	if (s->size_count == SPATIAL_SIZES)
		argp_error(state, "more than %d sizes: ask for fewer at a time", SPATIAL_SIZES);
	if (bytes < SPATIAL_FIRST)
		argp_error(state, "a cache of %" PRIu64 " byte%s: it must hold a line of %d", bytes,
			   bytes == 1 ? "" : "s", SPATIAL_FIRST);
	s->sizes[s->size_count++] = bytes;
}

static void set_part(struct spatial *s, enum subset_kind kind, const char *name,
		     struct argp_state *state)
{
	if (s->part != NULL)
		argp_error(state, "'%s' and '%s': it shows one part of the accesses at a time",
			   s->part, name);
	s->part_kind = kind;
	s->part = name;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct spatial_options *o = state->input;
	uint64_t bytes;

	switch (key) {
	case ARGP_KEY_INIT:
		memset(o, 0, sizeof(*o));
		o->spatial.small_line = SPATIAL_FIRST;
		state->child_inputs[0] = &o->view;
		return 0;
	case KEY_SIZE:
		add_size(&o->spatial, view_parse_size(arg, state), state);
		return 0;
	case KEY_SMALL:
		bytes = view_parse_size(arg, state);
		if (bytes < SPATIAL_FIRST || bytes > 2048 || (bytes & (bytes - 1)) != 0)
			argp_error(state,
				   "a line of '%s': it is a power of two from 4 to 2048 bytes",
				   arg);
		o->spatial.small_line = (uint32_t)bytes;
		return 0;
	case KEY_FUNCTION:
		set_part(&o->spatial, SUBSET_FUNCTION, arg, state);
		return 0;
	case KEY_OBJECT:
		set_part(&o->spatial, SUBSET_OBJECT, arg, state);
		return 0;
	case KEY_LINE_AT:
		set_part(&o->spatial, SUBSET_LINE, arg, state);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is not expected: a profile is named with -i FILE", arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
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

static int print_spatial(const void *options, const struct profile *p)
{
	const struct spatial_options *o = options;
	struct spatial s = o->spatial;
	struct display d = view_display();
	struct text out = {0};
	struct err err;
	int ret = 0;

	if (s.size_count == 0)
		choose_sizes(p, &s);
	if (spatial_compute(p, &s, &err) != 0) {
		spatial_release(&s);
		return cli_fail(&err, s.part != NULL ? EXIT_USAGE : EXIT_INPUT);
	}
	if (s.note != NULL)
		fprintf(stderr, "dwell: %s\n", s.note);
	if (o->view.common.format == VIEW_CSV)
		spatial_csv(&s, &out);
	else if (o->view.common.format == VIEW_JSON)
		ret = spatial_json(&s, p, &out, &err);
	else
		ret = spatial_text(&s, p, &d, &out, &err);
	spatial_release(&s);
	return view_show(&out, ret, &err);
}

int cmd_spatial(int argc, char **argv)
{
	static const struct argp_child children[] = {{&process_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		option_list,
		parse,
		NULL,
		"Show the miss ratio for each line size from 4 to 4096 bytes in caches of some "
		"sizes, how far longer lines help, and how much of what is fetched is used.",
		children,
		NULL,
		NULL};
	struct spatial_options o;

	options_parse(&argp, argc, argv, 0, &o);
	return view_run(&o.view, print_spatial, &o);
}
