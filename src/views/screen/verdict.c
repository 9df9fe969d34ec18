/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What limits the program, and what to look at next: two tables of rules; see verdict.h. */
#include "views/screen/verdict.h"

#include <inttypes.h>
#include <string.h>

#include "answer/figures.h"
#include "base/size.h"
#include "base/text.h"
#include "query/query.h"

#define NAME_WIDTH 40 /* width of a function or a data structure in the sentence */
#define NONE	   SIZE_MAX
#define MOST_TYPED 40	  /* bytes of a name that a command may contain */
#define BREAK	   "\x1e" /* a command may be broken here */

struct sentence {
	const struct verdict *v;
	const struct display *d;
	struct text *out;
};

/* ---- Figures of the rules ---- */

/* The smallest cache into which the program certainly fits. */
static size_t first_fit(const struct verdict *v)
{
	for (size_t i = 0; i < v->cache_count; i++)
		if (v->caches[i].high < VERDICT_FITS_BELOW)
			return i;
	return NONE;
}

/* First touches do not count: they miss in caches of any size. */
static bool is_too_small(const struct verdict *v, size_t cache)
{
	return v->caches[cache].low - v->cold >= VERDICT_FITS_BELOW;
}

/* The largest cache into which the program certainly does not fit. */
static size_t last_too_small(const struct verdict *v)
{
	for (size_t i = v->cache_count; i > 0; i--)
		if (is_too_small(v, i - 1))
			return i - 1;
	return NONE;
}

/* With very few misses, rows with most of them still limit nothing. */
static bool ranked_misses_matter(const struct verdict *v)
{
	return v->ratio >= VERDICT_FITS_BELOW;
}

/* ---- Words ---- */

static void put_name(const struct sentence *s, const char *name)
{
	struct text safe = {0};

	fit_add(&safe, name, s->d);
	fit_name(s->out, text_get(&safe), NAME_WIDTH, s->d);
	text_release(&safe);
}

static void put_percent(const struct sentence *s, double share)
{
	if (share >= 0.995 && share < 1)
		text_add(s->out, "more than 99" FIT_STAY "%");
	else
		text_addf(s->out, "%.*f" FIT_STAY "%%", share < 0.1 ? 1 : 0, share * 100);
}

/* Limits are not rounded down, so that they agree with the table. */
static void put_most(const struct sentence *s, double share)
{
	text_addf(s->out, "%.2f" FIT_STAY "%%", share * 100);
}

static void put_ranked(const struct sentence *s)
{
	char size[SIZE_TEXT_BYTES];

	if (s->v->ranked != VERDICT_SIZE_OTHER)
		text_add(s->out, s->v->caches[s->v->ranked].name);
	else
		text_addf(s->out, "a cache of %s", size_format(s->v->size_bytes, size));
}

/* ---- Where it fits ---- */

static bool nothing_is_sure(const struct verdict *v)
{
	return v->caution != NULL;
}

static void say_caution(const struct sentence *s)
{
	text_add(s->out, s->v->caution);
}

static bool fits_first(const struct verdict *v)
{
	return first_fit(v) == 0;
}

static void say_fits_first(const struct sentence *s)
{
	const struct verdict_cache *c = &s->v->caches[0];

	text_addf(s->out, "Fits in %s: ", c->name);
	if (!s->v->is_exact)
		text_add(s->out, "at most ");
	put_most(s, c->high);
	text_add(s->out, " of the accesses miss");
}

static bool fits_later(const struct verdict *v)
{
	return first_fit(v) != NONE;
}

static void say_fits_later(const struct sentence *s)
{
	size_t fit = first_fit(s->v), small = last_too_small(s->v);

	text_addf(s->out, "Fits in %s", s->v->caches[fit].name);
	if (!s->v->is_exact) {
		text_add(s->out, " (at most ");
		put_most(s, s->v->caches[fit].high);
		text_add(s->out, " miss)");
	}
	if (small != NONE) {
		text_addf(s->out, ", not in %s (", s->v->caches[small].name);
		put_percent(s, s->v->caches[small].ratio);
		text_add(s->out, " miss)");
	}
}

static bool fits_nowhere(const struct verdict *v)
{
	return v->cache_count > 0 && is_too_small(v, v->cache_count - 1);
}

static void say_fits_nowhere(const struct sentence *s)
{
	const struct verdict_cache *last = &s->v->caches[s->v->cache_count - 1];

	text_add(s->out, s->v->cache_count > 1 ? "Fits in no cache (" : "Does not fit (");
	put_percent(s, last->ratio);
	text_addf(s->out, " miss %s)", last->name);
}

/* The smallest cache with almost only first touches as misses. NONE: there is none. */
static size_t first_cold(const struct verdict *v)
{
	for (size_t i = 0; i < v->cache_count; i++)
		if (v->caches[i].ratio - v->cold < VERDICT_FITS_BELOW)
			return i;
	return NONE;
}

