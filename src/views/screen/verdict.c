/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What limits the program, and what to look at next: two tables of rules; see verdict.h. */
#include "views/screen/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "answer/figures.h"
#include "base/size.h"
#include "base/text.h"
#include "query/query.h"

#define NAME_WIDTH  40	   /* width of a function or a data structure in the sentence */
#define CODE_MISSES 0.01   /* of the instructions: the code does not fit */
#define MOST_TYPED  40	   /* bytes of a name that a command may contain */
#define BREAK	    "\x1e" /* a command may be broken here */

struct sentence {
	const struct verdict *v;
	const struct display *d;
	struct text *out;
};

/* ---- Figures of the rules ---- */

/* What waits little limits nothing, even if one row has most of it. */
static bool rows_matter(const struct verdict *v)
{
	return v->caution == NULL &&
	       (v->cost.verdict == COST_REUSES || v->cost.verdict == COST_FIRST);
}

/* ---- Words ---- */

static void put_name(const struct sentence *s, const char *name)
{
	struct text safe = {0};

	fit_add(&safe, name, s->d);
	fit_name(s->out, text_get(&safe),
		 s->d->width / 2 > NAME_WIDTH ? s->d->width / 2 : NAME_WIDTH, s->d);
	text_release(&safe);
}

static void put_percent(const struct sentence *s, double share)
{
	if (share >= 0.995 && share < 1)
		text_add(s->out, "more than 99" FIT_STAY "%");
	else
		text_addf(s->out, "%.*f" FIT_STAY "%%", share < 0.1 ? 1 : 0, share * 100);
}

/* Cycles in two digits: it is an order. */
static void put_cycles(const struct sentence *s, double cycles)
{
	text_addf(s->out, "%.*f", cycles < 1 ? 2 : cycles < 10 ? 1 : 0, cycles);
}

/* Limits are not rounded down. */
static double round_up(double cycles)
{
	return ceil(cycles * 100) / 100;
}

/* ---- Whether it waits ---- */

static bool nothing_is_sure(const struct verdict *v)
{
	return v->caution != NULL;
}

static void say_caution(const struct sentence *s)
{
	text_add(s->out, s->v->caution);
}

static bool has_no_levels(const struct verdict *v)
{
	return v->cost.count == 0;
}

static void say_no_levels(const struct sentence *s)
{
	text_add(s->out, "No caches are known whose misses could cost time");
}

static bool waits(const struct verdict *v)
{
	return v->cost.verdict == COST_REUSES;
}

/* The level whose misses cost most, and who serves them; where misses end to matter. */
static void say_waits(const struct sentence *s)
{
	const struct cost *c = &s->v->cost;
	const struct cost_level *l = &c->levels[c->focus];
	const size_t fits = cost_fits(c);
	const bool is_last = c->focus + 1 == c->count;

	text_add(s->out, "Waits for memory: misses cost about ");
	put_cycles(s, c->levels[0].beyond);
	text_addf(s->out, " cycles an instruction, most of it in %s (", l->name);
	put_percent(s, l->ratio);
	text_addf(s->out, " miss), which %s serves", is_last ? "memory" : l[1].name);
	if (fits < c->count)
		text_addf(s->out, "; fits in %s", c->levels[fits].name);
}

static bool waits_for_first_touches(const struct verdict *v)
{
	return v->cost.verdict == COST_FIRST;
}

static void say_first_touches(const struct sentence *s)
{
	text_add(s->out, "Waits for memory that it touches for the first time: that costs about ");
	put_cycles(s, s->v->cost.cold_cycles);
	text_add(s->out, " cycles an instruction, and no cache avoids it: allocate less, or use "
			 "memory again");
}

static bool waits_little(const struct verdict *v)
{
	return v->cost.verdict == COST_LITTLE;
}

static void say_little(const struct sentence *s)
{
	const struct cost *c = &s->v->cost;
	const size_t fits = cost_fits(c);

	text_add(s->out, "Does not wait for memory: misses cost at most ");
	put_cycles(s, round_up(c->levels[0].most_beyond));
	text_addf(s->out, " cycles an instruction; fits in %s", c->levels[fits].name);
}

static bool always(const struct verdict *v)
{
	(void)v;
	return true;
}

/* What would tell, by what is not known: first touches, or how many misses there are. */
static void say_unknown(const struct sentence *s)
{
	const struct verdict *v = s->v;

	text_add(s->out, "Cannot tell yet whether it waits for memory: misses cost ");
	put_cycles(s, v->cost.levels[0].least_beyond);
	text_add(s->out, " to ");
	put_cycles(s, round_up(v->cost.levels[0].most_beyond));
	text_add(s->out, " cycles an instruction");
	if (v->is_exact && !v->is_cold_known)
		text_add(s->out, ", as many may be first touches: 'simulate --data' counts them");
	else if (v->is_sampled)
		text_add(s->out, ": a greater share of --sample tells");
	else if (v->is_exact)
		text_add(s->out, ", as other caches may lie between these: '--machine host' "
				 "simulates all");
	else
		text_add(s->out, ": 'record --duty 50' tells more, 'simulate' all");
}

