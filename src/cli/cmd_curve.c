/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell curve: the miss ratio for each cache size, of a process, of parts of it, of several. */
#include <argp.h>
#include <inttypes.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "estimate/curve.h"
#include "estimate/subset.h"
#include "views/views.h"

#define DEFAULT_LOW  (8u << 10)
#define DEFAULT_HIGH (64u << 20)
#define PLOT_POINTS  8 /* per octave: the plot is smooth */
#define PART_POINTS  4 /* of a part, whose points take longer */

enum {
	KEY_SIZES = 's',
	KEY_POLICY = 'p',
	KEY_POINTS = 'n',
	KEY_FUNCTION = 'f',
	KEY_OBJECT = 'd',
	KEY_LINE_AT = 'a',
	KEY_WAYS = 'w',
};

/* What curves are asked for, in the order of the options. */
struct part {
	enum subset_kind kind;
	const char *name;
};

struct curve_options {
	struct view view;
	uint64_t low, high;  /* bytes */
	uint64_t per_octave; /* 0: by format */
	enum model_policy policy;
	uint64_t ways; /* 0: fully associative */
	struct part parts[CURVE_MOST];
	size_t part_count; /* beyond CURVE_MOST: too many */
};

static const struct argp_option option_list[] = {
	{"sizes", KEY_SIZES, "LOW:HIGH", 0, "Cache sizes from LOW to HIGH (default 8K:64M)", 0},
	{"policy", KEY_POLICY, "NAME", 0, "Replacement: random (the default) or lru", 0},
	{"function", KEY_FUNCTION, "NAME", 0, "Accesses of this function alone", 0},
	{"object", KEY_OBJECT, "NAME", 0,
	 "Accesses to this data structure alone, by a name that 'dwell objects' takes", 0},
	{"line-at", KEY_LINE_AT, "FILE:LINE", 0,
	 "Accesses of this source line alone; may be given again for more curves, as the next two",
	 0},
	{"points-per-octave", KEY_POINTS, "N", 0,
	 "Points for each doubling of the size (default 1, and enough for a smooth plot)", 0},
	{"ways", KEY_WAYS, "N", 0, "Sets of N lines (default: fully associative)", 0},
	{0},
};

static const char *const policy_names[] = {
	[MODEL_RANDOM] = "random",
	[MODEL_LRU] = "lru",
};

static void parse_policy(struct curve_options *o, const char *name, struct argp_state *state)
{
	for (size_t i = 0; i < sizeof(policy_names) / sizeof(policy_names[0]); i++) {
		if (strcmp(name, policy_names[i]) == 0) {
			o->policy = (enum model_policy)i;
			return;
		}
	}
	argp_error(state, "policy '%s' is unknown: it is random or lru", name);
}

static void add_part(struct curve_options *o, enum subset_kind kind, const char *name)
{
	if (o->part_count < CURVE_MOST)
		o->parts[o->part_count] = (struct part){kind, name};
	o->part_count++;
}

