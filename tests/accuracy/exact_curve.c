/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exact_curve: the exact miss-ratio curve of a command, to hold sampled ones against.
 *
 *	exact_curve [OPTION...] -- COMMAND [ARGUMENT...]
 *
 * Runs the command with every access streamed into an exact simulation (see
 * random_cache.h) and prints CSV: size_bytes,miss_ratio,line_miss_ratio. The
 * first ratio is per access, the second per line touched. Each process of the
 * command has caches of its own; the ratios are of their sums. The threads of a
 * process share them, in the order in which their records arrive.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/map.h"
#include "base/size.h"
#include "collector/collector.h"
#include "collector/record_check.h"
#include "random_cache.h"

struct tool {
	struct collector_options run;
	const char *output;
	uint64_t low, high; /* sizes, bytes; all powers of two between are simulated */
	uint64_t line_bytes;
	uint64_t seed;
	uint64_t limit; /* accesses looked at, per process; 0: all */
	int64_t only;	/* the process (by order) to look at, or -1 */
	int counts_only;
	uint64_t sizes[RANDOM_CACHE_MAX_SIZES];
	size_t size_count;

	struct map by_order; /* order -> struct random_caches */
	uint64_t kinds[4];   /* accesses by enum access_kind */
	uint64_t straddling; /* accesses that touch more than one line */
	int failed;
};

enum { KEY_ENGINE = 0x100, KEY_COUNTS, KEY_LIMIT, KEY_PROCESS };

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0, "Write there instead of to stdout", 0},
	{"sizes", 's', "LOW:HIGH", 0, "Cache sizes, powers of two (8K:64M)", 0},
	{"line", 'l', "BYTES", 0, "Line size (64)", 0},
	{"seed", 'r', "N", 0, "Seed of the replacements (1)", 0},
	{"limit", KEY_LIMIT, "N", 0, "Look at the first N accesses of each process only", 0},
	{"process", KEY_PROCESS, "ORDER", 0, "Look at this process of the run only", 0},
	{"counts", KEY_COUNTS, NULL, 0, "Print the number of accesses of each kind only", 0},
	{"engine", KEY_ENGINE, "FILE", 0, "The engine to use", 0},
	{0},
};