/* ---- What costs most ---- */

static bool is_one_structure(const struct verdict *v)
{
	return rows_matter(v) && v->data != NULL && v->data_share >= VERDICT_LARGE_SHARE;
}

static bool is_one_function(const struct verdict *v)
{
	return rows_matter(v) && v->function != NULL && v->function_share >= VERDICT_LARGE_SHARE;
}

static void put_part(const struct sentence *s, const char *name, double share)
{
	put_name(s, name);
	text_add(s->out, " (");
	put_percent(s, share);
	text_add(s->out, ")");
}

static bool are_both_one(const struct verdict *v)
{
	return is_one_structure(v) && is_one_function(v);
}

static void say_both(const struct sentence *s)
{
	text_add(s->out, ". It waits in ");
	put_part(s, s->v->function, s->v->function_share);
	text_add(s->out, ", for ");
	put_part(s, s->v->data, s->v->data_share);
}

static void say_structure(const struct sentence *s)
{
	text_add(s->out, ". It waits for ");
	put_part(s, s->v->data, s->v->data_share);
}

static void say_function(const struct sentence *s)
{
	text_add(s->out, ". It waits in ");
	put_part(s, s->v->function, s->v->function_share);
}

static bool is_spread(const struct verdict *v)
{
	return rows_matter(v) && v->function != NULL;
}

static void say_spread(const struct sentence *s)
{
	text_add(s->out, "; that is spread: no function has more than ");
	put_percent(s, s->v->function_share);
}

static void say_nobody(const struct sentence *s)
{
	(void)s;
}

/* ---- Code ---- */

static bool code_is_too_large(const struct verdict *v)
{
	return v->code_cache != NULL && v->code_ratio >= CODE_MISSES;
}

static void say_code(const struct sentence *s)
{
	text_addf(s->out, "; the code does not fit in %s (", s->v->code_cache);
	put_percent(s, s->v->code_ratio);
	text_add(s->out, " of the instructions miss)");
}

/* ---- The next command ---- */

static bool is_shown_as_it_is(const char *word, const struct display *d)
{
	struct text shown = {0};
	bool is_same;

	fit_add(&shown, word, d);
	is_same = strcmp(text_get(&shown), word) == 0;
	text_release(&shown);
	return is_same;
}

/* Write bytes that are not text as bash reads them; terminals would obey some. */
static void put_escaped(struct text *out, const char *word)
{
	text_add(out, "$'");
	for (; *word != '\0'; word++) {
		if (*word < ' ' || *word == 0x7f)
			text_addf(out, "\\x%02x", (unsigned char)*word);
		else
			text_addf(out, "%s%c", *word == '\'' || *word == '\\' ? "\\" : "", *word);
	}
	text_add(out, "'");
}

/* Quote a word for a shell. */
static void put_word(const struct sentence *s, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./:+-,@%";
	struct text *out = s->out;

	if (!is_shown_as_it_is(word, s->d)) {
		put_escaped(out, word);
		return;
	}
	if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
		text_add(out, word);
		return;
	}
	text_add(out, "'");
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			text_add(out, "'\\''");
		else
			text_add_bytes(out, word, 1);
	}
	text_add(out, "'");
}

static void put_command(const struct sentence *s, const char *command, uint64_t size_bytes)
{
	const struct verdict *v = s->v;
	char size[SIZE_TEXT_BYTES];
	uint64_t read;

	text_addf(s->out, "dwell %s" BREAK, command);
	if (strcmp(v->file, "dwell.db") != 0) {
		text_add(s->out, " -i ");
		put_word(s, v->file);
	}
	if (v->process != QUERY_ANY)
		text_addf(s->out, " --process %" PRId64, v->process);
	if (v->has_thread)
		text_addf(s->out, " --thread %" PRId64, v->thread);
	if (v->is_lru)
		text_add(s->out, " --policy lru");
	if (v->ways > 0)
		text_addf(s->out, " --ways %" PRIu64, v->ways);
	if (v->caches != NULL) {
		text_add(s->out, " --caches ");
		put_word(s, v->caches);
	}
	if (size_bytes == 0 || v->is_exact)
		return;
	/* Rounding the size would change it. */
	if (size_parse(size_format(size_bytes, size), &read, NULL) == 0 && read == size_bytes)
		text_addf(s->out, " -s %s", size);
	else
		text_addf(s->out, " -s %" PRIu64, size_bytes);
}