static void check_count(const struct curve_options *o, struct argp_state *state)
{
	size_t files = o->view.common.input_count, processes = o->view.process_count;

	if ((files > 0 ? files : 1) * (processes > 0 ? processes : 1) *
		    (o->part_count > 0 ? o->part_count : 1) >
	    CURVE_MOST)
		argp_error(state, "more than %d curves: ask for fewer at a time", CURVE_MOST);
	if (o->ways > 0 && o->part_count > 0)
		argp_error(state, "--ways is of whole processes: leave out --function, --object and "
				  "--line-at");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct curve_options *o = state->input;
	struct err err;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct curve_options){.low = DEFAULT_LOW, .high = DEFAULT_HIGH};
		state->child_inputs[0] = &o->view;
		return 0;
	case KEY_SIZES:
		if (size_parse_range(arg, &o->low, &o->high, &err) != 0)
			argp_error(state, "%s", err.text);
		return 0;
	case KEY_POLICY:
		parse_policy(o, arg, state);
		return 0;
	case KEY_FUNCTION:
		add_part(o, SUBSET_FUNCTION, arg);
		return 0;
	case KEY_OBJECT:
		add_part(o, SUBSET_OBJECT, arg);
		return 0;
	case KEY_LINE_AT:
		add_part(o, SUBSET_LINE, arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		check_count(o, state);
		return 0;
	case KEY_POINTS:
		o->per_octave = view_parse_count("points-per-octave", arg, 1, 100, state);
		return 0;
	case KEY_WAYS:
		if (number_parse("ways", arg, 1, 1 << 20, &o->ways, &err) != 0)
			argp_error(state, "%s", err.text);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is not expected: a profile is named with -i FILE", arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* All curves of a run of the command, and the profiles that they are of. */
struct curves {
	struct profile profiles[CURVE_MOST];
	size_t profile_count;
	struct curve items[CURVE_MOST];
	size_t count;
	struct text notes;
};

static void release(struct curves *c)
{
	for (size_t i = 0; i < c->count; i++)
		curve_release(&c->items[i]);
	for (size_t i = 0; i < c->profile_count; i++)
		profile_close(&c->profiles[i]);
	text_release(&c->notes);
}

/* Open each of the files, with each of the processes. Returns an exit code. */
static int open_all(struct curves *c, const struct view *v)
{
	size_t files = v->common.input_count > 0 ? v->common.input_count : 1;
	size_t processes = v->process_count > 0 ? v->process_count : 1;

	for (size_t i = 0; i < files * processes; i++) {
		const char *input = v->common.input_count > 0 ? v->common.inputs[i / processes]
							      : v->common.input;
		int64_t process = v->process_count > 0 ? v->processes[i % processes] : STORE_NONE;
		int code = view_open(v, input, process, &c->profiles[i]);

		if (code != EXIT_OK)
			return code;
		c->profile_count++;
	}
	return EXIT_OK;
}

/* "object matrix in a.db, process 3": as much as it takes to tell the curves apart. */
static char *make_label(const struct curve_options *o, size_t profile, const struct part *part)
{
	static const char *const kinds[] = {
		[SUBSET_FUNCTION] = "function", [SUBSET_OBJECT] = "object", [SUBSET_LINE] = "line"};
	const struct view *v = &o->view;
	size_t processes = v->process_count > 0 ? v->process_count : 1;
	struct text t = {0};
	char *label;

	if (part != NULL)
		text_addf(&t, "%s %s", kinds[part->kind], part->name);
	if (v->common.input_count > 1)
		text_addf(&t, "%s%s", t.count > 0 ? " in " : "",
			  v->common.inputs[profile / processes]);
	if (processes > 1)
		text_addf(&t, "%sprocess %" PRId64, t.count > 0 ? ", " : "",
			  v->processes[profile % processes]);
	label = t.count > 0 ? strdup(text_get(&t)) : NULL;
	text_release(&t);
	return label;
}

static int add_curve(struct curves *c, const struct curve_options *o, size_t profile,
		     const struct part *part, struct err *err)
{
	unsigned per_octave = o->per_octave > 0			   ? (unsigned)o->per_octave
			      : o->view.common.format != VIEW_TEXT ? 1
			      : part != NULL			   ? PART_POINTS
								   : PLOT_POINTS;
	const struct profile *p = &c->profiles[profile];
	struct curve *curve = &c->items[c->count];
	struct subset s;
	int status;

	if (curve_compute(p, o->policy, o->ways, o->low, o->high, per_octave, curve, err) != 0)
		return -1;
	c->count++;
	curve->label = make_label(o, profile, part);
	if (part == NULL)
		return 0;
	if (subset_find(&s, p, part->kind, part->name, err) != 0)
		return -1;
	if (s.note != NULL && profile == 0)
		text_addf(&c->notes, "%s\n", s.note);
	status = subset_solve(&s, p, curve, err);
	subset_release(&s);
	return status;
}

static int add_all(struct curves *c, const struct curve_options *o, struct err *err)
{
	for (size_t i = 0; i < c->profile_count; i++) {
		if (o->part_count == 0 && add_curve(c, o, i, NULL, err) != 0)
			return -1;
		for (size_t k = 0; k < o->part_count; k++)
			if (add_curve(c, o, i, &o->parts[k], err) != 0)
				return -1;
	}
	return 0;
}

/* A single curve of a whole process keeps the plain form of its table. */
static int print_curves(const struct curves *c, enum view_format format)
{
	bool is_plain = c->count == 1 && c->items[0].label == NULL;
	struct display d = view_display();
	struct text out = {0};
	struct err err;
	int ret = 0;

	if (format == VIEW_TEXT)
		ret = curve_plot(c->items, c->count, &d, &out, &err);
	else if (format == VIEW_JSON)
		ret = is_plain ? curve_json(&c->items[0], &out, &err)
			       : curves_json(c->items, c->count, &out, &err);
	else if (is_plain)
		curve_csv(&c->items[0], &out);
	else
		curves_csv(c->items, c->count, &out);
	return view_show(&out, ret, &err);
}

static int show(const struct curve_options *o)
{
	struct curves c = {0};
	int code = open_all(&c, &o->view);
	struct err err;

	if (code == EXIT_OK && add_all(&c, o, &err) != 0)
		code = cli_fail(&err, EXIT_USAGE);
	if (code == EXIT_OK) {
		view_notes(&c.notes);
		code = print_curves(&c, o->view.common.format);
	}
	release(&c);
	return code;
}

int cmd_curve(int argc, char **argv)
{
	static const struct argp_child children[] = {{&line_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		option_list,
		parse,
		NULL,
		"Show the miss ratio of a cache by its size, with its 95 % "
		"interval: a plot, or a table for other programs. Functions, source lines and data "
		"structures have curves of their own. Several of these, several files (-i) "
		"and processes come into one plot.",
		children,
		NULL,
		NULL};
	struct curve_options o;

	options_parse(&argp, argc, argv, 0, &o);
	return show(&o);
}
