/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view `objects`: misses by data structure, of samples or as a simulation counts them. */
#include "answer/objects.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "answer/counted_how.h"
#include "answer/data_columns.h"
#include "answer/miss_columns.h"
#include "events/event_rows.h"
#include "profile/kinds.h"

#define USUAL_ROWS   20
#define ROWS_BY_DATA 40 /* of report --by data, as of other events */
#define WIDE	     140
#define NAME_BYTES   20

/* Copies, as columns find what they show by its offset in the row. */
struct row {
	struct data_cells cells;
	struct structures_row x; /* of a simulation */
	const uint64_t *totals;
};

/* ---- Columns ---- */

/* What the rows of a profile have, beside enum rows_needs; without both they are of samples. */
enum {
	COUNTED = ROWS_OF_VIEW,
	CURVES = ROWS_OF_VIEW << 1, /* of dwell simulate --curve --by data: no intervals */
};

static void get_access(const void *row, struct value *v)
{
	v->text = forms_access(&((const struct row *)row)->x.pattern);
}

static void get_regular(const void *row, struct value *v)
{
	v->real = forms_regular(&((const struct row *)row)->x.pattern);
}

static void get_near(const void *row, struct value *v)
{
	v->real = forms_near(&((const struct row *)row)->x.pattern);
}

enum { CYCLES, ACCESS, REGULAR, NEAR, ALL_ACCESSES, ALL_MISSES, FIRST_TOUCHES };

#define MEMBER(member) COLUMN_MEMBER(struct row, member)

static const struct column columns[] = {
	[CYCLES] = {"COST", "cost_share", UNIT_SHARE, MEMBER(x.cost), .adds_up = true},
	[ACCESS] = {"ACCESS", "access", UNIT_TEXT, get_access},
	[REGULAR] = {NULL, "regular", UNIT_SHARE, get_regular},
	[NEAR] = {NULL, "near", UNIT_SHARE, get_near},
	[ALL_ACCESSES] = {NULL, "accesses", UNIT_COUNT, MEMBER(cells.r.cost.samples)},
	[ALL_MISSES] = {NULL, "misses", UNIT_COUNT, MEMBER(cells.r.misses)},
	[FIRST_TOUCHES] = {NULL, "first_touches", UNIT_COUNT, MEMBER(cells.r.first_touches)},
};

static const struct column references[] = REFERENCE_TABLE(struct row, x.references, x.ratio);

#define C(column) &columns[column]
#define R(column) &references[column]

/* Ranks of columns: what is known of blocks, causes, levels in between, shares, kinds. */
enum {
	LESS_TYPE = 1,
	LESS_SIZES,
	LESS_ELEMENT,
	LESS_BLOCKS,
	LESS_COLD = 10,
	LESS_OTHERS = 20,
	LESS_CONFLICT = 30,
	LESS_BETWEEN = 40, /* and 10 for each level */
	LESS_SHARE = 100,
	LESS_ACCESS = 110,
	LESS_KIND,
};

/* Before the columns of the levels. */
static const struct shown first[] = {
	{COST(NAME)},
	{DATA(KIND), .in = IN_FILES},
	{DATA(TYPE)},
	{COST(FILE), .in = IN_FILES},
	{COST(LINE), .in = IN_CSV},
	{COST(LINE_OR_0), .in = IN_JSON},
	{COST(FUNCTION), .in = IN_FILES},
	{DATA(MODULE)},
	{DATA(ALLOCATOR)},
	{COST(CYCLES), .lacks = COUNTED | CURVES},
	{COST(ALL_MISSES), .lacks = COUNTED},
	{COST(COLD), .lacks = COUNTED, .in = IN_FILES},
	{COST(RATIO), .lacks = COUNTED},
	{COST(INTERVAL), .lacks = COUNTED | CURVES},
	{COST(LOW), .lacks = COUNTED, .in = IN_CSV},
	{COST(HIGH), .lacks = COUNTED, .in = IN_CSV},
	{COST(ACCESSES), .lacks = COUNTED},
	{COST(SAMPLES), .lacks = COUNTED, .in = IN_FILES},
	{COST(SAMPLES), .lacks = COUNTED | CURVES, .less = LESS_TYPE, .in = IN_TEXT},
	{COST(LOW), .lacks = COUNTED, .in = IN_JSON},
	{COST(HIGH), .lacks = COUNTED, .in = IN_JSON},
	{C(CYCLES), .needs = COUNTED},
	{R(REFERENCES), .needs = COUNTED},
	{R(REFERENCES_LOW), .needs = COUNTED},
	{R(REFERENCES_HIGH), .needs = COUNTED},
	{R(RATIO), .needs = COUNTED},
};

