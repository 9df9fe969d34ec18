/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell simulate: every access of a run or of a trace, simulated exactly. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/size.h"
#include "cli/cli.h"
#include "cli/geometry_options.h"
#include "cli/options.h"
#include "cli/simulate_print.h"
#include "cli/simulate_run.h"
#include "cli/simulate_trace.h"
#include "cli/target_end.h"
#include "cli/view.h"
#include "report/allocators.h"

#define DEFAULT_LOW  (8u << 10)
#define DEFAULT_HIGH (64u << 20)
#define MAX_SIZES    1024
#define DEFAULT_TOP  20

enum { KEY_FORMAT = 0x100, KEY_CURVE, KEY_SEED, KEY_PROCESS, KEY_TRACE, KEY_TRACE_FORMAT };

struct simulate_options {
	struct exact_options exact;
	uint64_t sizes[MAX_SIZES]; /* bytes */
	uint64_t low, high;	   /* bytes */
	uint64_t per_octave;
	uint64_t at;  /* bytes; 0: not said */
	uint64_t top; /* rows; 0: all */
	enum exact_rows_by by;
	bool has_by, has_curve, has_format;
	enum view_format format;
	const char *output; /* NULL: stderr, or for a trace stdout */
	struct geometry_options geometry;
	struct simulate_run live;
	const char *first;    /* option that only --curve and --trace have, or NULL */
	const char *of_curve; /* that only --curve has */
	const char *trace;    /* NULL: run a command */
	enum trace_format trace_format;
};

static const struct argp_option options[] = {
	{"curve", KEY_CURVE, NULL, 0, "Exact miss ratios of fully associative caches by their size",
	 1},
	{"trace", KEY_TRACE, "FILE", 0,
	 "Simulate the accesses in FILE, - for standard input, instead of those of a command", 1},
	{"trace-format", KEY_TRACE_FORMAT, "NAME", 0,
	 "The trace is one of lackey or dinero (default: by its first access)", 1},
	{"output", 'o', "FILE", 0,
	 "Write the profile to FILE instead of " DEFAULT_PROFILE
	 "; of --curve and --trace the result, instead of to stderr",
	 2},
	{"format", KEY_FORMAT, "FORMAT", 0,
	 "Print as text, csv or json (by the name of FILE, else text)", 2},
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

static int choose(const char *what, const char *const *names, size_t count, const char *arg,
		  size_t *chosen, struct err *err)
{
	for (*chosen = 0; *chosen < count; ++*chosen)
		if (strcmp(names[*chosen], arg) == 0)
			return 0;
	err_set(err, "%s '%s' is unknown: it is ", what, arg);
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(err->text);

		snprintf(err->text + length, sizeof(err->text) - length, "%s%s",
			 i == 0		  ? ""
			 : i + 1 == count ? " or "
					  : ", ",
			 names[i]);
	}
	return -1;
}

static int parse_sizes(struct simulate_options *o, const char *arg, struct err *err)
{
	return size_parse_range(arg, &o->low, &o->high, err);
}

static int parse_points(struct simulate_options *o, const char *arg, struct err *err)
{
	return number_parse("points-per-octave", arg, 1, 100, &o->per_octave, err);
}

static int parse_policy(struct simulate_options *o, const char *arg, struct err *err)
{
	static const char *const names[] = {"random", "lru", "both"};
	size_t i;

	if (choose("policy", names, 3, arg, &i, err) != 0)
		return -1;
	o->exact.policies[SIM_RANDOM] = i != 1;
	o->exact.policies[SIM_LRU] = i != 0;
	return 0;
}

static int add_line(struct simulate_options *o, const char *word, struct err *err)
{
	uint64_t bytes;

	if (size_parse(word, &bytes, err) != 0)
		return -1;
	if (bytes < 4 || bytes > 4096 || (bytes & (bytes - 1)) != 0)
		return err_set(err, "a line of %s bytes: it is a power of two from 4 to 4096",
			       word);
	for (unsigned i = 0; i < o->exact.line_count; i++)
		if (o->exact.line_bytes[i] == bytes)
			return err_set(err, "lines of %s bytes are in the list twice", word);
	o->exact.line_bytes[o->exact.line_count++] = (uint32_t)bytes;
	return 0;
}

static int parse_lines(struct simulate_options *o, const char *arg, struct err *err)
{
	char *list = strdup(arg), *rest = list, *word;
	int status = list != NULL ? 0 : err_set(err, "out of memory");

	o->exact.line_count = 0;
	while (status == 0 && (word = strsep(&rest, ",")) != NULL)
		status = add_line(o, word, err);
	free(list);
	return status;
}

