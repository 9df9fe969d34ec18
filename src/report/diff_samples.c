/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matching two sampled profiles; see diff_samples.h. */
#include "report/diff_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"

/* ---- Miss ratios ---- */

static void add_cache(struct diff_samples *d, const char *name, uint64_t size_bytes)
{
	struct diff_cache *c = &d->caches[d->cache_count];
	struct err err;

	if (profile_check_size(d->a, size_bytes, &err) != 0 ||
	    profile_check_size(d->b, size_bytes, &err) != 0)
		return;
	*c = (struct diff_cache){.name = name, .size_bytes = size_bytes};
	profile_solve(d->a, MODEL_RANDOM, size_bytes, &c->a);
	profile_solve(d->b, MODEL_RANDOM, size_bytes, &c->b);
	c->is_outside = c->a.known && c->b.known && (c->a.high < c->b.low || c->b.high < c->a.low);
	d->cache_count++;
}

static void add_caches(struct diff_samples *d)
{
	struct profile_cache caches[PROFILE_CACHES];
	bool is_there = false;

	profile_caches(d->a, caches);
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		if (caches[i].size_bytes == 0)
			continue;
		add_cache(d, caches[i].name, caches[i].size_bytes);
		is_there = is_there || caches[i].size_bytes == d->size_bytes;
	}
	if (!is_there)
		add_cache(d, NULL, d->size_bytes);
}

/* ---- Rows ---- */

struct entry {
	const struct hot_row *row;
	bool is_b;
};

static const char *text_of(const char *s, bool is_path)
{
	if (s == NULL)
		return "";
	return is_path ? path_basename(s) : s;
}

static int compare_keys(const struct hot_row *x, const struct hot_row *y)
{
	int order = strcmp(text_of(x->function, false), text_of(y->function, false));

	if (order == 0)
		order = strcmp(text_of(x->file, true), text_of(y->file, true));
	return order != 0 ? order : x->line < y->line ? -1 : x->line > y->line;
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = compare_keys(x->row, y->row);

	return order != 0 ? order : x->is_b - y->is_b;
}

static double misses_of(const struct hot_cost *c)
{
	return c->misses + c->unresolved;
}

static int compare_changes(const void *a, const void *b)
{
	const struct diff_hot_row *x = a, *y = b;
	double p = fabs(misses_of(&x->b) - misses_of(&x->a));
	double q = fabs(misses_of(&y->b) - misses_of(&y->a));

	if (p != q)
		return p > q ? -1 : 1;
	return compare_keys(x->shown, y->shown);
}

static int match(struct diff_samples *d, struct err *err)
{
	size_t most = d->hot_a.count + d->hot_b.count, count = 0;
	struct entry *entries = calloc(most + 1, sizeof(*entries));

	d->rows = calloc(most + 1, sizeof(*d->rows));
	if (entries == NULL || d->rows == NULL) {
		free(entries);
		return err_set(err, "not enough memory for %zu rows", most);
	}
	for (size_t i = 0; i < d->hot_a.count; i++)
		entries[count++] = (struct entry){&d->hot_a.rows[i], false};
	for (size_t i = 0; i < d->hot_b.count; i++)
		entries[count++] = (struct entry){&d->hot_b.rows[i], true};
	qsort(entries, count, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < count; i++) {
		struct diff_hot_row *to;

		if (i == 0 || compare_keys(entries[i - 1].row, entries[i].row) != 0)
			d->rows[d->count++].shown = entries[i].row;
		to = &d->rows[d->count - 1];
		hot_add(entries[i].is_b ? &to->b : &to->a, &entries[i].row->cost);
		if (entries[i].is_b)
			to->shown = entries[i].row;
	}
	free(entries);
	qsort(d->rows, d->count, sizeof(*d->rows), compare_changes);
	return 0;
}

static int read_hot(const struct profile *p, uint64_t size_bytes, enum hot_by by, struct hot *hot,
		    struct err *err)
{
	struct hot_cost *costs = hot_costs(p, size_bytes, err);
	int status = costs != NULL ? hot_rows(p, costs, by, hot, err) : -1;

	free(costs);
	return status;
}

int diff_samples_init(struct diff_samples *d, const struct profile *a, const struct profile *b,
		      enum hot_by by, uint64_t size_bytes, struct err *err)
{
	*d = (struct diff_samples){.a = a, .b = b, .by = by};
	if (profile_choose_size(a, size_bytes, &d->size_bytes, err) != 0 ||
	    profile_check_size(b, d->size_bytes, err) != 0)
		return -1;
	if (a->line_bytes != b->line_bytes)
		return err_set(err,
			       "one profile has lines of %u bytes and the other of %u: --line "
			       "SIZE of 'dwell record' makes them the same",
			       a->line_bytes, b->line_bytes);
	add_caches(d);
	if (read_hot(a, d->size_bytes, by, &d->hot_a, err) != 0 ||
	    read_hot(b, d->size_bytes, by, &d->hot_b, err) != 0 || match(d, err) != 0) {
		diff_samples_release(d);
		return -1;
	}
	return 0;
}

void diff_samples_release(struct diff_samples *d)
{
	hot_release(&d->hot_a);
	hot_release(&d->hot_b);
	free(d->rows);
	*d = (struct diff_samples){0};
}

/* ---- Conditions ---- */

/* A cache by its name, or by its size. */
static const struct diff_cache *find_cache(const struct diff_samples *d, const char *subject)
{
	uint64_t size;

	for (size_t i = 0; i < d->cache_count; i++)
		if (d->caches[i].name != NULL && strcmp(d->caches[i].name, subject) == 0)
			return &d->caches[i];
	if (size_parse(subject, &size, NULL) != 0)
		return NULL;
	for (size_t i = 0; i < d->cache_count; i++)
		if (d->caches[i].size_bytes == size)
			return &d->caches[i];
	return NULL;
}

int diff_samples_check(const struct diff_samples *d, struct diff_condition *c, struct err *err)
{
	const struct diff_cache *cache;
	struct diff_test t;

	if (diff_parse_test(&t, c->text, err) != 0)
		return -1;
	cache = find_cache(d, t.subject);
	if (cache == NULL)
		return err_set(
			err,
			"condition '%.100s': '%.100s' is none of the caches that are compared: "
			"of samples, conditions are on the miss ratio of a cache, as "
			"'L2 > +5%%'",
			c->text, t.subject);
	if (!cache->a.known || !cache->b.known)
		return err_set(err, "condition '%.100s': there are too few samples to tell",
			       c->text);
	c->a = cache->a.ratio;
	c->b = cache->b.ratio;
	c->holds =
		diff_test_holds(&t, c->a, c->b) && (t.limit_is == DIFF_VALUE || cache->is_outside);
	return 0;
}