static const struct shown last[] = {
	{DATA(SITES), .in = IN_CSV},
	{DATA(SEVERAL_BLOCKS), .less = LESS_BLOCKS},
	{DATA(KNOWN_BYTES)},
	{DATA(SIZES), .less = LESS_SIZES},
	{DATA(KNOWN_ELEMENT), .less = LESS_ELEMENT},
	{DATA(BLOCKS)},
	{DATA(BYTES)},
	{DATA(ALLOCATED_BYTES)},
	{DATA(LIVE_BLOCKS)},
	{DATA(LIVE_BYTES)},
	{DATA(SMALLEST)},
	{DATA(LARGEST)},
	{DATA(ELEMENT_SIZE)},
	{DATA(SITES), .in = IN_JSON},
	{DATA(PATH), .in = IN_JSON},
	{DATA(FORM_OR_KIND), .less = LESS_KIND},
	{DATA(FORM)},
	{C(ACCESS), .needs = COUNTED, .less = LESS_ACCESS},
	{C(REGULAR), .needs = COUNTED},
	{C(NEAR), .needs = COUNTED},
	{C(ALL_ACCESSES), .needs = CURVES, .in = IN_JSON},
	{C(ALL_MISSES), .needs = CURVES, .in = IN_JSON},
	{C(FIRST_TOUCHES), .needs = CURVES, .in = IN_JSON},
	{DATA(BLOCK_TYPE), .less = LESS_TYPE},
	{DATA(WORDS)},
};

/* ---- Columns of a level of caches ---- */

static size_t misses_at(size_t level)
{
	return offsetof(struct row, x.misses) + level * sizeof(struct counted_misses);
}

static void get_share(const void *row, struct value *v)
{
	const struct row *r = row;
	const size_t level = (v->number - misses_at(0)) / sizeof(struct counted_misses);
	const uint64_t total = r->totals[level];

	v->real = total > 0 ? (double)r->x.misses[level].all / (double)total : NAN;
}

/* "%s": the level. Ranks of all levels but those in between, and of these. */
static const struct {
	const char *title, *key;
	enum unit unit;
	void (*get)(const void *row, struct value *v);
	bool adds_up;
	unsigned needs, less, less_between;
} figures[] = {
	{"%s MISSES", "%s_misses", UNIT_COUNT, miss_all, true, 0, 0, LESS_BETWEEN + 4},
	{"LOW", NULL, UNIT_COUNT, miss_low, false, ROWS_BOUNDS, 0, LESS_BETWEEN + 3},
	{"HIGH", NULL, UNIT_COUNT, miss_high, false, ROWS_BOUNDS, 0, LESS_BETWEEN + 2},
	{"SHARE", "%s_miss_share", UNIT_SHARE, get_share, true, 0, LESS_SHARE, LESS_BETWEEN + 1},
	{NULL, "%s_cold", UNIT_COUNT, miss_cold, true},
	{NULL, "%s_by_self", UNIT_COUNT, miss_by_self, true},
	{NULL, "%s_by_others", UNIT_COUNT, miss_by_others, true},
	{NULL, "%s_low", UNIT_COUNT, miss_low, false, ROWS_BOUNDS},
	{NULL, "%s_high", UNIT_COUNT, miss_high, false, ROWS_BOUNDS},
	{"COLD", NULL, UNIT_SHARE, miss_cold_share, false, 0, LESS_COLD, LESS_COLD},
	{"BY OTHERS", NULL, UNIT_SHARE, miss_others_share, false, 0, LESS_OTHERS, LESS_OTHERS},
	{"CONFLICT", NULL, UNIT_SHARE, miss_conflict_share, false, ROWS_CONFLICTS, LESS_CONFLICT,
	 LESS_CONFLICT},
	{NULL, "%s_conflict", UNIT_COUNT, miss_conflicts, true, ROWS_CONFLICTS},
	{NULL, "%s_capacity", UNIT_COUNT, miss_capacity, true, ROWS_CONFLICTS},
};

