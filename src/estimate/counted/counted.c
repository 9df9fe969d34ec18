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
	};
}

void counted_put_how(const struct profile *p, struct text *text)
{
	const char *before = "estimates from ";

	if (p->stretches == 0 && p->sets == 1)
		text_add(text, "exact");
	if (p->sets > 1) {
		text_addf(text, "%sone of %" PRIu64 " parts of the sets", before, p->sets);
		before = " in ";
	}
	if (p->stretches > 0)
		text_addf(text, "%s%zu stretches, %.2f %% of all accesses", before, p->stretches,
			  100 * p->simulated);
}

void counted_add(struct counted_misses *to, const struct counted_misses *more)
{
	to->all += more->all;
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

uint64_t counted_low(const struct counted_misses *m)
{
	return (uint64_t)floor(trace_sample_low(m->bounds, (double)(m->all - m->unknown)));
}

uint64_t counted_high(const struct counted_misses *m)
{
	return (uint64_t)ceil(trace_sample_high(m->bounds, (double)(m->all + m->more)));
}

bool counted_is_first(const char *cache)
{
	return strncmp(cache, "L1", 2) == 0;
}

bool counted_is_last(const char *cache)
{
	return strcmp(cache, "LL") == 0;
}

double counted_cycles(uint64_t first, uint64_t last)
{
	return COUNTED_CYCLES_FIRST * (double)first + COUNTED_CYCLES_LAST * (double)last;
}

double counted_all_cycles(const struct profile *p)
{
	uint64_t first = 0, last = 0;

	for (size_t i = 0; i < p->bin_count; i++) {
		const struct store_bin *b = &p->bins[i];

		first += counted_is_first(b->cache) ? b->misses : 0;
		last += counted_is_last(b->cache) ? b->misses : 0;
	}
	return counted_cycles(first, last);
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
