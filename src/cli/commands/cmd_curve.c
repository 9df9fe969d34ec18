/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell curve: the miss ratio for each cache size: of processes, and of parts of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answer/curves.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "estimate/subset.h"
#include "views/views.h"

#define PLOT_POINTS 8 /* per octave: makes the plot smooth */
#define PART_POINTS 4 /* of a part, whose points take longer to compute */

static const struct option_use uses[] = {
	{OPTION_INPUT, .shown = DEFAULT_PROFILE, .adds_up = true},
	{OPTION_FORMAT, .usual = "text"},
	{OPTION_PROCESS_ID, .shown = "the one with the most accesses", .adds_up = true},
	{OPTION_THREAD_ID, .shown = "all"},
	{OPTION_FUNCTION},
	{OPTION_OBJECT},
	{OPTION_LINE_AT},
	{OPTION_SIZES, .usual = "8K:64M"},
	{OPTION_POINTS, .shown = "1, and enough for a smooth plot"},
	{OPTION_POLICY, .usual = "random"},
	{OPTION_WAYS, .shown = "fully associative"},
	{OPTION_LINE_BYTES, .shown = "those recorded, 64"},
	{OPTION_CACHES, .shown = "those of the machine that recorded"},
	{OPTION_NO_PAGER},
	{OPTION_HELP},
	{OPTION_VERSION},
	{0},
};

static int check(const struct options *o, struct err *err)
{
	size_t files = o->input_count, processes = o->process_count;

	if ((files > 0 ? files : 1) * (processes > 0 ? processes : 1) *
		    (o->part_count > 0 ? o->part_count : 1) >
	    CURVE_MOST)
		return err_set(err, "more than %d curves: ask for fewer at a time", CURVE_MOST);
	return 0;
}

/* All curves to print, and their profiles. */
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

/* Open each file for each process. Returns an exit code. */
static int open_all(struct curves *c, const struct options *o)
{
	size_t files = o->input_count > 0 ? o->input_count : 1;
	size_t processes = o->process_count > 0 ? o->process_count : 1;

	for (size_t i = 0; i < files * processes; i++) {
		const char *input = o->input_count > 0 ? o->inputs[i / processes] : o->input;
		int64_t process = o->process_count > 0 ? o->processes[i % processes] : STORE_NONE;
		int code = view_open(o, input, process, PROFILE_CURVES | PROFILE_SAMPLES,
				     &c->profiles[i]);

		if (code != EXIT_OK)
			return code;
		c->profile_count++;
	}
	return EXIT_OK;
}

/*
 * Make a label such as "object matrix in a.db, process 3", only as long as needed to tell the
 * curves apart.
 */
static char *make_label(const struct options *o, size_t profile, const struct option_part *part)
{
	static const char *const kinds[] = {[SUBSET_FUNCTION] = "function",
					    [SUBSET_OBJECT] = "object",
					    [SUBSET_LINE] = "line",
					    [SUBSET_THREAD] = "thread"};
	size_t processes = o->process_count > 0 ? o->process_count : 1;
	struct text t = {0};
	char *label;

	if (part != NULL)
		text_addf(&t, "%s %s", kinds[part->kind], part->name);
	if (o->input_count > 1)
		text_addf(&t, "%s%s", t.count > 0 ? " in " : "", o->inputs[profile / processes]);
	if (processes > 1)
		text_addf(&t, "%sprocess %" PRId64, t.count > 0 ? ", " : "",
			  o->processes[profile % processes]);
	label = t.count > 0 ? strdup(text_get(&t)) : NULL;
	text_release(&t);
	return label;
}