#define FIGURES (sizeof(figures) / sizeof(figures[0]))

struct made {
	struct column column;
	char title[NAME_BYTES], key[NAME_BYTES];
};

struct held {
	struct query query; /* with the cache, of samples */
	struct assumed assumed;
	struct data data;
	struct structures structures;
	struct made made[STRUCTURES_LEVELS][FIGURES];
	struct row *rows;
	bool *marks;
};

/* The name of a column of a level; NULL: none. */
static const char *name_of(const char *form, const char *level, char room[NAME_BYTES])
{
	if (form == NULL)
		return NULL;
	snprintf(room, NAME_BYTES, form, level);
	return room;
}

static unsigned rank_of(size_t figure, size_t level, size_t levels)
{
	if (level == 0 || level + 1 == levels)
		return figures[figure].less > 0 ? figures[figure].less + (unsigned)level : 0;
	return figures[figure].less_between +
	       (unsigned)level * (figures[figure].less_between > LESS_BETWEEN ? 10 : 1);
}

static void show_levels(struct held *h, const struct structures *s, unsigned has, struct rows *r)
{
	for (size_t level = 0; level < s->level_count; level++)
		for (size_t i = 0; i < FIGURES; i++) {
			struct made *m = &h->made[level][i];
			const struct shown one = {.column = &m->column,
						  .needs = figures[i].needs,
						  .less = rank_of(i, level, s->level_count)};

			m->column = (struct column){
				.title = name_of(figures[i].title, s->levels[level], m->title),
				.key = name_of(figures[i].key, s->levels[level], m->key),
				.unit = figures[i].unit,
				.get = figures[i].get,
				.number = misses_at(level),
				.adds_up = figures[i].adds_up};
			rows_show(r, &one, 1, has, IN_TEXT | IN_FILES);
		}
}

/* ---- Rows ---- */

static void release(void *held)
{
	struct held *h = held;

	free(h->marks);
	free(h->rows);
	data_release(&h->data);
	structures_release(&h->structures);
}

static struct held *hold(struct answer *a, size_t count, struct err *err)
{
	struct held *h = a->held != NULL ? a->held : answer_hold(a, sizeof(*h), err);

	if (h == NULL)
		return NULL;
	a->release = release;
	h->rows = calloc(count + 1, sizeof(*h->rows));
	a->rows = (struct rows){.items = h->rows,
				.bytes_each = sizeof(*h->rows),
				.key = "objects",
				.none = ROWS_NONE_SHOWN};
	if (h->rows != NULL)
		return h;
	err_set(err, "not enough memory for %zu data structures", count);
	return NULL;
}

static bool is_shown(const struct data *d, const bool *marks, size_t i)
{
	const struct data_row *r = &d->rows[i];

	return (marks == NULL || marks[i]) &&
	       query_shows(d->query, (const char *const[]){r->name, r->file, r->module}, 3);
}

/* ---- Of samples ---- */

static void put_title(const struct data *d, struct text *out)
{
	char percent[FIGURE_BYTES];

	text_add(out, "Data structures in a cache of ");
	figure_cache(d->profile, d->query, out);
	text_addf(out, ": %smiss ratio %s\n",
		  !d->profile->is_exact	   ? ""
		  : d->policy == MODEL_LRU ? "LRU replacement, exact "
					   : "random replacement, exact ",
		  figure_percent(d->total.misses + d->total.cold, percent));
}

