/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two sampled profiles side by side; see diff.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "answer/cost_columns.h"
#include "answer/diff.h"
#include "answer/json.h"

static const char *const by_names[] = {
	[HOT_FUNCTION] = "function",
	[HOT_FILE] = "file",
	[HOT_LINE] = "line",
	[HOT_DATA] = "data",
};

static double misses_of(const struct hot_cost *c)
{
	return c->misses + c->cold;
}

/* Nothing is known about a side without samples. With samples, code without any hardly misses. */
static bool is_known(const struct profile *p)
{
	return p->sample_count > 0;
}

/* ---- Columns ---- */

/* Unknown values are NAN. */
struct side {
	struct ratio_row limits;
	double ratio, low, high;
	double least, most; /* the same limits, also of an unknown ratio: 0 and 1 */
	double misses;	    /* how many */
	double cost;	    /* cycles that the misses of all levels wait */
	uint64_t samples;
};

/* A cache, or a row of code. */
struct row {
	const char *kind, *name, *function, *file;
	uint32_t line;
	uint64_t size_bytes;
	struct side a, b;
	double change, growth;
	bool is_outside, are_known;
	const struct diff_samples *d;
};

/* `misses`: of a cache; rows of code have a cost. */
static struct side side_of(const struct profile *p, const struct model_ratio *r, double misses,
			   const struct hot_cost *cost)
{
	const bool is_row = cost != NULL && is_known(p);

	return (struct side){.limits = {.ratio = r},
			     .ratio = r->known ? r->ratio : NAN,
			     .low = r->known ? r->low : NAN,
			     .high = r->known ? r->high : NAN,
			     .least = r->low,
			     .most = r->high,
			     .misses = is_row			  ? misses_of(cost)
				       : cost == NULL && r->known ? misses
								  : NAN,
			     .cost = is_row ? cost->cycles : NAN,
			     .samples = cost != NULL ? cost->samples : p->process->samples};
}

static void compare_sides(struct row *r)
{
	r->change = r->b.cost - r->a.cost;
	r->growth = condition_relative(r->a.misses, r->b.misses);
	r->are_known = !isnan(r->a.ratio) && !isnan(r->b.ratio);
}

static struct row cache_of(const struct diff_samples *d, size_t i)
{
	const struct diff_cache *c = &d->caches[i];
	struct row row = {.kind = "cache",
			  .name = c->name,
			  .size_bytes = c->size_bytes,
			  .a = side_of(d->a, &c->a, c->misses_a, NULL),
			  .b = side_of(d->b, &c->b, c->misses_b, NULL),
			  .is_outside = c->is_outside,
			  .d = d};

	compare_sides(&row);
	return row;
}

static struct row row_of(const struct diff_samples *d, size_t i)
{
	const struct diff_hot_row *r = &d->rows[i];
	struct row row = {.kind = by_names[d->by],
			  .function = r->shown->function,
			  .file = r->shown->file,
			  .line = r->shown->line,
			  .a = side_of(d->a, &r->ratio_a, NAN, &r->a),
			  .b = side_of(d->b, &r->ratio_b, NAN, &r->b),
			  .is_outside = r->is_outside,
			  .d = d};

	compare_sides(&row);
	return row;
}

/* In CSV the size names a cache. */
static void get_name(const void *row, struct value *v)
{
	const struct row *r = row;

	v->text = r->function;
	if (r->size_bytes == 0)
		return;
	text_addf(v->made, "%" PRIu64, r->size_bytes);
	v->text = text_get(v->made);
}

/* Functions are named by themselves, the others with their file. */
static void get_code(const void *row, struct value *v)
{
	const struct row *r = row;

	if (r->function != NULL)
		text_add(v->made, r->function);
	if (r->d->by != HOT_FUNCTION && r->file != NULL)
		text_addf(v->made, "%s%s", v->made->count > 0 ? " " : "", r->file);
	if (r->line != 0)
		text_addf(v->made, ":%" PRIu32, r->line);
	v->text = v->made->count > 0 ? text_get(v->made) : NULL;
}