static int parse_seed(struct simulate_options *o, const char *arg, struct err *err)
{
	return number_parse("the seed", arg, 0, INT64_MAX, &o->exact.seed, err);
}

static int parse_process(struct simulate_options *o, const char *arg, struct err *err)
{
	uint64_t id;

	if (number_parse("process", arg, 0, INT32_MAX, &id, err) != 0)
		return -1;
	o->exact.process = (int64_t)id;
	return 0;
}

static int parse_by(struct simulate_options *o, const char *arg, struct err *err)
{
	static const char *const names[] = {[EXACT_LINES] = "line",
					    [EXACT_FUNCTIONS] = "function",
					    [EXACT_DATA] = "data",
					    [EXACT_OBJECTS] = "object"};
	size_t i;

	if (choose("--by", names, sizeof(names) / sizeof(names[0]), arg, &i, err) != 0)
		return -1;
	o->by = (enum exact_rows_by)i;
	o->has_by = true;
	o->exact.by = o->by == EXACT_DATA      ? EXACT_BY_DATA
		      : o->by == EXACT_OBJECTS ? EXACT_BY_OBJECT
					       : EXACT_BY_CODE;
	return 0;
}

static int parse_at(struct simulate_options *o, const char *arg, struct err *err)
{
	return size_parse(arg, &o->at, err);
}

static int parse_top(struct simulate_options *o, const char *arg, struct err *err)
{
	return number_parse("top", arg, 0, UINT32_MAX, &o->top, err);
}

static int parse_format(struct simulate_options *o, const char *arg, struct err *err)
{
	static const char *const names[] = {
		[VIEW_TEXT] = "text", [VIEW_CSV] = "csv", [VIEW_JSON] = "json"};
	size_t i;

	if (choose("format", names, 3, arg, &i, err) != 0)
		return -1;
	o->format = (enum view_format)i;
	o->has_format = true;
	return 0;
}

static int parse_trace_format(struct simulate_options *o, const char *arg, struct err *err)
{
	size_t i;

	if (choose("trace format", trace_format_names + 1, TRACE_FORMATS - 1, arg, &i, err) != 0)
		return -1;
	o->trace_format = (enum trace_format)(i + 1);
	return 0;
}

static const struct {
	int key;
	int (*parse)(struct simulate_options *o, const char *arg, struct err *err);
} values[] = {
	{'s', parse_sizes},
	{'n', parse_points},
	{'p', parse_policy},
	{'l', parse_lines},
	{KEY_SEED, parse_seed},
	{KEY_PROCESS, parse_process},
	{'b', parse_by},
	{'a', parse_at},
	{'t', parse_top},
	{KEY_FORMAT, parse_format},
	{KEY_TRACE_FORMAT, parse_trace_format},
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
	struct simulate_options *o = state->input;
	struct err err;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (values[i].key != key)
			continue;
		if (values[i].parse(o, arg, &err) != 0)
			argp_failure(state, EXIT_USAGE, 0, "%s", err.text);
		if (o->first == NULL)
			o->first = name_of(key);
		if (key != KEY_FORMAT && key != KEY_TRACE_FORMAT)
			o->of_curve = name_of(key);
		return 0;
	}
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->geometry;
		state->child_inputs[1] = &o->live;
		return 0;
	case KEY_TRACE:
		o->trace = arg;
		return 0;
	case KEY_CURVE:
		o->has_curve = true;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case ARGP_KEY_ARGS:
		o->exact.run.command = state->argv + state->next;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		if (o->trace != NULL)
			return 0;
		argp_failure(state, EXIT_USAGE, 0,
			     "no command to simulate: give it after the options");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{&geometry_argp, 0, NULL, 0}, {&simulate_run_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
	options,
	parse,
	"[--] COMMAND [ARGUMENT...]\n--trace FILE",
	"Run a command, or read a trace, and simulate each of its memory accesses.\v"
	"The command's output, exit status and signals are its own. Its caches are simulated while "
	"it "
	"runs, and what happens there goes to a profile, by instruction: see it with dwell report. "
	"With --curve the result comes to stderr when the command has ended.",
	children,
	NULL,
	NULL,
};

/* ---- Sizes ---- */

static uint64_t largest_line(const struct simulate_options *o)
{
	uint64_t largest = 0;

	for (unsigned i = 0; i < o->exact.line_count; i++)
		if (o->exact.line_bytes[i] > largest)
			largest = o->exact.line_bytes[i];
	return largest;
}