static int parse_value(struct tool *t, int key, const char *arg, struct err *err)
{
	uint64_t n = 0;

	switch (key) {
	case 's':
		return size_parse_range(arg, &t->low, &t->high, err);
	case 'l':
		return size_parse(arg, &t->line_bytes, err);
	case 'r':
		return number_parse("the seed", arg, 0, INT64_MAX, &t->seed, err);
	case KEY_LIMIT:
		return number_parse("the limit", arg, 1, UINT64_MAX, &t->limit, err);
	case KEY_PROCESS:
		if (number_parse("the process", arg, 0, UINT32_MAX - 1, &n, err) != 0)
			return -1;
		t->only = (int64_t)n;
		return 0;
	default:
		return 1;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tool *t = state->input;
	struct err err;

	switch (key) {
	case 'o':
		t->output = arg;
		return 0;
	case KEY_ENGINE:
		t->run.engine = arg;
		return 0;
	case KEY_COUNTS:
		t->counts_only = 1;
		return 0;
	case ARGP_KEY_ARGS:
		t->run.command = state->argv + state->next;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_failure(state, 2, 0, "no command");
		return 0;
	default:
		break;
	}
	switch (parse_value(t, key, arg, &err)) {
	case 0:
		return 0;
	case -1:
		argp_failure(state, 2, 0, "%s", err.text);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static struct random_caches *caches_of(struct tool *t, uint32_t order)
{
	struct random_caches *c;
	uint64_t known;

	if (map_get(&t->by_order, order, &known))
		return (struct random_caches *)(uintptr_t)known;
	c = random_caches_new(t->sizes, t->size_count, (uint32_t)t->line_bytes, t->seed);
	if (c == NULL || map_set(&t->by_order, order, (uintptr_t)c) != 0) {
		random_caches_free(c);
		return NULL;
	}
	return c;
}

static void count_entry(struct tool *t, uint64_t e)
{
	uint64_t first = STREAM_ADDRESS(e), bytes = STREAM_SIZE(e);

	t->kinds[STREAM_KIND(e)]++;
	if (first / t->line_bytes != (first + (bytes > 0 ? bytes - 1 : 0)) / t->line_bytes)
		t->straddling++;
}

static void on_record(void *context, uint32_t order, const struct record_header *h)
{
	struct tool *t = context;
	const struct record_stream *s = (const void *)h;
	const uint64_t *entries;
	struct random_caches *c;
	uint32_t i;

	if (h->type != RECORD_STREAM || t->failed || (t->only >= 0 && order != (uint32_t)t->only))
		return;
	entries = record_stream_entries(s);
	for (i = 0; i < s->count; i++)
		count_entry(t, entries[i]);
	if (t->counts_only)
		return;
	c = caches_of(t, order);
	for (i = 0; c != NULL && i < s->count; i++) {
		if (t->limit != 0 && random_caches_counts(c)->accesses >= t->limit)
			return;
		if (random_caches_access(c, STREAM_ADDRESS(entries[i]), STREAM_SIZE(entries[i])))
			c = NULL;
	}
	if (c == NULL)
		t->failed = 1;
}

static void print_counts(const struct tool *t, FILE *out)
{
	fprintf(out, "name,value\n");
	fprintf(out, "accesses,%" PRIu64 "\n",
		t->kinds[ACCESS_LOAD] + t->kinds[ACCESS_STORE] + t->kinds[ACCESS_MODIFY]);
	fprintf(out, "loads,%" PRIu64 "\n", t->kinds[ACCESS_LOAD]);
	fprintf(out, "stores,%" PRIu64 "\n", t->kinds[ACCESS_STORE]);
	fprintf(out, "modifies,%" PRIu64 "\n", t->kinds[ACCESS_MODIFY]);
	fprintf(out, "invalid,%" PRIu64 "\n", t->kinds[0]);
	fprintf(out, "straddling,%" PRIu64 "\n", t->straddling);
}

static double ratio(uint64_t part, uint64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

static void print_curve(const struct tool *t, FILE *out)
{
	struct random_cache_counts sum = {0};
	size_t i, k;

	for (i = 0; i < t->by_order.room; i++) {
		const struct random_cache_counts *n;

		if (t->by_order.entries[i].value == 0)
			continue;
		n = random_caches_counts(
			(struct random_caches *)(uintptr_t)(t->by_order.entries[i].value - 1));
		sum.accesses += n->accesses;
		sum.references += n->references;
		for (k = 0; k < t->size_count; k++) {
			sum.misses[k] += n->misses[k];
			sum.line_misses[k] += n->line_misses[k];
		}
	}
	fprintf(out, "size_bytes,miss_ratio,line_miss_ratio\n");
	for (k = 0; k < t->size_count; k++)
		fprintf(out, "%" PRIu64 ",%.9f,%.9f\n", t->sizes[k],
			ratio(sum.misses[k], sum.accesses),
			ratio(sum.line_misses[k], sum.references));
}

static int print(const struct tool *t)
{
	FILE *out = t->output != NULL ? fopen(t->output, "we") : stdout;

	if (out == NULL) {
		perror(t->output);
		return -1;
	}
	if (t->counts_only)
		print_counts(t, out);
	else
		print_curve(t, out);
	if (fflush(out) != 0 || ferror(out)) {
		perror("exact_curve");
		return -1;
	}
	return 0;
}

static void notice(void *context, const char *line)
{
	(void)context;
	fprintf(stderr, "exact_curve: %s\n", line);
}

int main(int argc, char **argv)
{
	static const struct argp argp = {options,
					 parse,
					 "[--] COMMAND [ARGUMENT...]",
					 "Print the exact miss-ratio curve of a command.",
					 NULL,
					 NULL,
					 NULL};
	struct tool t = {
		.low = 8192,
		.high = (uint64_t)64 << 20,
		.line_bytes = 64,
		.seed = 1,
		.only = -1,
		.run = {.config = collector_default_config(),
			.slot_count = 32,
			.ring_bytes = (uint64_t)4 << 20},
	};
	struct collector_result result;
	struct err err;
	uint64_t size;

	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &t);
	if ((t.line_bytes & (t.line_bytes - 1)) != 0 || t.low < t.line_bytes) {
		fprintf(stderr, "exact_curve: a line is a power of two, no larger than a cache\n");
		return 2;
	}
	for (size = t.low; size <= t.high && t.size_count < RANDOM_CACHE_MAX_SIZES - 1; size *= 2)
		t.sizes[t.size_count++] = size;
	t.run.config.gear = CHANNEL_GEAR_STREAM;
	t.run.context = &t;
	t.run.notice = notice;
	t.run.sink.context = &t;
	t.run.sink.on_record = on_record;
	if (collector_run(&t.run, &result, &err) != 0) {
		fprintf(stderr, "exact_curve: %s\n", err.text);
		return 4;
	}
	if (t.failed) {
		fprintf(stderr, "exact_curve: out of memory\n");
		return 4;
	}
	if (!WIFEXITED(result.wait_status) || WEXITSTATUS(result.wait_status) != 0)
		fprintf(stderr, "exact_curve: the command failed\n");
	return print(&t) == 0 ? 0 : 5;
}
