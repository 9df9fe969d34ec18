/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of rows with their share of the misses, and of miss ratios. */
#include "answer/cost_columns.h"

#include "answer/figures.h"
#include "base/text.h"

#define INDENT	    2	    /* per level of a tree */
#define LEAST_SHARE 0.00005 /* smaller ones read 0.00 %, see figure_share */

struct cost_row cost_row_of(const struct hot *h, size_t i)
{
	const struct hot_row *r = &h->rows[i];

	return (struct cost_row){.function = r->function,
				 .file = r->file,
				 .line = r->line,
				 .cost = &r->cost,
				 .whole = &h->total};
}

struct cost_limit cost_limit_of(const struct query *q, const struct hot_cost *whole, size_t most)
{
	enum query_order order;
	struct err err;

	return (struct cost_limit){.whole = whole,
				   .most = most,
				   .is_by_cost = q->is_by_cost,
				   .keeps_all =
					   q->limit != 0 || query_order(q, &order, &err) != 0 ||
					   (order != QUERY_BY_MISSES && order != QUERY_BY_COST)};
}

bool cost_limit_shows(struct cost_limit *l, const struct hot_cost *cost)
{
	const bool is_little = hot_share(cost->misses + cost->cold, l->whole) < LEAST_SHARE &&
			       (!l->is_by_cost || cost->cycles <= LEAST_SHARE * l->whole->cycles);

	if (l->shown == 0 && is_little)
		l->keeps_all = true;
	if (l->shown == l->most || (is_little && !l->keeps_all)) {
		l->left++;
		return false;
	}
	l->shown++;
	return true;
}

static void get_line(const void *row, struct value *v)
{
	v->whole = ((const struct cost_row *)row)->line;
	v->is_missing = v->whole == 0;
}

static void get_place(const void *row, struct value *v)
{
	const struct cost_row *r = row;

	figure_place(r->file, r->line, r->function, v->made);
	v->text = text_get(v->made);
}

static void get_callers(const void *row, struct value *v)
{
	const struct cost_row *r = row;

	text_addf(v->made, "%*s%s", (int)r->depth * INDENT, "", r->function);
	v->text = text_get(v->made);
}

static void get_misses(const void *row, struct value *v)
{
	const struct cost_row *r = row;

	v->real = hot_share(r->cost->misses, r->whole);
}

static void get_all_misses(const void *row, struct value *v)
{
	const struct cost_row *r = row;

	v->real = hot_share(r->cost->misses + r->cost->cold, r->whole);
}

static void get_cold(const void *row, struct value *v)
{
	const struct cost_row *r = row;

	v->real = hot_share(r->cost->cold, r->whole);
}

static void get_cycles(const void *row, struct value *v)
{
	const struct cost_row *r = row;

	v->real = r->whole->cycles > 0 ? r->cost->cycles / r->whole->cycles : 0;
}

static void get_ratio(const void *row, struct value *v)
{
	v->real = hot_miss_ratio(((const struct cost_row *)row)->cost);
}

static void get_interval(const void *row, struct value *v)
{
	v->ratio = ((const struct cost_row *)row)->ratio;
	v->is_missing = v->ratio == NULL;
}

static void get_low(const void *row, struct value *v)
{
	const struct model_ratio *ratio = ((const struct cost_row *)row)->ratio;

	v->is_missing = ratio == NULL;
	v->real = ratio != NULL ? ratio->low : 0;
}

static void get_high(const void *row, struct value *v)
{
	const struct model_ratio *ratio = ((const struct cost_row *)row)->ratio;

	v->is_missing = ratio == NULL;
	v->real = ratio != NULL ? ratio->high : 0;
}

static void get_accesses(const void *row, struct value *v)
{
	v->real = ((const struct cost_row *)row)->cost->accesses;
}

static void get_samples(const void *row, struct value *v)
{
	v->whole = ((const struct cost_row *)row)->cost->samples;
}