static int add_size(struct simulate_options *o, uint64_t bytes, struct err *err)
{
	unsigned n = o->exact.size_count;

	if (n > 0 && o->sizes[n - 1] >= bytes)
		return 0;
	if (n == MAX_SIZES)
		return err_set(err, "more than %d sizes: ask for fewer in an octave", MAX_SIZES);
	if (n == SIM_RANDOM_MAX_SIZES && o->exact.policies[SIM_RANDOM])
		return err_set(err,
			       "more than %d sizes with random replacement: ask for fewer in an "
			       "octave, or for --policy lru",
			       SIM_RANDOM_MAX_SIZES);
	o->sizes[o->exact.size_count++] = bytes;
	return 0;
}

/* From low to high, both included, in whole lines of all sizes; or the one of --at. */
static int list_sizes(struct simulate_options *o, struct err *err)
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

static int check(struct simulate_options *o, struct err *err)
{
	if (!o->has_curve)
		return err_set(err, "--by is for --curve: add that");
	if (o->live.first != NULL)
		return err_set(err, "--%s is for runs without --curve", o->live.first);
	if (geometry_options_given(&o->geometry))
		return err_set(err, "a curve is of fully associative caches of data: leave out "
				    "--cache and what else describes caches, or --curve");
	if (o->has_by && o->at == 0)
		return err_set(err, "--by needs the size of the cache: add --at SIZE");
	if (!o->has_by && o->at > 0)
		return err_set(err, "--at is for --by: a curve has --sizes LOW:HIGH");
	if (o->has_by && o->exact.line_count > 1)
		return err_set(err, "--by takes one size of line: --lines has %u",
			       o->exact.line_count);
	return list_sizes(o, err);
}

static bool ends_in(const char *name, const char *ending)
{
	size_t length = strlen(name), n = strlen(ending);

	return length > n && strcmp(name + length - n, ending) == 0;
}

static void guess_format(struct simulate_options *o)
{
	if (o->has_format || o->output == NULL)
		return;
	if (ends_in(o->output, ".csv"))
		o->format = VIEW_CSV;
	else if (ends_in(o->output, ".json"))
		o->format = VIEW_JSON;
}

/* ---- Output ---- */

