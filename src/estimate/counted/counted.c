/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and choice of rows that a simulation has counted; see counted.h. */
#include "estimate/counted/counted.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"

#define UNKNOWN "[unknown]"
#define SEVERAL "[several functions]"

/* NULL: none, or memory has run out. */
static double *contrasts_of(const struct profile *p, const struct profile_spread *spreads, size_t i)
{
	double *copy = spreads != NULL ? arena_alloc(p->pool, sizeof(spreads->contrasts)) : NULL;

	if (copy != NULL)
		memcpy(copy, spreads[i].contrasts, sizeof(spreads->contrasts));
	return copy;
}

struct counted_misses counted_of(const struct profile *p, const struct store_bin *b)
{
	return (struct counted_misses){
		.all = b->misses,
		.cold = b->cold,
		.by_self = b->by_self,
		.conflicts = b->conflicts != STORE_NOT_TOLD_APART ? b->conflicts : 0,
		.unknown = b->unknown,
		.more = b->above,
		.bounds = profile_bounds(p, b->cache),
		.known = p->bin_spreads != NULL ? p->bin_spreads[b - p->bins].known
						: (double)b->misses,
		.contrasts = contrasts_of(p, p->bin_spreads, (size_t)(b - p->bins)),
	};
}

struct counted_misses counted_of_eviction(const struct profile *p, const struct store_eviction *e)
{
	return (struct counted_misses){
		.all = e->misses,
		.bounds = profile_bounds(p, e->cache),
		.contrasts = contrasts_of(p, p->eviction_spreads, (size_t)(e - p->evictions)),
	};
}

const struct data_row counted_unfollowed = {.kind = DATA_UNKNOWN, .name = "[not followed]"};

struct counted_misses counted_not_followed(const struct profile_followed *f)
{
	return (struct counted_misses){
		.all = f->unfollowed, .unknown = f->unfollowed, .known = (double)f->unfollowed};
}

bool counted_are_exact(const struct profile *p)
{
	return !p->has_unfollowed && p->stretches == 0 && p->sets == 1;
}

static void put_unfollowed(const struct profile *p, struct text *text)
{
	const char *before = "";

	text_addf(text,
		  "exact as far as data was followed: that was given up after %.2f %% of all "
		  "accesses, and [not followed] has ",
		  100 * p->followed_share);
	for (size_t i = 0; i < PROFILE_BOUNDS; i++) {
		const struct profile_followed *f = &p->followed[i];

		if (f->unfollowed == 0)
			continue;
		text_addf(text, "%s%" PRIu64 " of %" PRIu64 " misses in %s", before, f->unfollowed,
			  f->misses, f->cache);
		before = ", ";
	}
	text_add(text, " ('dwell info' says why)");
}

void counted_put_how(const struct profile *p, struct text *text)
{
	const char *before = "estimates from ";

	if (p->has_unfollowed)
		put_unfollowed(p, text);
	else if (p->stretches == 0 && p->sets == 1)
		text_add(text, COUNTED_EXACT);
	if (p->sets > 1) {
		text_addf(text, "%sone of %" PRIu64 " parts of the sets", before, p->sets);
		before = " in ";
	}
	if (p->stretches > 0)
		text_addf(text, "%s%zu stretches, %.2f %% of all accesses", before, p->stretches,
			  100 * p->simulated);
	if (!p->has_unfollowed && p->followed_share < 1)
		text_addf(text,
			  "%s simulated up to %.2f %% of all accesses only ('dwell info' says "
			  "why)",
			  p->stretches > 0 || p->sets > 1 ? ", which were" : " of what was",
			  100 * p->followed_share);
}

/* Without contrasts of a part there are none of the sum. */
static double *add_contrasts(const struct counted_misses *to, const struct counted_misses *more)
{
	if (more->all + more->more == 0 || (to->all + to->more > 0 && to->contrasts == NULL))
		return to->contrasts;
	if (to->contrasts == NULL || more->contrasts == NULL)
		return more->contrasts;
	for (size_t i = 0; i < TRACE_SAMPLE_CONTRASTS; i++)
		to->contrasts[i] += more->contrasts[i];
	return to->contrasts;
}

void counted_put_bounds(const struct profile *p, struct text *text)
{
	if (p->stretches > 0)
		text_add(text, "LOW and HIGH: 95 %, of each row, as its stretches differ, and for "
			       "its unknown references; rows are in the order of LOW\n");
}

void counted_add(struct counted_misses *to, const struct counted_misses *more)
{
	to->contrasts = add_contrasts(to, more);
	to->all += more->all;
	to->known += more->known;
	to->cold += more->cold;
	to->by_self += more->by_self;
	to->conflicts += more->conflicts;
	to->unknown += more->unknown;
	to->more += more->more;
	if (to->bounds == NULL)
		to->bounds = more->bounds;
}

uint64_t counted_by_others(const struct counted_misses *m)
{
	return m->all - m->cold - m->by_self - m->unknown;
}

uint64_t counted_capacity(const struct counted_misses *m)
{
	return m->all - m->cold - m->conflicts;
}

static double quantile_of(const struct counted_misses *m)
{
	return m->bounds != NULL && m->contrasts != NULL ? m->bounds->part_quantile : 0;
}

static double variance_of(const struct counted_misses *m)
{
	return m->contrasts != NULL ? trace_sample_variance(m->bounds, m->contrasts) : 0;
}