/* Estimates, so in few digits. */
static void put_number(double number, struct value *v)
{
	v->is_missing = isnan(number);
	v->whole = v->is_missing ? 0 : (uint64_t)llround(number);
}

static void get_misses_a(const void *row, struct value *v)
{
	put_number(((const struct row *)row)->a.misses, v);
}

static void get_misses_b(const void *row, struct value *v)
{
	put_number(((const struct row *)row)->b.misses, v);
}

static void get_cost_a(const void *row, struct value *v)
{
	put_number(((const struct row *)row)->a.cost, v);
}

static void get_cost_b(const void *row, struct value *v)
{
	put_number(((const struct row *)row)->b.cost, v);
}

/* The change of the cost, as a part of what all misses of A cost. */
static void get_change(const void *row, struct value *v)
{
	const struct row *r = row;

	v->real = r->d->cost_a.cycles > 0 ? r->change / r->d->cost_a.cycles : NAN;
}

/* Whether the two intervals do not overlap. */
static void get_outside(const void *row, struct value *v)
{
	const struct row *r = row;

	v->truth = r->is_outside;
	v->is_missing = !r->are_known;
}

enum {
	KIND,
	NAME,
	FUNCTION,
	FILE_OF,
	LINE,
	CODE,
	DATA,
	CACHE,
	SIZE,
	MISSES_A,
	MISSES_B,
	COST_A,
	COST_B,
	CHANGE,
	RATIO_A,
	RATIO_B,
	LOW_A,
	LOW_B,
	HIGH_A,
	HIGH_B,
	INTERVAL_A,
	INTERVAL_B,
	GROWTH,
	OUTSIDE,
	SAMPLES_A,
	SAMPLES_B,
	SIDE_A, /* six, in JSON */
	SIDE_B = SIDE_A + 6,
};

#define MEMBER(member)	COLUMN_MEMBER(struct row, member)
#define OR_DASH(member) MEMBER(member), .missing = "-"

