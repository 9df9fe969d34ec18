/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares the rankings of halves of the windows; see order.h. */
#include "estimate/order.h"

#include <math.h>
#include <stdlib.h>

#define SPLITS 24

/* The contribution of one end to a row. */
struct word {
	uint32_t row, window;
	double misses;
};

struct ordering {
	const struct profile *p;
	uint32_t *row_of; /* by location, and a missing one */
	size_t rows;
	struct word *words;
	size_t count;
	double *halves[2];  /* misses by row over half of the windows; or all in the first */
	uint32_t *heaviest; /* rows */
	double *columns[2]; /* values of these rows */
};

/* ---- Rank correlation ---- */

struct ranked {
	double value, rank;
	size_t index;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static int by_index(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

/* Rank the values; sorted by value. The caller frees the result. */
static struct ranked *rank(const double *values, size_t count)
{
	struct ranked *r = calloc(count + 1, sizeof(*r));

	if (r == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++)
		r[i] = (struct ranked){.value = values[i], .index = i};
	qsort(r, count, sizeof(*r), by_value);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && r[end].value <= r[i].value; end++)
			;
		for (size_t k = i; k < end; k++)
			r[k].rank = (double)(i + end + 1) / 2;
	}
	qsort(r, count, sizeof(*r), by_index);
	return r;
}

double order_correlation(const double *x, const double *y, size_t count)
{
	struct ranked *a = rank(x, count), *b = rank(y, count);
	double mean = ((double)count + 1) / 2, both = 0, of_a = 0, of_b = 0;

	for (size_t i = 0; a != NULL && b != NULL && i < count; i++) {
		both += (a[i].rank - mean) * (b[i].rank - mean);
		of_a += (a[i].rank - mean) * (a[i].rank - mean);
		of_b += (b[i].rank - mean) * (b[i].rank - mean);
	}
	if (a == NULL || b == NULL)
		both = NAN;
	else
		both = of_a > 0 && of_b > 0 ? both / sqrt(of_a * of_b) : 0;
	free(a);
	free(b);
	return both;
}

/* ---- Contributions ---- */

struct placed_row {
	struct hot_row row;
	size_t location;
};

static int by_key(const void *a, const void *b)
{
	const struct placed_row *x = a, *y = b;

	return hot_compare_keys(&x->row, &y->row);
}

static int number_rows(struct ordering *o, enum hot_by by)
{
	const struct hot_cost nothing = {0};
	const struct profile *p = o->p;
	struct placed_row *rows = calloc(p->location_count + 1, sizeof(*rows));

	if (rows == NULL)
		return -1;
	for (size_t i = 0; i <= p->location_count; i++)
		rows[i] = (struct placed_row){
			hot_row_of(i < p->location_count ? &p->locations[i] : NULL, by, &nothing),
			i};
	qsort(rows, p->location_count + 1, sizeof(*rows), by_key);
	for (size_t i = 0; i <= p->location_count; i++) {
		o->rows += i == 0 || by_key(&rows[i - 1], &rows[i]) != 0;
		o->row_of[rows[i].location] = (uint32_t)o->rows - 1;
	}
	free(rows);
	return 0;
}

/* Returns the sum of misses. */
static double take_words(struct ordering *o, const struct profile_share *shares)
{
	const struct profile *p = o->p;
	double sum = 0;

	for (size_t i = 0; i < p->end_count; i++) {
		const struct profile_end *e = &p->ends[i];

		if (shares[i].misses <= 0)
			continue;
		o->words[o->count++] = (struct word){
			.row = o->row_of[profile_location_index(p, e->access->location)],
			.window = e->window,
			.misses = shares[i].misses};
		sum += shares[i].misses;
	}
	return sum;
}

/* The half of a window, which depends on the split. */
static uint32_t half_of(uint32_t window, uint32_t split)
{
	uint64_t x = ((uint64_t)split << 32 | window) * 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
	return (uint32_t)(x >> 63);
}

