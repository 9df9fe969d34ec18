/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view `spatial`: miss ratios by line size, in caches of some sizes. */
#include "estimate/spatial.h"

#include <inttypes.h>

#include "answer/answer.h"
#include "answer/cost_columns.h"
#include "answer/json.h"
#include "base/size.h"

/* ---- Rows: a line size in a cache ---- */

struct row {
	struct ratio_row ratio;
	const struct spatial *s;
	size_t line, size;
};

struct held {
	struct spatial spatial;
	struct assumed assumed;
	struct row rows[SPATIAL_LINES * SPATIAL_SIZES];
};

static void get_line(const void *row, struct value *v)
{
	v->whole = spatial_line(((const struct row *)row)->line);
}

static void get_use(const void *row, struct value *v)
{
	const struct row *r = row;

	v->real = spatial_use(r->s, r->line, r->size);
}

static void get_fetched(const void *row, struct value *v)
{
	const struct row *r = row;

	v->real = spatial_traffic(r->s, r->line, r->size);
}

static void get_used(const void *row, struct value *v)
{
	const struct row *r = row;

	v->real = spatial_used(r->s, r->line, r->size);
}

/* Of a table: "L2, 2M" or "cache of 2M". */
static void get_cache(const void *row, struct value *v)
{
	const struct ratio_row *r = row;
	char size[SIZE_TEXT_BYTES];

	text_addf(v->made, "%s%s%s", r->name != NULL ? r->name : "cache of",
		  r->name != NULL ? ", " : " ", size_format(r->size_bytes, size));
	v->text = text_get(v->made);
}

enum { CACHE, LINE, USE, FETCHED, USED };

static const struct column columns[] = {
	[CACHE] = {"CACHE", NULL, UNIT_TEXT, get_cache},
	[LINE] = {"LINE", "line_bytes", UNIT_NUMBER, get_line},
	[USE] = {"SPATIAL USE", "spatial_use", UNIT_FACTOR, get_use, .precise = 6},
	[FETCHED] = {"FETCHED", "bytes_fetched", UNIT_TRAFFIC, get_fetched, .precise = 6},
	[USED] = {"USED", "used", UNIT_SHARE, get_used, .precise = 6},
};

/* In JSON, rows are in the object of their cache. */
static const struct shown shown[] = {
	{RATIO(SIZE), .in = IN_CSV},
	{&columns[LINE]},
	{RATIO(MISSES)},
	{RATIO(LOW)},
	{RATIO(HIGH)},
	{RATIO(INTERVAL)},
	{&columns[USE]},
	{&columns[FETCHED]},
	{&columns[USED]},
};

static void add_rows(struct held *h, const struct profile *p, struct rows *r)
{
	const struct spatial *s = &h->spatial;

	for (size_t i = 0; i < s->size_count; i++)
		for (size_t k = 0; k < SPATIAL_LINES; k++)
			if (s->ratios[k][i].known) /* the cache can hold such a line */
				h->rows[r->count++] =
					(struct row){{profile_cache_name(p, s->sizes[i]),
						      s->sizes[i], &s->ratios[k][i]},
						     s,
						     k,
						     i};
}

static json_t *caches_json(const struct spatial *s, const struct rows *r)
{
	const struct column_list list = rows_list(&r->json);
	json_t *caches = json_array();

	for (size_t i = 0; i < s->size_count; i++) {
		json_t *lines = json_array();

		for (size_t k = 0; k < r->count; k++)
			if (((const struct row *)rows_at(r, k))->size == i)
				json_array_append_new(lines, columns_json(&list, rows_at(r, k)));
		json_array_append_new(caches, json_pack("{s:I, s:o}", "size_bytes",
							(json_int_t)s->sizes[i], "lines", lines));
	}
	return caches;
}

/* ---- The view ---- */

