/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell simulate --curve: exact miss ratios of fully associative caches; see simulate_curve.h. */
#include "cli/commands/simulate_curve.h"

#include <inttypes.h>
#include <math.h>

#include "base/size.h"
#include "cli/cli.h"
#include "cli/commands/simulate_run.h"
#include "cli/commands/target_end.h"

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

/*
 * List the sizes from low to high, both included, in whole lines of all line sizes; or only --size.
 */
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

/* A sample of lines gives curves of LRU caches of one size of line. */
static int check_sample(const struct simulate_curve *o, const struct options *q, struct err *err)
{
	enum { RANDOM };

	if (o->exact.by != EXACT_BY_NOTHING)
		return err_set(
			err, "--by needs all lines: leave it out, or the 1/%" PRIu64 " of --lines",
			o->exact.one_in);
	if (o->exact.line_count > 1)
		return err_set(err, "a sample of lines is of one size: --lines has %u",
			       o->exact.line_count);
	if (options_set(q, OPTION_POLICY) && o->exact.policies[SIM_RANDOM])
		return err_set(err, "a sample of lines tells the misses of LRU caches alone: leave "
				    "out --policy, or say --policy lru");
	return 0;
}

static int check(struct simulate_curve *o, const struct options *q, struct err *err)
{
	const bool has_by = o->exact.by != EXACT_BY_NOTHING;

	if (o->exact.one_in > 0) {
		if (check_sample(o, q, err) != 0)
			return -1;
		o->exact.policies[SIM_RANDOM] = false;
	}
	if (has_by && q->query.size_bytes == 0)
		return err_set(err, "--by needs the size of the cache: add --size BYTES");
	if (!has_by && q->query.size_bytes > 0)
		return err_set(err, "--size is for --by: a curve has --sizes LOW:HIGH");
	if (has_by && o->exact.line_count > 1)
		return err_set(err, "--by takes one size of line: --lines has %u",
			       o->exact.line_count);
	return list_sizes(o, q, err);
}

/* Take the options that curves share with other commands. */
static void take(struct simulate_curve *o, const struct options *q)
{
	enum { RANDOM, LRU }; /* values of --policy; any other means both */
	static const enum exact_by kinds[] = {EXACT_BY_LINE, EXACT_BY_FUNCTION, EXACT_BY_DATA,
					      EXACT_BY_OBJECT};

	o->exact.policies[SIM_RANDOM] = (int)q->query.policy != LRU;
	o->exact.policies[SIM_LRU] = (int)q->query.policy != RANDOM;
	o->exact.seed = q->seed;
	o->exact.process = q->query.process;
	o->exact.by = options_given(q, OPTION_BY) ? kinds[q->by] : EXACT_BY_NOTHING;
}

int simulate_curve_run(struct options *q)
{
	struct simulate_curve *o = &q->exact;
	struct collector_result result;
	struct err err;

	take(o, q);
	if (check(o, q, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	exact_prepare(&o->exact, &q->run);
	q->run.command = q->state.words;
	q->run.output = q->output != NULL ? q->output : DEFAULT_PROFILE;
	q->run.warning = simulate_notice;
	q->run.note = q->run.notice = q->is_quiet ? NULL : simulate_notice;
	q->run.config.only_failures = q->is_quiet;
	if (collector_run(&q->run, &result, &err) != 0)
		return cli_fail(&err, target_failure_code(result.failure));
	target_end_losses(&result, "simulated", "the curve is not complete");
	if (!result.was_native && o->exact.process >= (int64_t)result.processes) {
		err_set(&err,
			"the run had no process %" PRId64 ": there were %" PRIu64 ", from 0 on",
			o->exact.process, result.processes);
		return cli_fail(&err, EXIT_USAGE);
	}
	if (!result.was_native && !result.was_cut_off)
		simulate_summary(q, result.accesses, q->run.output);
	return target_end_alike(result.wait_status);
}