/* In JSON each side is an object. */
#define SIDE(at, side)                                                                           \
	[at] = {NULL, "miss_ratio", UNIT_RATIO, MEMBER(side.ratio), .group = #side},             \
	[at + 1] = {NULL, "low", UNIT_RATIO, MEMBER(side.least), .group = #side},                \
	[at + 2] = {NULL, "high", UNIT_RATIO, MEMBER(side.most), .group = #side},                \
	[at +                                                                                    \
		3] = {NULL,	      "misses",	      UNIT_COUNT, get_misses_##side,             \
		      .group = #side, .adds_up = true},                                          \
	[at + 4] = {NULL, "cost", UNIT_COUNT, get_cost_##side, .group = #side, .adds_up = true}, \
	[at + 5] = {NULL,	    "samples",	    UNIT_NUMBER, MEMBER(side.samples),           \
		    .group = #side, .adds_up = true}

static const struct column columns[] = {
	[KIND] = {NULL, "by", UNIT_TEXT, MEMBER(kind), .is_kind = true},
	[NAME] = {NULL, "name", UNIT_TEXT, get_name},
	[FUNCTION] = {NULL, "function", UNIT_TEXT, MEMBER(function)},
	[FILE_OF] = {NULL, "file", UNIT_TEXT, MEMBER(file)},
	[LINE] = {NULL, "line", UNIT_NUMBER, MEMBER(line), .zero_is_missing = true},
	[CODE] = {"CODE", NULL, UNIT_TEXT, get_code, .may_cut = true, .missing = "???"},
	[DATA] = {"DATA STRUCTURE", NULL, UNIT_TEXT, get_code, .may_cut = true},
	[CACHE] = {"CACHE", "name", UNIT_TEXT, MEMBER(name)},
	[SIZE] = {"SIZE", "size_bytes", UNIT_BYTES, MEMBER(size_bytes)},
	[MISSES_A] = {"MISSES A", "misses_a", UNIT_COUNT, get_misses_a, .missing = "-",
		      .adds_up = true},
	[MISSES_B] = {"MISSES B", "misses_b", UNIT_COUNT, get_misses_b, .missing = "-",
		      .adds_up = true},
	[COST_A] = {NULL, "cost_a", UNIT_COUNT, get_cost_a, .adds_up = true},
	[COST_B] = {NULL, "cost_b", UNIT_COUNT, get_cost_b, .adds_up = true},
	[CHANGE] = {"COST", NULL, UNIT_GROWTH, get_change},
	[RATIO_A] = {"RATIO A", "ratio_a", UNIT_RATIO, OR_DASH(a.ratio)},
	[RATIO_B] = {"RATIO B", "ratio_b", UNIT_RATIO, OR_DASH(b.ratio)},
	[LOW_A] = {NULL, "low_a", UNIT_RATIO, MEMBER(a.low)},
	[LOW_B] = {NULL, "low_b", UNIT_RATIO, MEMBER(b.low)},
	[HIGH_A] = {NULL, "high_a", UNIT_RATIO, MEMBER(a.high)},
	[HIGH_B] = {NULL, "high_b", UNIT_RATIO, MEMBER(b.high)},
	[INTERVAL_A] = {"95 % INTERVAL", NULL, UNIT_INTERVAL, MEMBER(a.limits.ratio)},
	[INTERVAL_B] = {"95 % INTERVAL", NULL, UNIT_INTERVAL, MEMBER(b.limits.ratio)},
	[GROWTH] = {"CHANGE %", NULL, UNIT_GROWTH, MEMBER(growth)},
	[OUTSIDE] = {"OUTSIDE", "outside", UNIT_TRUTH, get_outside, .missing = "not known"},
	[SAMPLES_A] = {NULL, "samples_a", UNIT_NUMBER, MEMBER(a.samples), .adds_up = true},
	[SAMPLES_B] = {NULL, "samples_b", UNIT_NUMBER, MEMBER(b.samples), .adds_up = true},
	SIDE(SIDE_A, a),
	SIDE(SIDE_B, b),
};

#define C(column) (&columns[column])
#define CSV(c)                     \
	{                          \
		C(c), .in = IN_CSV \
	}
#define JSON(c)                     \
	{                           \
		C(c), .in = IN_JSON \
	}

/* What rows are; also of text, how they are told apart. */
enum {
	CACHES = ROWS_OF_VIEW,
	DATA_ROWS = ROWS_OF_VIEW << 1,
	CODE_ROWS = ROWS_OF_VIEW << 2,
};

static const struct shown shown[] = {
	CSV(KIND),
	CSV(NAME),
	{C(CACHE), .needs = CACHES, .in = IN_TEXT | IN_JSON},
	{C(SIZE), .needs = CACHES, .in = IN_TEXT | IN_JSON},
	{C(NAME), .needs = DATA_ROWS, .in = IN_JSON},
	{C(FUNCTION), .needs = CODE_ROWS, .in = IN_JSON},
	CSV(FILE_OF),
	{C(FILE_OF), .needs = CODE_ROWS, .in = IN_JSON},
	CSV(LINE),
	{C(LINE), .needs = CODE_ROWS, .in = IN_JSON},
	{C(CHANGE), .lacks = CACHES, .in = IN_TEXT},
	{C(MISSES_A), .in = IN_TEXT | IN_CSV},
	{C(MISSES_B), .in = IN_TEXT | IN_CSV},
	{C(GROWTH), .in = IN_TEXT},
	{C(OUTSIDE), .needs = CACHES, .in = IN_TEXT},
	{C(OUTSIDE), .lacks = CACHES, .less = 3, .in = IN_TEXT},
	CSV(COST_A),
	CSV(COST_B),
	{C(RATIO_A), .in = IN_TEXT | IN_CSV},
	CSV(LOW_A),
	CSV(HIGH_A),
	{C(INTERVAL_A), .less = 1, .in = IN_TEXT},
	{C(RATIO_B), .in = IN_TEXT | IN_CSV},
	CSV(LOW_B),
	CSV(HIGH_B),
	{C(INTERVAL_B), .less = 2, .in = IN_TEXT},
	JSON(SIDE_A),
	JSON(SIDE_A + 1),
	JSON(SIDE_A + 2),
	JSON(SIDE_A + 3),
	{C(SIDE_A + 4), .lacks = CACHES, .in = IN_JSON},
	{C(SIDE_A + 5), .lacks = CACHES, .in = IN_JSON},
	JSON(SIDE_B),
	JSON(SIDE_B + 1),
	JSON(SIDE_B + 2),
	JSON(SIDE_B + 3),
	{C(SIDE_B + 4), .lacks = CACHES, .in = IN_JSON},
	{C(SIDE_B + 5), .lacks = CACHES, .in = IN_JSON},
	{C(OUTSIDE), .in = IN_FILES},
	CSV(SAMPLES_A),
	CSV(SAMPLES_B),
	{C(DATA), .needs = DATA_ROWS, .in = IN_TEXT},
	{C(CODE), .needs = CODE_ROWS, .in = IN_TEXT},
};

struct held {
	struct row *caches, *rows;
	struct assumed assumed;
	struct text none;
};

static void release(void *held)
{
	struct held *h = held;

	free(h->caches);
	free(h->rows);
	text_release(&h->none);
}

/*
 * The number of rows that have changed, as far as is known. The rows are sorted by change;
 * otherwise all are shown.
 */
static size_t changed_rows(const struct diff_samples *d)
{
	size_t count = 0;

	if (!is_known(d->a) || !is_known(d->b) || d->query.sort != NULL)
		return d->count;
	while (count < d->count && (misses_of(&d->rows[count].a) != misses_of(&d->rows[count].b) ||
				    d->rows[count].a.cycles != d->rows[count].b.cycles))
		count++;
	return count;
}

/* With the side whose limit it mentions. */
static void put_cache(const struct diff_samples *d, struct text *out)
{
	const bool is_b = profile_resolved_size(d->b) < profile_resolved_size(d->a);

	figure_cache(is_b ? d->b : d->a, &d->query, out);
}

/* "4.20e8, then 9.11e7 (-78.30 %)" */
static void put_both(double a, double b, struct text *out)
{
	char first[FIGURE_BYTES], second[FIGURE_BYTES], growth[FIGURE_BYTES];

	event_growth(condition_relative(a, b), growth);
	text_addf(out, "%s, then %s (%s)", figure_count((uint64_t)llround(a), first),
		  figure_count((uint64_t)llround(b), second), growth);
}

/* What the runs did, and what their misses cost: which of them waits less. */
static void put_work(const struct diff_samples *d, struct text *out)
{
	const struct store_process *a = d->a->process, *b = d->b->process;
	const struct diff_cost *x = &d->cost_a, *y = &d->cost_b;

	text_add(out, "\nInstructions ");
	put_both((double)a->instructions, (double)b->instructions, out);
	text_add(out, "; accesses ");
	put_both((double)a->accesses, (double)b->accesses, out);
	text_add(out, "\n");
	if (!d->has_cost || !is_known(d->a) || !is_known(d->b))
		return;
	text_add(out, "Misses cost about, in cycles: ");
	put_both(x->cycles, y->cycles, out);
	text_add(out, y->high < x->low	 ? ": B waits less for memory\n"
		      : x->high < y->low ? ": B waits more for memory\n"
					 : ": no difference is certain\n");
}

/* The tables of the answer. */
enum { OF_CACHES, IN_WORDS, IN_DATA, TABLES };

static void put_words(struct held *h, const struct diff_samples *d, struct answer *a)
{
	struct rows *r = &a->tables[IN_WORDS];

	diff_put_side("A", d->path_a, d->a->process->command, &a->title);
	diff_put_side("B", d->path_b, d->b->process->command, &a->title);
	a->title_indent = DIFF_TITLE_INDENT;
	put_work(d, &a->title);
	text_add(&a->title, "\nMisses, and misses per access (ratio)\n");
	if (d->count == 0) {
		text_add(&h->none, query_filters(&d->query) ? ROWS_NONE_SHOWN
							    : "Neither profile has samples.");
	} else if (r->count == 0) {
		text_addf(&h->none, "No %s has changed its misses in a cache of ", by_names[d->by]);
		put_cache(d, &h->none);
		text_add(&h->none, ".");
	} else {
		text_addf(&r->title, "By %s, misses in a cache of ", by_names[d->by]);
		put_cache(d, &r->title);
		text_addf(&r->title,
			  "; COST: by how much the cost of the %s changes that of A's misses:\n",
			  d->by == HOT_DATA ? "data" : "code");
	}
	r->none = text_get(&h->none);
	r->more = r->count < d->count ? " that changed" : NULL;
}

static void fill(struct held *h, const struct diff_samples *d, struct answer *a)
{
	const unsigned has = d->by == HOT_DATA ? DATA_ROWS : CODE_ROWS;
	const size_t n = sizeof(shown) / sizeof(shown[0]);

	for (size_t i = 0; i < d->cache_count; i++)
		h->caches[i] = cache_of(d, i);
	for (size_t i = 0; i < d->count; i++)
		h->rows[i] = row_of(d, i);
	a->tables[OF_CACHES] = (struct rows){.items = h->caches,
					     .count = d->cache_count,
					     .bytes_each = sizeof(*h->caches),
					     .is_chosen = true};
	a->tables[IN_WORDS] = (struct rows){
		.items = h->rows, .count = changed_rows(d), .bytes_each = sizeof(*h->rows)};
	a->tables[IN_DATA] = (struct rows){
		.items = h->rows, .count = d->count, .bytes_each = sizeof(*h->rows), .key = "rows"};
	h->assumed = assumed_by(&d->query);
	ROWS_SHOW(&a->tables[OF_CACHES], shown, CACHES);
	rows_show(&a->tables[IN_WORDS], shown, n, has, IN_TEXT);
	rows_show(&a->tables[IN_DATA], shown, n, has, IN_FILES);
	assumed_show(&h->assumed, &a->tables[OF_CACHES]);
	assumed_show(&h->assumed, &a->tables[IN_DATA]);
}

static json_t *json_cost(const struct diff_samples *d, const struct diff_cost *c)
{
	return d->has_cost ? json_pack("{s:f, s:f, s:f}", "cycles", c->cycles, "low", c->low,
				       "high", c->high)
			   : json_null();
}

int diff_of_samples(struct answer *a, const struct diff_samples *d,
		    const struct condition *conditions, size_t count, struct err *err)
{
	struct held *h = answer_hold(a, sizeof(*h), err);
	struct column_list list;
	json_t *caches;

	if (h == NULL)
		return -1;
	a->release = release;
	h->caches = calloc(d->cache_count + 1, sizeof(*h->caches));
	h->rows = calloc(d->count + 1, sizeof(*h->rows));
	if (h->caches == NULL || h->rows == NULL)
		return err_set(err, "not enough memory for %zu rows", d->count);
	fill(h, d, a);
	put_words(h, d, a);
	list = rows_list(&a->tables[OF_CACHES].json);
	caches = json_array();
	for (size_t i = 0; i < d->cache_count; i++)
		json_array_append_new(caches, columns_json(&list, &h->caches[i]));
	a->head = json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:s, s:o}", "cost_a",
			    json_cost(d, &d->cost_a), "cost_b", json_cost(d, &d->cost_b), "a",
			    json_text(d->path_a), "b", json_text(d->path_b), "caches", caches,
			    "size_bytes", (json_int_t)d->query.size_bytes, "by", by_names[d->by],
			    "conditions", diff_json_conditions(conditions, count));
	a->about = json_object();
	assumed_json(&d->query, a->about);
	return 0;
}