static bool misses_are_cold(const struct verdict *v)
{
	return v->cold >= VERDICT_FITS_BELOW && first_cold(v) != NONE;
}

static void say_cold(const struct sentence *s)
{
	size_t cold = first_cold(s->v), small = last_too_small(s->v);

	text_addf(s->out, "Nearly all misses of %s (", s->v->caches[cold].name);
	put_percent(s, s->v->caches[cold].ratio);
	text_add(s->out, ") are first touches, which no cache avoids");
	if (small != NONE) {
		text_addf(s->out, "; does not fit in %s (", s->v->caches[small].name);
		put_percent(s, s->v->caches[small].ratio);
		text_add(s->out, " miss)");
	}
}

static bool is_too_large_for_some(const struct verdict *v)
{
	return last_too_small(v) != NONE;
}

static void say_too_large(const struct sentence *s)
{
	const struct verdict_cache *c = &s->v->caches[last_too_small(s->v)];

	text_addf(s->out, "Does not fit in %s (", c->name);
	put_percent(s, c->ratio);
	text_add(s->out, " miss)");
}

static bool always(const struct verdict *v)
{
	(void)v;
	return true;
}

static void say_unknown(const struct sentence *s)
{
	text_add(s->out, "The intervals are too wide to say where it fits");
}

/* ---- Who misses ---- */

static bool is_one_structure(const struct verdict *v)
{
	return ranked_misses_matter(v) && v->data != NULL && v->data_share >= VERDICT_LARGE_SHARE;
}

static void say_structure(const struct sentence *s)
{
	text_add(s->out, "; one structure makes ");
	put_percent(s, s->v->data_share);
	text_add(s->out, " of the misses of ");
	put_ranked(s);
	text_add(s->out, ": ");
	put_name(s, s->v->data);
}

static bool is_one_function(const struct verdict *v)
{
	return ranked_misses_matter(v) && v->function != NULL &&
	       v->function_share >= VERDICT_LARGE_SHARE;
}

static void say_function(const struct sentence *s)
{
	text_add(s->out, "; one function makes ");
	put_percent(s, s->v->function_share);
	text_add(s->out, " of the misses of ");
	put_ranked(s);
	text_add(s->out, ": ");
	put_name(s, s->v->function);
}

static bool is_spread(const struct verdict *v)
{
	return ranked_misses_matter(v) && v->function != NULL;
}

static void say_spread(const struct sentence *s)
{
	text_add(s->out, "; the misses of ");
	put_ranked(s);
	text_add(s->out, " are spread: no function makes more than ");
	put_percent(s, s->v->function_share);
}

static void say_nobody(const struct sentence *s)
{
	(void)s;
}

/* ---- Code ---- */

static bool code_is_too_large(const struct verdict *v)
{
	return v->code_cache != NULL && v->code_ratio >= VERDICT_FITS_BELOW;
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

/* Tell whether the relevant misses are those of a smaller cache. */
static bool smaller_one_matters(const struct verdict *v)
{
	return !v->is_exact && !ranked_misses_matter(v) && last_too_small(v) != NONE;
}

static void go_smaller(const struct sentence *s)
{
	put_command(s, "report", s->v->caches[last_too_small(s->v)].size_bytes);
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
	put_command(&inner, "info", 0);
}

/* ---- The tables: the first rule that holds is used ---- */

struct rule {
	bool (*holds)(const struct verdict *v);
	void (*say)(const struct sentence *s);
};

static const struct rule where_it_fits[] = {
	{nothing_is_sure, say_caution},
	{fits_first, say_fits_first},
	{fits_later, say_fits_later},
	{misses_are_cold, say_cold},
	{fits_nowhere, say_fits_nowhere},
	{is_too_large_for_some, say_too_large},
	{always, say_unknown},
};

static const struct rule who_misses[] = {
	{nothing_is_sure, say_nobody},
	{is_one_structure, say_structure},
	{is_one_function, say_function},
	{is_spread, say_spread},
	{always, say_nobody},
};

static const struct rule does_code_fit[] = {
	{code_is_too_large, say_code},
	{always, say_nobody},
};

static bool fits_first_by_estimate(const struct verdict *v)
{
	return !v->is_exact && !nothing_is_sure(v) && fits_first(v);
}

static const struct rule what_next[] = {
	{fits_first_by_estimate, go_curve},
	{smaller_one_matters, go_smaller},
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

	apply(where_it_fits, &s);
	apply(who_misses, &s);
	apply(does_code_fit, &s);
	text_add(out, nothing_is_sure(v) ? "\n" : ".\n");
	fit_prose(out, from, 0, d);
	put_next(&s);
}
