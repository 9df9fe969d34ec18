/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Getters of counted misses and references. */
#include "answer/miss_columns.h"

#include <math.h>

#include "estimate/counted/counted.h"
#include "estimate/counted/references.h"

static const void *member(const void *row, const struct value *v)
{
	return (const char *)row + v->number;
}

/* ---- Misses ---- */

static const struct counted_misses *misses_of(const void *row, const struct value *v)
{
	return member(row, v);
}

static void put_share(const void *row, uint64_t part, struct value *v)
{
	const uint64_t all = misses_of(row, v)->all;

	v->real = all > 0 ? (double)part / (double)all : NAN;
}

void miss_all(const void *row, struct value *v)
{
	v->whole = misses_of(row, v)->all;
}

void miss_low(const void *row, struct value *v)
{
	v->whole = counted_low(misses_of(row, v));
}

void miss_high(const void *row, struct value *v)
{
	v->whole = counted_high(misses_of(row, v));
}

void miss_cold(const void *row, struct value *v)
{
	v->whole = misses_of(row, v)->cold;
}

void miss_by_self(const void *row, struct value *v)
{
	v->whole = misses_of(row, v)->by_self;
}

void miss_by_others(const void *row, struct value *v)
{
	v->whole = counted_by_others(misses_of(row, v));
}

void miss_conflicts(const void *row, struct value *v)
{
	v->whole = misses_of(row, v)->conflicts;
}

void miss_capacity(const void *row, struct value *v)
{
	v->whole = counted_capacity(misses_of(row, v));
}

void miss_cold_share(const void *row, struct value *v)
{
	put_share(row, misses_of(row, v)->cold, v);
}

void miss_others_share(const void *row, struct value *v)
{
	put_share(row, counted_by_others(misses_of(row, v)), v);
}

void miss_conflict_share(const void *row, struct value *v)
{
	put_share(row, misses_of(row, v)->conflicts, v);
}

/* ---- References ---- */

static const struct references_count *count_of(const void *row, const struct value *v)
{
	return member(row, v);
}

static const struct model_ratio *ratio_of(const void *row, const struct value *v)
{
	return member(row, v);
}

/* NAN: they are not counted. */
static void put_references(double count, struct value *v)
{
	v->is_missing = isnan(count);
	v->whole = v->is_missing ? 0 : (uint64_t)llround(count);
}

void references_value(const void *row, struct value *v)
{
	const struct references_count *c = count_of(row, v);

	put_references(c->value, v);
	v->is_estimate = c->low < c->high;
}

void references_low(const void *row, struct value *v)
{
	put_references(floor(count_of(row, v)->low), v);
}

void references_high(const void *row, struct value *v)
{
	put_references(ceil(count_of(row, v)->high), v);
}

void references_ratio_value(const void *row, struct value *v)
{
	const struct model_ratio *r = ratio_of(row, v);

	v->real = r->known ? r->ratio : NAN;
}

void references_interval(const void *row, struct value *v)
{
	const struct model_ratio *r = ratio_of(row, v);

	v->ratio = r;
	v->is_missing = !r->known || r->low >= r->high;
}
