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
#include "cli/options.h"
#include "cli/simulate_print.h"
#include "cli/target_end.h"
#include "cli/view.h"
#include "estimate/allocators.h"

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

/* From low to high, both included, in whole lines of all sizes; or the one of --size. */
static int list_sizes(struct simulate_curve *o, const struct options *q, struct err *err)
{
	uint64_t at = q->query.size_bytes, line = largest_line(o), low = at > 0 ? at : q->low;
	uint64_t high = (at > 0 ? at : q->high) / line * line;
	char a[SIZE_TEXT_BYTES];

	o->exact.size_bytes = o->sizes;
	if (low < line)
		return err_set(err, "a cache of %s could not hold a line of %" PRIu64 " bytes",
			       size_format(low, a), line);
	if (high > (uint64_t)1 << 44)
		return err_set(err, "a cache of %s is too large to simulate: up to 16T",
			       size_format(high, a));
	for (unsigned k = 0;; k++) {
		double exact = (double)low * exp2((double)k / (double)q->per_octave);
		uint64_t bytes = (uint64_t)(exact / (double)line + 0.5) * line;

		if (bytes >= high)
			return add_size(o, high, err);
		if (add_size(o, bytes, err) != 0)
			return -1;
	}
}

static int check(struct simulate_curve *o, const struct options *q, struct err *err)
{
	if (o->has_by && q->query.size_bytes == 0)
		return err_set(err, "--by needs the size of the cache: add --size BYTES");
	if (!o->has_by && q->query.size_bytes > 0)
		return err_set(err, "--size is for --by: a curve has --sizes LOW:HIGH");
	if (o->has_by && o->exact.line_count > 1)
		return err_set(err, "--by takes one size of line: --lines has %u",
			       o->exact.line_count);
	return list_sizes(o, q, err);
}

/* What the options of all commands say of a curve. */
static void take(struct simulate_curve *o, const struct options *q)
{
	enum { RANDOM, LRU }; /* of --policy; behind these both */
	static const enum exact_rows_by kinds[] = {EXACT_LINES, EXACT_FUNCTIONS, EXACT_DATA,
						   EXACT_OBJECTS};

	o->exact.policies[SIM_RANDOM] = (int)q->query.policy != LRU;
	o->exact.policies[SIM_LRU] = (int)q->query.policy != RANDOM;
	o->exact.seed = q->seed;
	o->exact.process = q->query.process;
	o->has_by = options_given(q, OPTION_BY);
	o->by = kinds[q->by];
	o->exact.by = !o->has_by	       ? o->exact.by
		      : o->by == EXACT_DATA    ? EXACT_BY_DATA
		      : o->by == EXACT_OBJECTS ? EXACT_BY_OBJECT
					       : EXACT_BY_CODE;
}

/* ---- The run ---- */

static void show_notice(void *context, const char *line)
{
	(void)context;
	fprintf(stderr, "dwell: %s\n", line);
}

static int show(struct simulate_curve *o, uint64_t rows, const struct simulate_output *to,
		struct exact *e, const struct exact_process *p, struct err *err)
{
	struct display d = view_display();
	struct text out = {0};
	int status;

	d.color = false;
	if (to->file != NULL || !isatty(STDERR_FILENO))
		d.width = 0; /* nothing is cut in a file */
	if (o->has_by)
		status = simulate_print_rows(e, p, o->by, rows, to->format, &d, &out, err);
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
static int finish(struct simulate_curve *o, uint64_t rows, const struct simulate_output *to,
		  struct exact *e, const struct collector_result *r)
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
	return show(o, rows, to, e, p, &err) == 0 ? -1 : cli_fail(&err, EXIT_OUTPUT);
}

int simulate_curve_run(struct options *q, struct simulate_output *out)
{
	struct simulate_curve *o = &q->exact;
	struct collector_result result;
	struct exact e = {0};
	struct err err;
	int code;

	take(o, q);
	o->exact.run.command = q->state.words;
	o->exact.run.notice = o->exact.run.warning = show_notice;
	o->exact.run.config = collector_default_config();
	o->exact.is_wrapper = allocator_is_wrapper;
	if (check(o, q, &err) != 0)
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
	code = finish(o, q->query.limit, out, &e, &result);
	exact_release(&e);
	return code >= 0 ? code : target_end_alike(result.wait_status);
}
