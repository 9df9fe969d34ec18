/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The common properties of several runs, and their totals. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "merge/private.h"

enum rule {
	RULE_SUM,
	RULE_MOST,
	RULE_LEAST,
	RULE_SAME, /* kept if it is the same in all, else lost */
};

static const struct number {
	const char *key;
	enum rule rule;
	const char *lost; /* the user's message when it is lost */
} numbers[] = {
	{"start_time", RULE_LEAST, NULL},
	{"wall_ns", RULE_MOST, NULL},
	{"target_cpu_ns", RULE_SUM, NULL},
	{"collector_cpu_ns", RULE_SUM, NULL},
	{"counting_ns", RULE_SUM, NULL},
	{"sampling_ns", RULE_SUM, NULL},
	{"lost_processes", RULE_SUM, NULL},
	{"native_programs", RULE_SUM, NULL},
	{"exit_status", RULE_SAME, NULL},
	{"exit_signal", RULE_SAME, NULL},
	{"tsc_hz", RULE_MOST, NULL},
	{"seed", RULE_SAME, NULL},
	{"line_bytes", RULE_SAME, NULL},
	{"exact_size_bytes", RULE_SAME, NULL},
	{"nested_one_in", RULE_SAME, NULL},
	{"duty_ppm", RULE_SAME, NULL},
	{"sample_period", RULE_SAME, NULL},
	{"sample_ppm", RULE_SAME, NULL},
	{"delay_ns", RULE_SAME, NULL},
	{"duration_ns", RULE_SAME, NULL},
	{"wait_for_mark", RULE_SAME, NULL},
	{"doubling_windows", RULE_SAME, NULL},
	{"overhead_ppm", RULE_SAME, NULL},
	{"lines_one_in", RULE_SAME, NULL},
	{"l1d_bytes", RULE_SAME, "the size of the L1 data cache"},
	{"l2_bytes", RULE_SAME, "the size of the L2 cache"},
	{"l3_bytes", RULE_SAME, "the size of the L3 cache"},
};

static const char *const text_keys[] = {"host",		 "cpu",	    "mode",
					"start_at",	 "stop_at", "toggle_collect",
					"imported_from", "exact_by"};

#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))
#define TEXTS	(sizeof(text_keys) / sizeof(text_keys[0]))

struct gathering {
	int64_t values[NUMBERS];
	bool has[NUMBERS];     /* some input has it */
	bool differs[NUMBERS]; /* inputs differ in it */
	struct text texts[TEXTS];
	bool text_differs[TEXTS];
	struct text commands, last_command, sources;
	size_t seen;
	bool is_running;
};

static void take_number(struct gathering *g, struct store *s, size_t i)
{
	int64_t n = store_meta_int(s, numbers[i].key, INT64_MIN);
	bool is_there = n != INT64_MIN;

	if (g->seen > 0 && (is_there != g->has[i] || (is_there && n != g->values[i])))
		g->differs[i] = true;
	if (!is_there)
		return;
	if (!g->has[i])
		g->values[i] = n;
	else if (numbers[i].rule == RULE_SUM)
		g->values[i] += n;
	else if ((numbers[i].rule == RULE_MOST && n > g->values[i]) ||
		 (numbers[i].rule == RULE_LEAST && n < g->values[i]))
		g->values[i] = n;
	g->has[i] = true;
}

static void take_text(struct gathering *g, struct store *s, size_t i)
{
	const char *text = store_meta_text(s, text_keys[i]);

	if (g->seen == 0)
		text_add(&g->texts[i], text != NULL ? text : "");
	else if (strcmp(text_get(&g->texts[i]), text != NULL ? text : "") != 0)
		g->text_differs[i] = true;
}

/* Runs of one program have one command; different commands are listed. */
static void take_command(struct gathering *g, struct store *s)
{
	const char *command = store_meta_text(s, "command");

	if (command == NULL || strcmp(command, text_get(&g->last_command)) == 0)
		return;
	text_addf(&g->commands, "%s%s", g->commands.count > 0 ? "; " : "", command);
	text_release(&g->last_command);
	text_add(&g->last_command, command);
}

static int take(struct gathering *g, const char *input, struct err *err)
{
	const char *state;
	struct store *s;

	if (store_open_readonly(input, &s, err) != 0)
		return -1;
	for (size_t i = 0; i < NUMBERS; i++)
		take_number(g, s, i);
	for (size_t i = 0; i < TEXTS; i++)
		take_text(g, s, i);
	take_command(g, s);
	text_addf(&g->sources, "%s%s", g->seen > 0 ? ", " : "", input);
	state = store_meta_text(s, "state");
	g->is_running = g->is_running || (state != NULL && strcmp(state, "complete") != 0);
	g->seen++;
	store_close(s);
	return 0;
}

static int put(const struct gathering *g, struct store *out, struct text *notes, struct err *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < NUMBERS; i++) {
		if (!g->has[i])
			continue;
		if (numbers[i].rule != RULE_SAME || !g->differs[i])
			status = store_put_meta_int(out, numbers[i].key, g->values[i], err);
		else if (numbers[i].lost != NULL)
			text_addf(notes, "the profiles differ in %s: views take it as not known\n",
				  numbers[i].lost);
	}
	for (size_t i = 0; status == 0 && i < TEXTS; i++)
		if (g->texts[i].count > 0 && !g->text_differs[i])
			status =
				store_put_meta_text(out, text_keys[i], text_get(&g->texts[i]), err);
	if (status == 0)
		status = store_put_meta_text(out, "command", text_get(&g->commands), err);
	if (status == 0)
		status = store_put_meta_text(out, "merged_from", text_get(&g->sources), err);
	if (g->is_running)
		text_add(notes, "one of the profiles is of a run that goes on, or was cut short: "
				"what came later is not in it\n");
	return status;
}

int merge_meta(const char *const *inputs, size_t count, struct store *out, struct text *notes,
	       struct err *err)
{
	struct gathering g = {0};
	int status = 0;

	for (size_t i = 0; status == 0 && i < count; i++)
		status = take(&g, inputs[i], err);
	if (status == 0)
		status = put(&g, out, notes, err);
	for (size_t i = 0; i < TEXTS; i++)
		text_release(&g.texts[i]);
	text_release(&g.commands);
	text_release(&g.last_command);
	text_release(&g.sources);
	return status;
}
