/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell simulate --curve: exact miss ratios of fully associative caches; see simulate_curve.h. */
#include "cli/simulate_curve.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/size.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/simulate_print.h"
#include "cli/target_end.h"
#include "cli/view.h"
#include "estimate/allocators.h"

enum { KEY_SEED = 0x120, KEY_PROCESS };

static const struct argp_option options[] = {
	{"sizes", 's', "LOW:HIGH", 0, "Cache sizes from LOW to HIGH (default 8K:64M)", 3},
	{"points-per-octave", 'n', "N", 0, "Sizes for each doubling (default 1)", 3},
	{"policy", 'p', "NAME", 0, "Replacement: random, lru or both (the default)", 3},
	{"lines", 'l', "LIST", 0,
	 "Sizes of a cache line, powers of two from 4 to 4096, with commas (default 64)", 3},
	{"seed", KEY_SEED, "N", 0, "Seed of random replacement (default 1)", 3},
	{"process", KEY_PROCESS, "ID", 0,
	 "Simulate process ID of the run only, from 0 (default: show the one with the most "
	 "accesses)",
	 3},
	{"by", 'b', "WHAT", 0,
	 "Sum up the misses in one cache by source line, function, data (line of memory) or object",
	 4},
	{"at", 'a', "SIZE", 0, "Size of the cache for --by", 4},
	{"top", 't', "N", 0, "With --by: rows of the text (default 20; 0: all)", 4},
	{0},
};

/* ---- Values ---- */

static int parse_sizes(struct simulate_curve *o, const char *arg, struct err *err)
{
	return size_parse_range(arg, &o->low, &o->high, err);
}

static int parse_points(struct simulate_curve *o, const char *arg, struct err *err)
{
	return number_parse("points-per-octave", arg, 1, 100, &o->per_octave, err);
}

static int parse_policy(struct simulate_curve *o, const char *arg, struct err *err)
{
	static const char *const names[] = {"random", "lru", "both"};
	size_t i;

	if (options_choose("policy", names, 3, arg, &i, err) != 0)
		return -1;
	o->exact.policies[SIM_RANDOM] = i != 1;
	o->exact.policies[SIM_LRU] = i != 0;
	return 0;
}

static int add_line(struct simulate_curve *o, const char *word, struct err *err)
{
	uint64_t bytes;

	if (size_parse(word, &bytes, err) != 0)
		return -1;
	if (bytes < 4 || bytes > 4096 || (bytes & (bytes - 1)) != 0)
		return err_set(err, "a line of '%s': it is a power of two from 4 to 4096 bytes",
			       word);
	for (unsigned i = 0; i < o->exact.line_count; i++)
		if (o->exact.line_bytes[i] == bytes)
			return err_set(err, "a line of '%s' is in the list twice", word);
	o->exact.line_bytes[o->exact.line_count++] = (uint32_t)bytes;
	return 0;
}

static int parse_lines(struct simulate_curve *o, const char *arg, struct err *err)
{
	char *list = strdup(arg), *rest = list, *word;
	int status = list != NULL ? 0 : err_set(err, "out of memory");

	o->exact.line_count = 0;
	while (status == 0 && (word = strsep(&rest, ",")) != NULL)
		status = add_line(o, word, err);
	free(list);
	return status;
}

static int parse_seed(struct simulate_curve *o, const char *arg, struct err *err)
{
	return number_parse("the seed", arg, 0, INT64_MAX, &o->exact.seed, err);
}

static int parse_process(struct simulate_curve *o, const char *arg, struct err *err)
{
	uint64_t id;

	if (number_parse("process", arg, 0, INT32_MAX, &id, err) != 0)
		return -1;
	o->exact.process = (int64_t)id;
	return 0;
}

static int parse_by(struct simulate_curve *o, const char *arg, struct err *err)
{
	static const char *const names[] = {[EXACT_LINES] = "line",
					    [EXACT_FUNCTIONS] = "function",
					    [EXACT_DATA] = "data",
					    [EXACT_OBJECTS] = "object"};
	size_t i;

	if (options_choose("--by", names, sizeof(names) / sizeof(names[0]), arg, &i, err) != 0)
		return -1;
	o->by = (enum exact_rows_by)i;
	o->has_by = true;
	o->exact.by = o->by == EXACT_DATA      ? EXACT_BY_DATA
		      : o->by == EXACT_OBJECTS ? EXACT_BY_OBJECT
					       : EXACT_BY_CODE;
	return 0;
}

static int parse_at(struct simulate_curve *o, const char *arg, struct err *err)
{
	return size_parse(arg, &o->at, err);
}

static int parse_top(struct simulate_curve *o, const char *arg, struct err *err)
{
	return number_parse("top", arg, 0, UINT32_MAX, &o->top, err);
}

static const struct {
	int key;
	int (*parse)(struct simulate_curve *o, const char *arg, struct err *err);
} values[] = {
	{'s', parse_sizes}, {'n', parse_points},    {'p', parse_policy},
	{'l', parse_lines}, {KEY_SEED, parse_seed}, {KEY_PROCESS, parse_process},
	{'b', parse_by},    {'a', parse_at},	    {'t', parse_top},
};

static const char *name_of(int key)
{
	size_t i = 0;

	while (options[i].key != key)
		i++;
	return options[i].name;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct simulate_curve *o = state->input;
	struct err err;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (values[i].key != key)
			continue;
		if (values[i].parse(o, arg, &err) != 0)
			argp_failure(state, EXIT_USAGE, 0, "%s", err.text);
		if (o->first == NULL)
			o->first = name_of(key);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp simulate_curve_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};

/* ---- Sizes ---- */

