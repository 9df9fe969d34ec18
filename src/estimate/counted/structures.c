/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums bins up by data structure; see structures.h. */
#include "estimate/counted/structures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define BY_COST SIZE_MAX /* instead of a level */

static const char *const all_levels[STRUCTURES_LEVELS] = {"L1", "L2", "L3", "L4", "LL"};

/* The level of a cache among all_levels. */
static size_t level_of(const char *cache)
{
	size_t i = 0;

	while (i + 1 < STRUCTURES_LEVELS && strncmp(cache, all_levels[i], 2) != 0)
		i++;
	return i;
}

size_t structures_level(const struct structures *s, const char *cache)
{
	for (size_t i = 0; i < s->level_count; i++)
		if (strncmp(s->levels[i], cache, 2) == 0)
			return i;
	return SIZE_MAX;
}

/* Levels between the first and the last one are there if they missed. */
static void find_levels(struct structures *s)
{
	const struct profile *p = s->names.profile;
	bool has[STRUCTURES_LEVELS] = {[0] = true, [STRUCTURES_LEVELS - 1] = true};

	for (size_t i = 0; i < p->bin_count; i++)
		has[level_of(p->bins[i].cache)] = true;
	for (size_t i = 0; i < STRUCTURES_LEVELS; i++)
		if (has[i])
			s->levels[s->level_count++] = all_levels[i];
}

/* The row of a structure; NULL: it has none. */
static struct structures_row *row_of(struct structures *s, int64_t structure)
{
	const struct data *d = &s->names.data;
	const struct data_row *row = counted_data(&s->names, structure);
	const size_t at = (size_t)(row - d->rows);

	return row >= d->rows && at < d->count ? &s->rows[at] : NULL;
}

static void sum_references(struct structures *s)
{
	const struct profile *p = s->names.profile;

	for (size_t i = 0; i < p->reference_count; i++) {
		struct structures_row *row = row_of(s, p->references[i].structure_id);

		if (row != NULL)
			references_add(&s->references, i, &row->sum);
	}
}

static void sum_patterns(struct structures *s)
{
	const struct profile *p = s->names.profile;

	for (size_t i = 0; i < p->pattern_count; i++) {
		struct structures_row *row = row_of(s, p->patterns[i].structure_id);

		if (row != NULL)
			forms_add(&row->pattern, &p->patterns[i]);
	}
}

static void sum_bins(struct structures *s)
{
	const struct profile *p = s->names.profile;

	for (size_t i = 0; i < p->bin_count; i++) {
		const struct store_bin *b = &p->bins[i];
		struct structures_row *row = row_of(s, b->structure_id);
		const size_t level = structures_level(s, b->cache);
		const struct counted_misses misses = counted_of(p, b);

		s->totals[level] += b->misses;
		if (row == NULL)
			continue;
		counted_add(&row->misses[level], &misses);
		if (counted_is_first(b->cache))
			references_add_missing(&s->references, b->location_id, &row->sum);
	}
}

static void find_ratio(const struct structures *s, struct structures_row *r)
{
	/* they are not counted by sets */
	const bool are_counted = s->names.profile->sets == 1 && s->references.are_counted;

	if (!are_counted)
		r->references = (struct references_count){NAN, NAN, NAN};
	if (!are_counted || r->data->kind == DATA_CODE)
		return;
	r->references = references_count(&s->references, &r->sum, r->misses[0].all);
	r->ratio = references_ratio(&r->references, r->misses[0].all);
}

static double cycles_of(const struct structures *s, const struct structures_row *r)
{
	return counted_cycles(&r->misses[0], &r->misses[s->level_count - 1]);
}

static bool is_shown(const struct structures *s, const struct structures_row *r)
{
	uint64_t misses = 0;

	for (size_t i = 0; i < s->level_count; i++)
		misses += r->misses[i].all;
	return (misses > 0 || r->references.value > 0) && counted_means(&s->names, NULL, r->data) &&
	       query_shows(s->names.query,
			   (const char *const[]){r->data->name, r->data->file, r->data->module}, 3);
}