/* Sum up the halves; with `split` 0, all windows are in the first one. */
static void sum_halves(struct ordering *o, uint32_t split)
{
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < o->rows; i++)
			o->halves[k][i] = 0;
	for (size_t i = 0; i < o->count; i++) {
		const struct word *w = &o->words[i];

		o->halves[split > 0 ? half_of(w->window, split) : 0][w->row] += w->misses;
	}
}

/* ---- The order ---- */

/* Set o->heaviest: rows with most of `misses`. Returns their number; 0: no memory. */
static size_t find_heaviest(struct ordering *o, double misses, struct err *err)
{
	struct ranked *all = calloc(o->rows + 1, sizeof(*all));
	double sum = 0;
	size_t count = 0;

	if (all == NULL) {
		err_set(err, "not enough memory for %zu rows", o->rows);
		return 0;
	}
	for (size_t i = 0; i < o->rows; i++)
		all[i] = (struct ranked){.value = -o->halves[0][i], .index = i};
	qsort(all, o->rows, sizeof(*all), by_value);
	while (count < o->rows && sum < ORDER_PART * misses) {
		sum -= all[count].value;
		o->heaviest[count] = (uint32_t)all[count].index;
		count++;
	}
	free(all);
	return count;
}

/* The mean similarity of the rankings of two halves, over several splits. */
static double likeness_of_halves(struct ordering *o, size_t count)
{
	double sum = 0;

	for (uint32_t split = 1; split <= SPLITS; split++) {
		sum_halves(o, split);
		for (size_t k = 0; k < 2; k++)
			for (size_t i = 0; i < count; i++)
				o->columns[k][i] = o->halves[k][o->heaviest[i]];
		sum += order_correlation(o->columns[0], o->columns[1], count);
	}
	return sum / SPLITS;
}

static int measure(struct ordering *o, const struct profile_share *shares, struct order *out,
		   struct err *err)
{
	double misses = take_words(o, shares), alike;

	sum_halves(o, 0);
	if (misses <= 0)
		return 0;
	out->rows = find_heaviest(o, misses, err);
	if (out->rows == 0)
		return -1;
	if (out->rows < ORDER_LEAST_ROWS)
		return 0;
	alike = likeness_of_halves(o, out->rows);
	if (isnan(alike))
		return err_set(err, "not enough memory for %zu rows", out->rows);
	alike = fmax(0, alike);
	out->likeness = sqrt(2 * alike / (1 + alike));
	return 0;
}

static void release(struct ordering *o)
{
	for (size_t k = 0; k < 2; k++) {
		free(o->halves[k]);
		free(o->columns[k]);
	}
	free(o->row_of);
	free(o->words);
	free(o->heaviest);
}

/* Returns false without memory. */
static bool prepare(struct ordering *o)
{
	size_t rows = o->p->location_count + 1;
	bool is_there = true;

	o->row_of = calloc(rows, sizeof(*o->row_of));
	o->words = calloc(o->p->end_count + 1, sizeof(*o->words));
	o->heaviest = calloc(rows, sizeof(*o->heaviest));
	for (size_t k = 0; k < 2; k++) {
		o->halves[k] = calloc(rows, sizeof(double));
		o->columns[k] = calloc(rows, sizeof(double));
		is_there = is_there && o->halves[k] != NULL && o->columns[k] != NULL;
	}
	return is_there && o->row_of != NULL && o->words != NULL && o->heaviest != NULL;
}

int order_measure(struct order *out, const struct profile *p, const struct profile_share *shares,
		  enum hot_by by, struct err *err)
{
	struct ordering o = {.p = p};
	int ret;

	*out = (struct order){.likeness = NAN};
	if (!prepare(&o) || number_rows(&o, by) != 0)
		ret = err_set(err, "not enough memory for %zu samples", p->end_count);
	else
		ret = measure(&o, shares, out, err);
	release(&o);
	return ret;
}