uint64_t counted_low_of(const struct counted_misses *m, double least)
{
	return (uint64_t)floor(trace_sample_low(m->bounds, least, variance_of(m), quantile_of(m)));
}

uint64_t counted_high_of(const struct counted_misses *m, double most)
{
	return (uint64_t)ceil(trace_sample_high(m->bounds, most, variance_of(m), quantile_of(m)));
}

/* Those that are not known to be misses, and those that may be. */
static double unknown_of(const struct counted_misses *m)
{
	return fmax((double)(m->all + m->more) - m->known, 0);
}

uint64_t counted_low(const struct counted_misses *m)
{
	const double known = m->bounds != NULL
				     ? m->known + trace_sample_part_least(m->bounds, unknown_of(m))
				     : (double)m->all;

	return counted_low_of(m, fmin(known, (double)m->all));
}

uint64_t counted_high(const struct counted_misses *m)
{
	const double most = m->bounds != NULL
				    ? m->known + trace_sample_part_most(m->bounds, unknown_of(m))
				    : (double)m->all;

	return counted_high_of(m, fmax(most, (double)m->all));
}

bool counted_is_first(const char *cache)
{
	return strncmp(cache, "L1", 2) == 0;
}

bool counted_is_last(const char *cache)
{
	return strcmp(cache, "LL") == 0;
}

double counted_cost(double first, double last)
{
	return COUNTED_CYCLES_FIRST * first + (COUNTED_CYCLES_LAST - COUNTED_CYCLES_FIRST) * last;
}

/* Those of so many misses that are no first touches. */
static double reused(uint64_t misses, const struct counted_misses *m)
{
	return misses > m->cold ? (double)(misses - m->cold) : 0;
}

double counted_cycles(const struct counted_misses *first, const struct counted_misses *last)
{
	return counted_cost(reused(first->all, first), reused(last->all, last));
}

double counted_sure_cycles(const struct counted_misses *first, const struct counted_misses *last)
{
	return counted_cost(reused(counted_low(first), first), reused(counted_low(last), last));
}

void counted_add_not_followed(const struct profile *p, struct counted_misses *first,
			      struct counted_misses *last)
{
	for (size_t i = 0; i < PROFILE_BOUNDS; i++) {
		const struct counted_misses m = counted_not_followed(&p->followed[i]);

		if (counted_is_first(p->followed[i].cache))
			counted_add(first, &m);
		else if (counted_is_last(p->followed[i].cache))
			counted_add(last, &m);
	}
}

void counted_sum(const struct profile *p, struct counted_misses *first, struct counted_misses *last)
{
	*first = *last = (struct counted_misses){0};
	for (size_t i = 0; i < p->bin_count; i++) {
		const struct store_bin *b = &p->bins[i];
		struct counted_misses *to = counted_is_first(b->cache)	? first
					    : counted_is_last(b->cache) ? last
									: NULL;

		if (to == NULL)
			continue;
		to->all += b->misses;
		to->cold += b->cold;
	}
	counted_add_not_followed(p, first, last);
}

/* ---- Names ---- */

const struct store_frame *counted_frame(const struct counted *c, int64_t location)
{
	const struct store_location *l = profile_location(c->profile, location);

	return l != NULL && l->frame_count > 0 ? &l->frames[l->frame_count - 1] : NULL;
}

const char *counted_function(const struct counted *c, int64_t location)
{
	const struct store_frame *f = counted_frame(c, location);

	if (location == STORE_NONE)
		return SEVERAL;
	return f != NULL && f->function != NULL ? f->function : UNKNOWN;
}

const struct data_row *counted_data(const struct counted *c, int64_t structure)
{
	static const struct data_row unknown = {.kind = DATA_UNKNOWN, .name = UNKNOWN};
	const size_t at = profile_structure(c->profile, structure);

	if (at == SIZE_MAX || c->data.row_of[at] >= c->data.count)
		return &unknown;
	return &c->data.rows[c->data.row_of[at]];
}

/* ---- The choice of rows ---- */

static bool is_marked(const struct counted *c, const struct data_row *data)
{
	const size_t at = (size_t)(data - c->data.rows);

	return data >= c->data.rows && at < c->data.count && c->marks[at];
}

bool counted_means(const struct counted *c, const char *function, const struct data_row *data)
{
	return c->word == NULL || is_marked(c, data) ||
	       (function != NULL && name_is_meant(function, c->word));
}

void counted_fail(const struct counted *c, struct err *err)
{
	if (data_find(&c->data, c->word, c->marks, err) > 0)
		err_set(err, "no misses in the data structure '%s'", c->word);
}

int counted_init(struct counted *c, const struct profile *p, const struct query *q, enum data_by by,
		 const char *word, struct err *err)
{
	*c = (struct counted){.profile = p, .query = q, .unsorted = *q, .word = word};
	c->unsorted.sort = NULL;
	if (data_init(&c->data, p, &c->unsorted, by, err) != 0)
		return -1;
	c->marks = calloc(c->data.count + 1, sizeof(*c->marks));
	if (c->marks == NULL) {
		counted_release(c);
		return err_set(err, "not enough memory for the names of data structures");
	}
	if (word != NULL)
		data_find(&c->data, word, c->marks, NULL);
	return 0;
}

void counted_release(struct counted *c)
{
	data_release(&c->data);
	free(c->marks);
	*c = (struct counted){0};
}
