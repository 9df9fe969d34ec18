/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulated caches, from the options. */
#include "cli/geometry_options.h"

#include <string.h>

#include "collector/simulation/geometry_text.h"

/* Tell whether a line of a configuration file is empty. */
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
	if (o->line_use) {
		p.line_use = true;
		p.line_share = o->line_share;
	}
	p.write_backs |= o->write_backs;
	p.no_instructions |= o->no_instructions;
	return geometry_build(&p, g, err);
}