/* The misses that no bin has, so that rows have the sums of events. */
static void add_unfollowed(struct structures *s, double all, size_t *shown)
{
	const struct profile *p = s->names.profile;
	struct structures_row r = {.data = &counted_unfollowed, .references = {NAN, NAN, NAN}};

	for (size_t i = 0; i < PROFILE_BOUNDS; i++) {
		const size_t level = p->followed[i].unfollowed > 0
					     ? structures_level(s, p->followed[i].cache)
					     : SIZE_MAX;
		const struct counted_misses m = counted_not_followed(&p->followed[i]);

		if (level != SIZE_MAX)
			counted_add(&r.misses[level], &m);
	}
	r.cost = all > 0 ? cycles_of(s, &r) / all : 0;
	r.sure = counted_sure_cycles(&r.misses[0], &r.misses[s->level_count - 1]);
	if (p->has_unfollowed && is_shown(s, &r))
		s->rows[(*shown)++] = r;
}

static void keep_shown(struct structures *s)
{
	struct counted_misses first, last;
	double all;
	size_t shown = 0;

	for (size_t i = 0; i < PROFILE_BOUNDS; i++)
		if (s->names.profile->followed[i].unfollowed > 0 &&
		    structures_level(s, s->names.profile->followed[i].cache) != SIZE_MAX)
			s->totals[structures_level(s, s->names.profile->followed[i].cache)] +=
				s->names.profile->followed[i].unfollowed;
	counted_sum(s->names.profile, &first, &last);
	all = counted_cycles(&first, &last);
	for (size_t i = 0; i < s->names.data.count; i++) {
		struct structures_row *r = &s->rows[i];

		r->data = &s->names.data.rows[i];
		r->cost = all > 0 ? cycles_of(s, r) / all : 0;
		r->sure = counted_sure_cycles(&r->misses[0], &r->misses[s->level_count - 1]);
		find_ratio(s, r);
		r->form = forms_of(s->names.profile, r->data, &r->pattern);
		if (is_shown(s, r))
			s->rows[shown++] = *r;
	}
	add_unfollowed(s, all, &shown);
	s->count = shown;
}

/* The level to sort by, or BY_COST. */
static int find_order(const struct structures *s, const struct query *q, size_t *order,
		      struct err *err)
{
	struct text levels = {0};

	*order = BY_COST;
	if (q->sort == NULL || strcmp(q->sort, "cost") == 0)
		return 0;
	for (size_t i = 0; i < s->level_count; i++) {
		text_addf(&levels, "%s%s", i + 1 < s->level_count ? ", " : " or ", s->levels[i]);
		if (strcmp(q->sort, s->levels[i]) == 0)
			*order = i;
	}
	if (*order == BY_COST && !q->is_sort_usual)
		err_set(err, "rows of counted misses are sorted by cost%s, and not by '%.100s'",
			text_get(&levels), q->sort);
	text_release(&levels);
	return *order == BY_COST && !q->is_sort_usual ? -1 : 0;
}

static int compare(const void *a, const void *b, void *order)
{
	const struct structures_row *x = a, *y = b;
	const size_t level = *(const size_t *)order;

	if (level != BY_COST && counted_low(&x->misses[level]) != counted_low(&y->misses[level]))
		return counted_low(&x->misses[level]) < counted_low(&y->misses[level]) ? 1 : -1;
	if (level != BY_COST && x->misses[level].all != y->misses[level].all)
		return x->misses[level].all < y->misses[level].all ? 1 : -1;
	if (level == BY_COST && x->sure != y->sure)
		return x->sure < y->sure ? 1 : -1;
	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	return strcmp(x->data->name, y->data->name);
}

static int make_rows(struct structures *s, const struct query *q, struct err *err)
{
	size_t order;

	find_levels(s);
	if (find_order(s, q, &order, err) != 0)
		return -1;
	s->rows = calloc(s->names.data.count + 2, sizeof(*s->rows));
	if (s->rows == NULL)
		return err_set(err, "not enough memory for %zu data structures",
			       s->names.data.count);
	sum_bins(s);
	sum_references(s);
	sum_patterns(s);
	keep_shown(s);
	qsort_r(s->rows, s->count, sizeof(*s->rows), compare, &order);
	if (s->count > 0 || s->names.word == NULL || query_filters(q))
		return 0;
	counted_fail(&s->names, err);
	return -1;
}

int structures_init(struct structures *s, const struct profile *p, const struct query *q,
		    enum data_by by, const char *word, struct err *err)
{
	*s = (struct structures){0};
	if (counted_init(&s->names, p, q, by, word, err) != 0)
		return -1;
	if (references_init(&s->references, p, err) == 0 && make_rows(s, q, err) == 0)
		return 0;
	structures_release(s);
	return -1;
}

void structures_release(struct structures *s)
{
	free(s->rows);
	references_release(&s->references);
	counted_release(&s->names);
	*s = (struct structures){0};
}
