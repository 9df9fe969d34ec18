/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options for the caches of a simulation. */
#include "cli/geometry_options.h"

#include <string.h>

#include "collector/geometry_text.h"

enum { KEY_CACHE = 0x300, KEY_MACHINE, KEY_CONFIG, KEY_LINE_USE, KEY_WRITE_BACKS, KEY_NO_CODE };

static const struct argp_option options[] = {
	{"cache", KEY_CACHE, "NAME=SIZE,WAYS,LINE", 0,
	 "Simulate this cache: L1i, L1d, L1 (for both), L2, L3, L4, LL, or a TLB as DTLB=64,4,4K "
	 "(default: the first level and the last of this machine)",
	 5},
	{"machine", KEY_MACHINE, "NAME", 0,
	 "Begin with all caches of a machine: host, or one of a table, as zen4", 5},
	{"config", KEY_CONFIG, "FILE", 0, "Read caches from FILE, one on each line", 5},
	{"line-use", KEY_LINE_USE, NULL, 0,
	 "Count how often lines are used, and bytes of them that never are", 5},
	{"write-backs", KEY_WRITE_BACKS, NULL, 0, "Count dirty lines that leave a level", 5},
	{"no-instructions", KEY_NO_CODE, NULL, 0, "Do not simulate instruction fetches", 5},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct geometry_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct geometry_options){0};
		return 0;
	case KEY_CACHE:
		if (o->cache_count < GEOMETRY_MOST_CACHES)
			o->caches[o->cache_count] = arg;
		o->cache_count++;
		return 0;
	case KEY_MACHINE:
		o->machine = arg;
		return 0;
	case KEY_CONFIG:
		o->config = arg;
		return 0;
	case KEY_LINE_USE:
		o->line_use = true;
		return 0;
	case KEY_WRITE_BACKS:
		o->write_backs = true;
		return 0;
	case KEY_NO_CODE:
		o->no_instructions = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp geometry_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};

bool geometry_options_given(const struct geometry_options *o)
{
	return o->machine != NULL || o->config != NULL || o->cache_count > 0 || o->line_use ||
	       o->write_backs || o->no_instructions;
}

/* In a file that is a line which says nothing. */
static bool is_blank(const char *text)
{
	text += strspn(text, " \t\r\n");
	return *text == '\0' || *text == '#';
}

int geometry_options_build(const struct geometry_options *o, struct sim_geometry *g,
			   struct err *err)
{
	struct geometry_plan p = {0};

	if (o->cache_count > GEOMETRY_MOST_CACHES)
		return err_set(err,
			       "more than %d options --cache: write them into a file, --config",
			       GEOMETRY_MOST_CACHES);
	if (o->config != NULL && geometry_read_file(&p, o->config, err) != 0)
		return -1;
	if (o->machine != NULL && geometry_set_machine(&p, o->machine, err) != 0)
		return -1;
	for (unsigned i = 0; i < o->cache_count; i++) {
		if (is_blank(o->caches[i]))
			return err_set(err, "--cache '%s' names no cache: write it as L1d=32K,8,64",
				       o->caches[i]);
		if (geometry_add(&p, o->caches[i], err) != 0)
			return -1;
	}
	p.line_use |= o->line_use;
	p.write_backs |= o->write_backs;
	p.no_instructions |= o->no_instructions;
	return geometry_build(&p, g, err);
}