static int add_curve(struct curves *c, const struct options *o, size_t profile,
		     const struct option_part *part, struct err *err)
{
	unsigned per_octave = o->per_octave > 0	       ? (unsigned)o->per_octave
			      : o->format != VIEW_TEXT ? 1
			      : part != NULL	       ? PART_POINTS
						       : PLOT_POINTS;
	const struct profile *p = &c->profiles[profile];
	struct curve *curve = &c->items[c->count];
	struct subset s;
	int status;

	if (curve_compute(p, &o->query, o->low, o->high, per_octave, curve, err) != 0)
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

/* With several exact curves of a process, label each with its policy and line size. */
static int label_exact(struct curve *curve, const struct options *o, size_t profile, bool is_one)
{
	char *label = make_label(o, profile, NULL);
	struct text t = {0};

	if (is_one) {
		curve->label = label;
		return 0;
	}
	if (curve->one_in > 1)
		text_addf(&t, "1/%" PRIu64 " of lines", curve->one_in);
	else
		text_add(&t, "exact");
	text_addf(&t, ", %s, %" PRIu32 "-byte lines%s%s",
		  curve->policy == MODEL_LRU ? "LRU" : "random", curve->line_bytes,
		  label != NULL ? ", " : "", label != NULL ? label : "");
	free(label);
	curve->label = strdup(text_get(&t));
	text_release(&t);
	return curve->label != NULL ? 0 : -1;
}

static int add_exact(struct curves *c, const struct options *o, size_t profile, struct err *err)
{
	const bool has_sizes = options_set(o, OPTION_SIZES);
	const struct curve_choice choice = {
		.has_policy = options_set(o, OPTION_POLICY),
		.policy = profile_policy(&o->query),
		.line_bytes = (uint32_t)o->query.line_bytes,
		.low = has_sizes ? o->low : 0,
		.high = has_sizes ? o->high : UINT64_MAX,
	};
	struct curve *first = &c->items[c->count];
	size_t count;
	int status;

	if (o->part_count > 0 || o->query.ways > 0)
		return err_set(
			err,
			"exact curves are of whole processes and fully associative "
			"caches: leave out --thread, --function, --object, --line-at and --ways");
	status = curve_exact(&c->profiles[profile], &choice, first, CURVE_MOST - c->count, &count,
			     err);
	c->count += count;
	for (size_t i = 0; status == 0 && i < count; i++)
		if (label_exact(&first[i], o, profile, count == 1 && c->profile_count == 1) != 0)
			status = err_set(err, "not enough memory for a curve");
	return status;
}

/* Check that all curves have the same range: a plot has one axis for all. */
static int check_ranges(const struct curves *c, const struct options *o, struct err *err)
{
	const struct curve *a = &c->items[0];

	for (size_t i = 1; i < c->count && o->format == VIEW_TEXT; i++) {
		const struct curve *b = &c->items[i];

		if (a->points[0].size_bytes != b->points[0].size_bytes ||
		    a->points[a->count - 1].size_bytes != b->points[b->count - 1].size_bytes)
			return err_set(err, "the curves have other sizes each: give those that all "
					    "have with --sizes, or --format csv");
	}
	return 0;
}

static int add_all(struct curves *c, const struct options *o, struct err *err)
{
	for (size_t i = 0; i < c->profile_count; i++) {
		if (c->profiles[i].is_exact) {
			if (add_exact(c, o, i, err) != 0)
				return -1;
			continue;
		}
		if (c->count == CURVE_MOST)
			return err_set(err, "more than %d curves: ask for fewer at a time",
				       CURVE_MOST);
		if (o->part_count == 0 && add_curve(c, o, i, NULL, err) != 0)
			return -1;
		for (size_t k = 0; k < o->part_count; k++)
			if (add_curve(c, o, i, &o->parts_of[k], err) != 0)
				return -1;
	}
	return check_ranges(c, o, err);
}

static int print_curves(const struct curves *c, const struct options *o)
{
	const struct display d = view_display();
	struct answer a = {0};
	struct text out = {0};
	struct err err;
	int ret;

	if (o->format == VIEW_TEXT) {
		ret = curve_plot(c->items, c->count, &d, &out, &err);
	} else {
		ret = curves_shown(&a, c->items, c->count, &err);
		if (ret == 0)
			ret = view_write(o, &a, &out, &err);
	}
	answer_release(&a);
	return view_show(&out, ret, &err);
}

static int curve(struct options *o)
{
	struct curves c = {0};
	struct err err;
	int code;

	if (check(o, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	code = open_all(&c, o);
	if (code == EXIT_OK && add_all(&c, o, &err) != 0)
		code = cli_fail(&err, EXIT_USAGE);
	if (code == EXIT_OK) {
		view_notes(&c.notes);
		code = print_curves(&c, o);
	}
	release(&c);
	return code;
}

const struct command command_curve = {
	.run = curve,
	.words = WORDS_PROFILES,
	.summary = "show the miss ratio for each cache size",
	.options =
		{
			.name = "curve",
			.arguments = "[FILE...]",
			.doc = "Show the miss ratio of a cache by its size, with its 95 % "
			       "interval: a plot, or a table for other programs. Functions, source "
			       "lines and data structures have curves of their own, and each "
			       "option that names one may be given again. Several of these, "
			       "several files and several processes come into one plot.",
			.uses = uses,
		},
};