static void put_json(const struct data *d, struct answer *a)
{
	json_t *ratio = d->count > 0 ? json_real(d->total.misses + d->total.cold) : json_null();

	a->head = json_pack("{s:I, s:o, s:f}", "size_bytes", (json_int_t)d->size_bytes,
			    "miss_ratio", ratio, "cold_share", hot_share(d->total.cold, &d->total));
	a->about = json_object();
	if (d->profile->is_exact) {
		json_object_set_new(a->about, "exact", json_true());
		json_object_set_new(a->about, "policy", json_string(policy_word(d->policy)));
		json_object_set_new(a->about, "accesses", json_integer((json_int_t)d->accesses));
	} else {
		assumed_json(d->query, a->about);
	}
}

static void put_remarks(const struct data *d, const bool *marks, struct answer *a)
{
	if (d->count == 0 && d->profile->is_exact)
		a->rows.none = "The run was not simulated by data: see dwell simulate --by.";
	else if (d->count == 0)
		a->rows.none = "No samples were taken: nothing is known of the data.";
	else
		put_title(d, &a->title);
	if (d->count > 0 && marks == NULL && d->profile->site_count == 0 && !d->profile->is_exact)
		text_add(&a->remarks,
			 "\nThe profile knows of no stacks and allocations: it was recorded with "
			 "--no-objects.\n");
}

int objects_of_samples(struct answer *a, const struct data *d, const bool *marks, size_t most,
		       struct err *err)
{
	struct cost_limit limit = cost_limit_of(d->query, &d->total, most);
	struct held *h = hold(a, d->count, err);
	const unsigned has = d->profile->is_exact ? CURVES : 0;

	if (h == NULL)
		return -1;
	h->assumed = assumed_of(d->policy, d->query->ways);
	a->rows.wide = WIDE;
	ROWS_SHOW(&a->rows, first, has);
	ROWS_SHOW(&a->rows, last, has);
	assumed_show(&h->assumed, &a->rows);
	put_remarks(d, marks, a);
	/* Who names rows wants them; exact counts are none too few. */
	limit.keeps_all |= marks != NULL || d->profile->is_exact;
	for (size_t i = 0; i < d->count; i++) {
		if (!is_shown(d, marks, i))
			continue;
		h->rows[a->rows.count++].cells = data_cells_of(d, &d->rows[i]);
		if (cost_limit_shows(&limit, &d->rows[i].cost) && marks != NULL)
			data_put_details(d, i, &a->details);
	}
	a->usual_rows = limit.shown;
	put_json(d, a);
	return 0;
}

/* ---- Of a simulation ---- */

static void put_counted_title(const struct structures *s, struct text *out)
{
	char count[FIGURE_BYTES];

	counted_title(s->names.profile, "Data structures in simulated caches, ", ": misses,", out);
	for (size_t i = 0; i < s->level_count; i++)
		text_addf(out, "%s %s" ANSWER_STAY "%s", i > 0 ? "," : "", s->levels[i],
			  figure_count(s->totals[i], count));
	text_add(out, "; and causes in each");
	if (s->names.profile->sets > 1)
		text_add(out, "; references to some sets are not counted");
	else if (!s->references.are_counted)
		text_add(out, "; references are not counted");
	else
		text_add(out, s->references.are_exact
				      ? "; exact references, hits too"
				      : "; references, hits too: estimates have a ~");
	counted_title_end(s->names.profile, out);
}

static void put_counted_json(const struct structures *s, struct answer *a)
{
	json_t *levels = json_array();

	for (size_t i = 0; i < s->level_count; i++)
		json_array_append_new(levels, json_pack("{s:s, s:I}", "cache", s->levels[i],
							"misses", (json_int_t)s->totals[i]));
	a->head = counted_how_json(s->names.profile);
	json_object_set_new(a->head, "caches", levels);
}

#define LEAST_STEP 0.1 /* of the accesses with a usual stride: to be told */

static void put_percent(const char *before, double share, const char *after, struct text *out)
{
	char percent[FIGURE_BYTES];

	text_addf(out, "%s%s%s", before, figure_percent(share, percent), after);
}