static uint64_t largest_line(const struct simulate_curve *o)
{
	uint64_t largest = 0;

	for (unsigned i = 0; i < o->exact.line_count; i++)
		if (o->exact.line_bytes[i] > largest)
			largest = o->exact.line_bytes[i];
	return largest;
}

static int add_size(struct simulate_curve *o, uint64_t bytes, struct err *err)
{
	unsigned n = o->exact.size_count;

	if (n > 0 && o->sizes[n - 1] >= bytes)
		return 0;
	if (n == SIMULATE_CURVE_MAX_SIZES)
		return err_set(err, "more than %d sizes: ask for fewer in an octave",
			       SIMULATE_CURVE_MAX_SIZES);
	if (n == SIM_RANDOM_MAX_SIZES && o->exact.policies[SIM_RANDOM])
		return err_set(err,
			       "more than %d sizes with random replacement: ask for fewer in an "
			       "octave, or for --policy lru",
			       SIM_RANDOM_MAX_SIZES);
	o->sizes[o->exact.size_count++] = bytes;
	return 0;
}

/* From low to high, both included, in whole lines of all sizes; or the one of --at. */
static int list_sizes(struct simulate_curve *o, struct err *err)
{
	uint64_t line = largest_line(o), low = o->at > 0 ? o->at : o->low;
	uint64_t high = (o->at > 0 ? o->at : o->high) / line * line;
	char a[SIZE_TEXT_BYTES];

	o->exact.size_bytes = o->sizes;
	if (low < line)
		return err_set(err, "a cache of %s could not hold a line of %" PRIu64 " bytes",
			       size_format(low, a), line);
	if (high > (uint64_t)1 << 44)
		return err_set(err, "a cache of %s is too large to simulate: up to 16T",
			       size_format(high, a));
	for (unsigned k = 0;; k++) {
		double exact = (double)low * exp2((double)k / (double)o->per_octave);
		uint64_t bytes = (uint64_t)(exact / (double)line + 0.5) * line;

		if (bytes >= high)
			return add_size(o, high, err);
		if (add_size(o, bytes, err) != 0)
			return -1;
	}
}

static int check(struct simulate_curve *o, struct err *err)
{
	if (o->has_by && o->at == 0)
		return err_set(err, "--by needs the size of the cache: add --at SIZE");
	if (!o->has_by && o->at > 0)
		return err_set(err, "--at is for --by: a curve has --sizes LOW:HIGH");
	if (o->has_by && o->exact.line_count > 1)
		return err_set(err, "--by takes one size of line: --lines has %u",
			       o->exact.line_count);
	return list_sizes(o, err);
}

/* ---- The run ---- */

static void show_notice(void *context, const char *line)
{
	(void)context;
	fprintf(stderr, "dwell: %s\n", line);
}

static int show(struct simulate_curve *o, const struct simulate_output *to, struct exact *e,
		const struct exact_process *p, struct err *err)
{
	struct display d = view_display();
	struct text out = {0};
	int status;

	d.color = false;
	if (to->file != NULL || !isatty(STDERR_FILENO))
		d.width = 0; /* nothing is cut in a file */
	if (o->has_by)
		status = simulate_print_rows(e, p, o->by, o->top, to->format, &d, &out, err);
	else
		status = simulate_print_curves(e, p, to->format, &d, &out, err);
	if (status == 0)
		status = simulate_output_write(to, &out, err);
	text_release(&out);
	for (size_t next = 0; symbols_next_loss(e->symbols, &next, &out); text_release(&out))
		show_notice(NULL, text_get(&out));
	return status;
}

/* The run is over. Returns an exit code of ours, or -1 for the command's. */
static int finish(struct simulate_curve *o, const struct simulate_output *to, struct exact *e,
		  const struct collector_result *r)
{
	const struct exact_process *p = exact_chosen(e);
	struct err err;

	if (e->failed) {
		err_set(&err,
			"not enough memory to simulate the program: try fewer or larger lines");
		return cli_fail(&err, EXIT_CANNOT_RUN);
	}
	target_end_losses(r, "simulated", "the curve is not complete");
	if (p == NULL && o->exact.process >= 0 && !r->was_native) {
		err_set(&err,
			"the run had no process %" PRId64 ": there were %" PRIu64 ", from 0 on",
			o->exact.process, e->process_count);
		return cli_fail(&err, EXIT_USAGE);
	}
	if (p == NULL) {
		fprintf(stderr, "dwell: nothing was simulated\n");
		simulate_output_forget(to);
		return -1;
	}
	return show(o, to, e, p, &err) == 0 ? -1 : cli_fail(&err, EXIT_OUTPUT);
}

int simulate_curve_run(struct simulate_curve *o, char *const *command, struct simulate_output *out)
{
	struct collector_result result;
	struct exact e = {0};
	struct err err;
	int code;

	o->exact.run.command = command;
	o->exact.run.notice = o->exact.run.warning = show_notice;
	o->exact.run.config = collector_default_config();
	o->exact.is_wrapper = allocator_is_wrapper;
	if (check(o, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	simulate_output_guess(out);
	if (simulate_output_try(out, &err) != 0)
		return cli_fail(&err, EXIT_OUTPUT);
	if (exact_init(&e, &o->exact, &err) != 0 || exact_run(&e, &result, &err) != 0) {
		code = e.symbols != NULL ? target_failure_code(result.failure) : EXIT_CANNOT_RUN;
		exact_release(&e);
		simulate_output_forget(out);
		return cli_fail(&err, code);
	}
	code = finish(o, out, &e, &result);
	exact_release(&e);
	return code >= 0 ? code : target_end_alike(result.wait_status);
}