const struct column cost_columns[COST_COLUMNS] = {
	[COST_KIND] = {NULL, "kind", UNIT_TEXT, COLUMN_MEMBER(struct cost_row, kind),
		       .is_kind = true},
	[COST_NAME] = {NULL, "name", UNIT_TEXT, COLUMN_MEMBER(struct cost_row, name)},
	[COST_FUNCTION] = {"FUNCTION", "function", UNIT_TEXT,
			   COLUMN_MEMBER(struct cost_row, function), .may_cut = true},
	[COST_FILE] = {"FILE", "file", UNIT_TEXT, COLUMN_MEMBER(struct cost_row, file),
		       .may_cut = true},
	[COST_LINE] = {NULL, "line", UNIT_NUMBER, get_line, .is_optional = true},
	[COST_LINE_OR_0] = {NULL, "line", UNIT_NUMBER, COLUMN_MEMBER(struct cost_row, line)},
	[COST_NUMBER] = {NULL, "number", UNIT_NUMBER, get_line},
	[COST_PLACE] = {"LINE", NULL, UNIT_TEXT, get_place, .may_cut = true},
	[COST_CALLERS] = {"FUNCTION, BELOW IT ITS CALLERS", NULL, UNIT_TEXT, get_callers,
			  .may_cut = true},
	[COST_PATH] = {NULL, "path", UNIT_TEXT, COLUMN_MEMBER(struct cost_row, name)},
	[COST_SOURCE] = {NULL, "source", UNIT_TEXT, COLUMN_MEMBER(struct cost_row, source)},
	[COST_MISSES] = {"MISSES", "miss_share", UNIT_SHARE, get_misses, .adds_up = true},
	[COST_ALL_MISSES] = {"MISSES", "miss_share", UNIT_SHARE, get_all_misses, .adds_up = true},
	[COST_COLD] = {"COLD", "cold_share", UNIT_SHARE, get_cold, .adds_up = true},
	[COST_CYCLES] = {"COST", "cost_share", UNIT_SHARE, get_cycles, .adds_up = true},
	[COST_RATIO] = {"MISS RATIO", "miss_ratio", UNIT_SHARE, get_ratio},
	[COST_LOW] = {NULL, "low", UNIT_SHARE, get_low},
	[COST_HIGH] = {NULL, "high", UNIT_SHARE, get_high},
	[COST_INTERVAL] = {"95 % INTERVAL", NULL, UNIT_INTERVAL, get_interval},
	[COST_ACCESSES] = {"ACCESSES", "access_share", UNIT_SHARE, get_accesses, .adds_up = true},
	[COST_SAMPLES] = {"SAMPLES", "samples", UNIT_COUNT, get_samples, .adds_up = true},
};

/* ---- Miss ratios ---- */

struct ratio_row ratio_row_of(const struct cost *c, size_t level, struct model_ratio *ratio)
{
	const struct cost_level *l = &c->levels[level];

	*ratio = (struct model_ratio){
		.ratio = l->ratio, .low = l->low, .high = l->high, .known = true};
	return (struct ratio_row){l->name, l->size_bytes, ratio, c->instructions, l};
}

static void get_ratio_misses(const void *row, struct value *v)
{
	const struct model_ratio *ratio = ((const struct ratio_row *)row)->ratio;

	v->real = ratio->ratio;
	v->is_missing = !ratio->known;
}

static void get_ratio_low(const void *row, struct value *v)
{
	v->real = ((const struct ratio_row *)row)->ratio->low;
}

static void get_ratio_high(const void *row, struct value *v)
{
	v->real = ((const struct ratio_row *)row)->ratio->high;
}

static void get_ratio_interval(const void *row, struct value *v)
{
	v->ratio = ((const struct ratio_row *)row)->ratio;
}

static void get_per_thousand(const void *row, struct value *v)
{
	const struct ratio_row *r = row;

	v->is_missing = r->level == NULL;
	v->real = v->is_missing ? 0 : 1000 * r->level->ratio / r->instructions;
}

static void get_level_cycles(const void *row, struct value *v)
{
	const struct ratio_row *r = row;

	v->is_missing = r->level == NULL;
	v->real = v->is_missing ? 0 : r->level->cycles;
}

const struct column ratio_columns[RATIO_COLUMNS] = {
	[RATIO_NAME] = {"CACHE", "name", UNIT_TEXT, COLUMN_MEMBER(struct ratio_row, name)},
	[RATIO_CURVE] = {NULL, "curve", UNIT_TEXT, COLUMN_MEMBER(struct ratio_row, name)},
	[RATIO_SIZE] = {"SIZE", "size_bytes", UNIT_BYTES,
			COLUMN_MEMBER(struct ratio_row, size_bytes)},
	[RATIO_MISSES] = {"MISS RATIO", "miss_ratio", UNIT_RATIO, get_ratio_misses},
	[RATIO_LOW] = {NULL, "low", UNIT_RATIO, get_ratio_low},
	[RATIO_HIGH] = {NULL, "high", UNIT_RATIO, get_ratio_high},
	[RATIO_INTERVAL] = {"95 % INTERVAL", NULL, UNIT_INTERVAL, get_ratio_interval},
	[RATIO_PER_THOUSAND] = {"MPKI", "mpki", UNIT_FACTOR, get_per_thousand},
	[RATIO_CYCLES] = {"COST", "cycles", UNIT_FACTOR, get_level_cycles},
};

/* ---- The assumed cache ---- */

static void get_policy(const void *row, struct value *v)
{
	(void)row;
	v->text = policy_word((enum model_policy)v->number);
}

static void get_ways(const void *row, struct value *v)
{
	(void)row;
	v->whole = v->number;
	v->is_missing = v->number == 0;
}

struct assumed assumed_of(enum model_policy policy, uint64_t ways)
{
	return (struct assumed){
		.policy = {NULL, "policy", UNIT_TEXT, get_policy, .number = (size_t)policy},
		.ways = {NULL, "ways", UNIT_NUMBER, get_ways, .number = (size_t)ways},
	};
}

struct assumed assumed_by(const struct query *q)
{
	return assumed_of(profile_policy(q), q->ways);
}

void assumed_show(const struct assumed *a, struct rows *r)
{
	const struct shown shown[] = {{&a->policy}, {&a->ways}};

	rows_show(r, shown, 2, 0, IN_CSV);
}

void assumed_json(const struct query *q, json_t *object)
{
	const struct assumed a = assumed_by(q);

	columns_json_put(COLUMN_LIST(ASSUMED(a)), NULL, object);
}