/* What windows saw of a structure, for its details. */
static void put_pattern(const struct store_pattern *x, struct text *out)
{
	const char *before = "; usual, in bytes: ";

	if (forms_access(x) == NULL)
		return;
	text_addf(out, "    %-10s%s", "access", forms_access(x));
	put_percent(": ", forms_regular(x), " of strides are usual,", out);
	put_percent(" ", forms_near(x), " less than a line", out);
	for (size_t i = 0; i < STORE_PATTERN_STEPS; i++) {
		if ((double)x->steps[i].accesses < LEAST_STEP * (double)x->usual)
			continue;
		text_addf(out, "%s%" PRIu64, before, x->steps[i].bytes);
		before = ", ";
	}
	text_add(out, "\n");
	if (x->from_self + x->from_others == 0)
		return;
	text_addf(out, "    %-10s", "links");
	put_percent("", (double)x->from_self / (double)x->accesses,
		    " of accesses through addresses that it held itself,", out);
	put_percent(" ", (double)x->from_others / (double)x->accesses, " that others held\n", out);
}

int objects_of_structures(struct answer *a, const struct structures *s, size_t most,
			  struct err *err)
{
	const struct profile *p = s->names.profile;
	const unsigned has = COUNTED | (p->has_conflicts ? ROWS_CONFLICTS : 0) |
			     (p->stretches > 0 ? ROWS_BOUNDS : 0);
	struct held *h = hold(a, s->count, err);

	if (h == NULL)
		return -1;
	ROWS_SHOW(&a->rows, first, has);
	show_levels(h, s, has, &a->rows);
	ROWS_SHOW(&a->rows, last, has);
	for (size_t i = 0; i < s->count; i++) {
		const struct structures_row *x = &s->rows[i];
		struct row *row = &h->rows[a->rows.count++];

		*row = (struct row){data_cells_of(&s->names.data, x->data), *x, s->totals};
		row->cells.form = x->form;
		if (s->names.word == NULL || i >= most || x->data == &counted_unfollowed)
			continue;
		data_put_details(&s->names.data, (size_t)(x->data - s->names.data.rows),
				 &a->details);
		put_pattern(&x->pattern, &a->details);
	}
	a->usual_rows = most;
	put_counted_title(s, &a->title);
	put_counted_json(s, a);
	return 0;
}

/* ---- The view ---- */

static int answer_samples(const struct question *q, struct answer *a, struct held *h, size_t most,
			  struct err *err)
{
	if (profile_choose(&a->profile, q->query, &h->query, err) != 0)
		return -1;
	a->is_question_wrong = false;
	if (data_init(&h->data, &a->profile, &h->query, (enum data_by)q->sites_by, err) != 0)
		return -1;
	a->is_question_wrong = true;
	if (q->has_policy && h->data.policy != profile_policy(&h->query))
		return err_set(err, "the run was not simulated with %s replacement",
			       policy_word(profile_policy(&h->query)));
	if (q->word == NULL)
		return objects_of_samples(a, &h->data, NULL, most, err);
	h->marks = calloc(h->data.count + 1, sizeof(*h->marks));
	if (h->marks == NULL)
		return err_set(err, "not enough memory for %zu data structures", h->data.count);
	if (data_find(&h->data, q->word, h->marks, err) == 0)
		return -1;
	return objects_of_samples(a, &h->data, h->marks, most, err);
}

int view_objects(const struct question *q, struct answer *a, struct err *err)
{
	const size_t usual = q->by == EVENT_BY_DATA ? ROWS_BY_DATA : USUAL_ROWS;
	const size_t most = q->query->limit != 0 ? q->query->limit : usual;
	struct held *h = answer_hold(a, sizeof(*h), err);

	if (h == NULL)
		return -1;
	a->release = release;
	if (answer_open(a, q, PROFILE_BINS | PROFILE_CURVES | PROFILE_SAMPLES, err) != 0)
		return -1;
	a->is_question_wrong = true;
	if ((profile_kinds(a->profile.store) & KIND_BINS) == 0)
		return answer_samples(q, a, h, most, err);
	if (structures_init(&h->structures, &a->profile, q->query, (enum data_by)q->sites_by,
			    q->word, err) != 0)
		return -1;
	return objects_of_structures(a, &h->structures, most, err);
}