/* Before the run, which is long: can the file be written? What is in it stays until the end. */
static int try_output(const struct simulate_options *o, bool *is_new, struct err *err)
{
	int fd;

	*is_new = false;
	if (o->output == NULL)
		return 0;
	*is_new = access(o->output, F_OK) != 0;
	fd = open(o->output, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
	if (fd < 0 && errno != ENXIO) /* a pipe that nobody reads yet */
		return err_set(err, "cannot write %s: %s", o->output, strerror(errno));
	if (fd >= 0)
		close(fd);
	return 0;
}

static int write_output(const struct simulate_options *o, const struct text *out, struct err *err)
{
	FILE *file = o->output != NULL ? fopen(o->output, "we") : stderr;
	bool is_bad;

	if (file == NULL)
		return err_set(err, "cannot write %s: %s", o->output, strerror(errno));
	if (out->failed)
		err_set(err, "not enough memory for the output");
	is_bad = out->failed;
	if (!is_bad &&
	    (fwrite(text_get(out), 1, out->count, file) != out->count || fflush(file) != 0)) {
		err_set(err, "cannot write %s: %s", o->output != NULL ? o->output : "stderr",
			strerror(errno));
		is_bad = true;
	}
	if (file != stderr && fclose(file) != 0 && !is_bad) {
		err_set(err, "cannot write %s: %s", o->output, strerror(errno));
		is_bad = true;
	}
	return is_bad ? -1 : 0;
}

static void show_notice(void *context, const char *line)
{
	(void)context;
	fprintf(stderr, "dwell: %s\n", line);
}

static int show(struct simulate_options *o, struct exact *e, const struct exact_process *p,
		struct err *err)
{
	struct display d = view_display();
	struct text out = {0};
	int status;

	d.color = false;
	if (o->output != NULL || !isatty(STDERR_FILENO))
		d.width = 0; /* nothing is cut in a file */
	if (o->has_by)
		status = simulate_print_rows(e, p, o->by, o->top, o->format, &d, &out, err);
	else
		status = simulate_print_curves(e, p, o->format, &d, &out, err);
	if (status == 0)
		status = write_output(o, &out, err);
	text_release(&out);
	return status;
}

/* The run is over. Returns an exit code of ours, or -1 for the command's. */
static int finish(struct simulate_options *o, struct exact *e, const struct collector_result *r,
		  bool is_new)
{
	const struct exact_process *p = exact_chosen(e);
	struct err err;

	if (e->failed) {
		err_set(&err,
			"not enough memory to simulate the program: try fewer or larger lines");
		return cli_fail(&err, EXIT_CANNOT_RUN);
	}
	if (r->lost_processes > 0)
		fprintf(stderr,
			"dwell: %" PRIu64 " processes were not simulated: too many ran at once\n",
			r->lost_processes);
	if (p == NULL && o->exact.process >= 0 && !r->was_native) {
		err_set(&err,
			"the run had no process %" PRId64 ": there were %" PRIu64 ", from 0 on",
			o->exact.process, e->process_count);
		return cli_fail(&err, EXIT_USAGE);
	}
	if (p == NULL) {
		fprintf(stderr, "dwell: nothing was simulated\n");
		if (is_new)
			unlink(o->output);
		return -1;
	}
	return show(o, e, p, &err) == 0 ? -1 : cli_fail(&err, EXIT_OUTPUT);
}

static int run_trace(struct simulate_options *o)
{
	struct simulate_trace t = {.file = o->trace, .trace_format = o->trace_format};
	struct sim_geometry g;
	struct display d = view_display();
	struct text out = {0};
	struct err err;
	bool is_new;
	int code;
	const char *live = o->live.first ? o->live.first : o->live.control.first;
	const char *other = o->has_curve ? "curve" : o->of_curve ? o->of_curve : live;

	if (o->exact.run.command != NULL || other != NULL) {
		err_set(&err, "--trace simulates the accesses in a file: leave out %s%s",
			other != NULL ? "--" : "the command", other != NULL ? other : "");
		return cli_fail(&err, EXIT_USAGE);
	}
	if (geometry_options_build(&o->geometry, &g, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	guess_format(o);
	t.geometry = &g;
	t.format = o->format;
	if (try_output(o, &is_new, &err) != 0)
		return cli_fail(&err, EXIT_OUTPUT);
	if (o->output != NULL)
		d = (struct display){.unicode = d.unicode};
	code = simulate_trace_run(&t, &d, &out, &err);
	if (code == 0 && o->output == NULL)
		return view_show(&out, 0, &err);
	if (code == 0 && write_output(o, &out, &err) != 0)
		code = EXIT_OUTPUT;
	if (code != 0 && is_new)
		unlink(o->output);
	text_release(&out);
	return code == 0 ? EXIT_OK : cli_fail(&err, code);
}

/* Whole hierarchies, while the command runs. */
static int run_live(struct simulate_options *o)
{
	struct err err;

	if (o->first != NULL) {
		err_set(&err, "--%s is for --curve: add that, or leave it out", o->first);
		return cli_fail(&err, EXIT_USAGE);
	}
	o->live.run.command = o->exact.run.command;
	o->live.run.output = o->output;
	return simulate_run(&o->live, &o->geometry);
}

static int run(struct simulate_options *o)
{
	struct collector_result result;
	struct exact e = {0};
	struct err err;
	bool is_new;
	int code;

	if (o->trace != NULL)
		return run_trace(o);
	if (!o->has_curve && !o->has_by)
		return run_live(o);
	if (check(o, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	guess_format(o);
	if (try_output(o, &is_new, &err) != 0)
		return cli_fail(&err, EXIT_OUTPUT);
	if (exact_init(&e, &o->exact, &err) != 0 || exact_run(&e, &result, &err) != 0) {
		code = e.symbols != NULL ? target_failure_code(result.failure) : EXIT_CANNOT_RUN;
		exact_release(&e);
		if (is_new)
			unlink(o->output);
		return cli_fail(&err, code);
	}
	code = finish(o, &e, &result, is_new);
	exact_release(&e);
	return code >= 0 ? code : target_end_alike(result.wait_status);
}

int cmd_simulate(int argc, char **argv)
{
	static struct simulate_options o = {
		.exact = {.run = {.notice = show_notice, .warning = show_notice},
			  .line_bytes = {64},
			  .line_count = 1,
			  .policies = {true, true},
			  .seed = 1,
			  .process = -1,
			  .is_wrapper = allocator_is_wrapper},
		.low = DEFAULT_LOW,
		.high = DEFAULT_HIGH,
		.per_octave = 1,
		.top = DEFAULT_TOP,
	};

	o.exact.run.config = collector_default_config();
	options_parse(&argp, argc, argv, ARGP_IN_ORDER, &o);
	return run(&o);
}