static void put_argument(const struct sentence *s, const char *argument)
{
	text_add(s->out, " ");
	put_word(s, argument);
}

static void go_curve(const struct sentence *s)
{
	put_command(s, "curve", 0);
}

static bool has_source(const struct verdict *v)
{
	return v->source_of != NULL && strlen(v->source_of) <= MOST_TYPED;
}

static void go_annotate(const struct sentence *s)
{
	put_command(s, "annotate", s->v->size_bytes);
	put_argument(s, s->v->source_of);
}

static bool has_data(const struct verdict *v)
{
	return !v->is_exact && v->data != NULL;
}

static void go_objects(const struct sentence *s)
{
	put_command(s, "objects", s->v->size_bytes);
}

/* If all is in one structure, its fields say which part of it; it need not be moved whole. */
static bool has_fields(const struct verdict *v)
{
	return v->has_fields && is_one_structure(v);
}

static void go_fields(const struct sentence *s)
{
	put_command(s, "objects --fields", 0);
}

/* Bins say at once which code misses on which data. */
static bool has_bins(const struct verdict *v)
{
	return v->has_bins;
}

static void go_bins(const struct sentence *s)
{
	put_command(s, "bins", 0);
}

static bool has_function(const struct verdict *v)
{
	return v->is_exact && v->function != NULL && strlen(v->function) <= MOST_TYPED;
}

static void go_asm(const struct sentence *s)
{
	put_command(s, "annotate --asm", 0);
	put_argument(s, s->v->function);
}

static bool has_events(const struct verdict *v)
{
	return v->is_exact;
}

static void go_calls(const struct sentence *s)
{
	put_command(s, "calls", 0);
}

/* info takes no options that choose a part or a cache. */
static void go_info(const struct sentence *s)
{
	struct verdict v = *s->v;
	const struct sentence inner = {&v, s->d, s->out};

	v.process = QUERY_ANY;
	v.has_thread = false;
	v.is_lru = false;
	v.ways = 0;
	v.caches = NULL;
	put_command(&inner, "info", 0);
}

/* ---- The tables: the first rule that holds is used ---- */

struct rule {
	bool (*holds)(const struct verdict *v);
	void (*say)(const struct sentence *s);
};

static const struct rule whether_it_waits[] = {
	{nothing_is_sure, say_caution},
	{has_no_levels, say_no_levels},
	{waits, say_waits},
	{waits_for_first_touches, say_first_touches},
	{waits_little, say_little},
	{always, say_unknown},
};

static const struct rule what_costs_most[] = {
	{are_both_one, say_both},
	{is_one_structure, say_structure},
	{is_one_function, say_function},
	{is_spread, say_spread},
	{always, say_nobody},
};

static const struct rule does_code_fit[] = {
	{code_is_too_large, say_code},
	{always, say_nobody},
};

static bool estimates_wait_little(const struct verdict *v)
{
	return !v->is_exact && !nothing_is_sure(v) && !has_no_levels(v) && !rows_matter(v);
}

static const struct rule what_next[] = {
	{estimates_wait_little, go_curve},
	{has_fields, go_fields},
	{has_bins, go_bins},
	{has_source, go_annotate},
	{has_data, go_objects},
	{has_function, go_asm},
	{has_events, go_calls},
	{always, go_info},
};

static void apply(const struct rule *rules, const struct sentence *s)
{
	while (!rules->holds(s->v))
		rules++;
	rules->say(s);
}

/* Shells join a line that ends with a backslash with the next one. */
static void put_next(const struct sentence *s)
{
	struct text command = {0};
	const struct sentence inner = {s->v, s->d, &command};
	const char *at;
	size_t width;

	apply(what_next, &inner);
	at = strchr(text_get(&command), BREAK[0]);
	width = strlen("Next: ") + fit_width(text_get(&command));
	text_add(s->out, "Next: ");
	if (at != NULL) {
		text_add_bytes(s->out, text_get(&command), (size_t)(at - text_get(&command)));
		text_add(s->out, s->d->width > 0 && width > s->d->width ? " \\\n     " : "");
		text_add(s->out, at + 1);
	}
	text_add(s->out, "\n");
	text_release(&command);
}

void verdict_put(const struct verdict *v, const struct display *d, struct text *out)
{
	struct sentence s = {v, d, out};
	size_t from = out->count;

	apply(whether_it_waits, &s);
	apply(what_costs_most, &s);
	apply(does_code_fit, &s);
	text_add(out, nothing_is_sure(v) ? "\n" : ".\n");
	fit_prose(out, from, 0, d);
	put_next(&s);
}