static void put_title(const struct spatial *s, const struct profile *p, struct text *out)
{
	/* between "those" and a part's name */
	static const char *const words[] = {
		[SUBSET_FUNCTION] = "of",
		[SUBSET_OBJECT] = "to",
		[SUBSET_LINE] = "of",
		[SUBSET_THREAD] = "of thread",
	};
	char samples[FIGURE_BYTES], ways[FIGURE_BYTES];

	text_add(out, "Miss ratio by line size: ");
	answer_words(out, p->process->command);
	if (s->part != NULL) {
		text_addf(out, "\nof the accesses, those %s ", words[s->part_kind]);
		answer_words(out, s->part);
	}
	text_addf(out,
		  "\n%s replacement, %s; %s samples watched at all line sizes\n"
		  "SPATIAL USE: 1 when misses fall as lines grow beyond %" PRIu32
		  " bytes, 0 when they do not\n"
		  "FETCHED: per access, into a cache of that size; USED: the share asked for\n",
		  figure_policy(profile_policy(s->query)), figure_ways(s->query, ways),
		  figure_count(s->samples, samples), s->small_line);
}

/* Those of the question; else of the machine, else usual ones. */
static int choose_sizes(const struct question *q, const struct profile *p, struct spatial *s,
			struct err *err)
{
	struct profile_cache caches[PROFILE_CACHES];

	for (size_t i = 0; i < q->size_count; i++) {
		if (q->sizes[i] < SPATIAL_FIRST)
			return err_set(err,
				       "a cache of %" PRIu64 " byte%s: it must hold a line of %d",
				       q->sizes[i], q->sizes[i] == 1 ? "" : "s", SPATIAL_FIRST);
		s->sizes[s->size_count++] = q->sizes[i];
	}
	profile_caches(p, caches);
	for (size_t i = 0; i < PROFILE_CACHES && q->size_count == 0; i++)
		if (caches[i].size_bytes > 0)
			s->sizes[s->size_count++] = caches[i].size_bytes;
	if (s->size_count > 0)
		return 0;
	s->sizes[s->size_count++] = 32 << 10;
	s->sizes[s->size_count++] = 1 << 20;
	return 0;
}

static void release(void *held)
{
	spatial_release(&((struct held *)held)->spatial);
}

int view_spatial(const struct question *q, struct answer *a, struct err *err)
{
	const struct profile *p = &a->profile;
	struct held *h = answer_hold(a, sizeof(*h), err);
	struct spatial *s;

	if (h == NULL || answer_open(a, q, PROFILE_SAMPLES, err) != 0)
		return -1;
	s = &h->spatial;
	*s = (struct spatial){.query = q->query,
			      .small_line = q->small_line,
			      .part = q->part,
			      .part_kind = q->part_kind};
	a->release = release;
	a->is_question_wrong = true;
	if (choose_sizes(q, p, s, err) != 0)
		return -1;
	a->is_question_wrong = s->part != NULL;
	if (spatial_compute(p, s, err) != 0)
		return -1;
	if (s->note != NULL)
		text_addf(&a->told, "%s\n", s->note);
	h->assumed = assumed_by(s->query);
	a->rows = (struct rows){
		.items = h->rows, .bytes_each = sizeof(h->rows[0]), .section = &columns[CACHE]};
	a->rows.none = p->sample_count == 0
			       ? "No samples were taken: the miss ratios are not known."
			       : "No sample was watched at all line sizes: the miss "
				 "ratios are not known.";
	ROWS_SHOW(&a->rows, shown, 0);
	assumed_show(&h->assumed, &a->rows);
	add_rows(h, p, &a->rows);
	put_title(s, p, &a->title);
	a->head = json_pack(
		"{s:o, s:I, s:o, s:s, s:i, s:I, s:o}", "part", json_text(s->part), "process",
		(json_int_t)p->process->id, "command", json_text(p->process->command), "policy",
		policy_word(profile_policy(s->query)), "small_line_bytes", (int)s->small_line,
		"samples", (json_int_t)s->samples, "caches", caches_json(s, &a->rows));
	a->about = json_object();
	assumed_json(s->query, a->about);
	return 0;
}
