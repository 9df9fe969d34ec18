/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Curves of a part of the accesses. */
#include "estimate/subset.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "estimate/code.h"
#include "estimate/data.h"
#include "estimate/ratios.h"

#define ANY_SIZE (1u << 20) /* the set of data structures does not depend on the cache size */

void subset_release(struct subset *s)
{
	free(s->note);
	free(s->row_of);
	*s = (struct subset){0};
}

static void set_note(struct subset *s, struct text *t)
{
	if (t->count > 0)
		s->note = strdup(text_get(t));
	text_release(t);
}

/* ---- Code ---- */

static bool is_same_function(const struct store_frame *a, const struct store_frame *b)
{
	return strcmp(a->function, b->function) == 0 &&
	       (a->file == NULL || b->file == NULL || strcmp(a->file, b->file) == 0);
}

static void add_function(struct text *t, const struct store_frame *f)
{
	text_add(t, f->function);
	if (f->file != NULL)
		text_addf(t, " (%s)", path_basename(f->file));
}

/* Note functions of one name that differ in their files or full names. */
static void note_functions(struct subset *s, const struct profile *p, const struct code *c)
{
	const struct store_frame *first = NULL;
	struct text t = {0};

	for (size_t i = 0; i < p->location_count && t.count == 0; i++) {
		const struct store_frame *f = code_frame(c, &p->locations[i]);

		if (f == NULL)
			continue;
		if (first == NULL)
			first = f;
		if (is_same_function(first, f))
			continue;
		text_addf(&t, "'%s' is more than one function, taken together: ", s->name);
		add_function(&t, first);
		text_add(&t, ", ");
		add_function(&t, f);
	}
	set_note(s, &t);
}

static void add(struct subset *s, size_t end)
{
	s->row_of[end] = 0;
	s->count++;
}

static int find_code(struct subset *s, const struct profile *p, const struct code *c,
		     struct err *err)
{
	size_t found = 0;

	for (size_t i = 0; i < p->location_count; i++)
		found += code_frame(c, &p->locations[i]) != NULL;
	if (found == 0)
		return code_fail_unknown(p, s->name, err);
	for (size_t i = 0; i < p->end_count; i++) {
		const struct store_location *l = profile_location(p, p->ends[i].access->location);

		if (l != NULL && code_frame(c, l) != NULL)
			add(s, i);
	}
	return 0;
}

static int find_function(struct subset *s, const struct profile *p, struct err *err)
{
	const struct code c = {.function = {.asked = s->name}};

	if (find_code(s, p, &c, err) != 0)
		return -1;
	note_functions(s, p, &c);
	return 0;
}

/* The nearest line with samples; 0: the file has none. */
static uint32_t nearest_line(const struct profile *p, const struct code *c)
{
	uint32_t best = 0;

	for (size_t i = 0; i < p->location_count; i++)
		for (uint32_t k = 0; k < p->locations[i].frame_count; k++) {
			const struct store_frame *f = &p->locations[i].frames[k];

			if (f->file == NULL || f->line == 0 || strcmp(f->file, c->file) != 0)
				continue;
			if (best == 0 ||
			    labs((long)f->line - (long)c->line) < labs((long)best - (long)c->line))
				best = f->line;
		}
	return best;
}

static int find_line(struct subset *s, const struct profile *p, struct err *err)
{
	const char *colon = strrchr(s->name, ':');
	struct code c;
	uint64_t line;
	uint32_t near;
	char *file;
	int status;

	if (colon == NULL || colon == s->name ||
	    number_parse("line", colon + 1, 1, UINT32_MAX, &line, NULL) != 0)
		return err_set(err, "'%s' is no FILE:LINE, such as walk.c:12", s->name);
	file = strndup(s->name, (size_t)(colon - s->name));
	if (file == NULL)
		return err_set(err, "out of memory");
	status = code_find(&c, p, NULL, file, err);
	if (status == 0 && c.file == NULL)
		status = code_fail_unknown(p, file, err);
	free(file);
	if (status != 0)
		return -1;
	c.line = (uint32_t)line;
	if (find_code(s, p, &c, NULL) == 0)
		return 0;
	near = nearest_line(p, &c);
	return err_set(err,
		       "no samples in line %" PRIu64 " of %s; the nearest line that has some is "
		       "%" PRIu32,
		       line, c.file, near);
}

/* ---- Data ---- */

static int find_object(struct subset *s, const struct profile *p, struct err *err)
{
	static const struct query any = {.policy = QUERY_RANDOM, .size_bytes = ANY_SIZE};
	struct text t = {0};
	size_t count, told = 0;
	struct data d;
	bool *marks;

	if (data_init(&d, p, &any, DATA_BY_LINE, err) != 0)
		return -1;
	marks = calloc(d.count + 1, sizeof(*marks));
	count = marks != NULL ? data_find(&d, s->name, marks, err) : 0;
	if (marks == NULL)
		err_set(err, "not enough memory for %zu data structures", d.count);
	for (size_t i = 0; count > 0 && i < p->end_count; i++)
		if (marks[d.row_of[i]])
			add(s, i);
	if (count > 1) {
		text_addf(&t, "'%s' is %zu data structures, taken together: ", s->name, count);
		for (size_t i = 0; i < d.count && told < 3; i++)
			if (marks[i])
				text_addf(&t, "%s%s", told++ > 0 ? ", " : "", d.rows[i].name);
		text_add(&t, told < count ? ", ..." : "");
		set_note(s, &t);
	}
	free(marks);
	data_release(&d);
	return count > 0 ? 0 : -1;
}

/* ---- Threads ---- */

static int find_thread(struct subset *s, const struct profile *p, struct err *err)
{
	uint64_t thread, last = 0;

	if (number_parse("thread", s->name, 0, INT32_MAX, &thread, err) != 0)
		return -1;
	for (size_t i = 0; i < p->end_count; i++) {
		uint64_t of = p->ends[i].access->thread;

		last = of > last ? of : last;
		if (of == thread)
			add(s, i);
	}
	if (s->count > 0)
		return 0;
	return err_set(err, "no samples of thread %" PRIu64 ": the last that has some is %" PRIu64,
		       thread, last);
}

int subset_find(struct subset *s, const struct profile *p, enum subset_kind kind, const char *name,
		struct err *err)
{
	static int (*const finders[])(struct subset * s, const struct profile *p,
				      struct err *err) = {
		[SUBSET_FUNCTION] = find_function,
		[SUBSET_OBJECT] = find_object,
		[SUBSET_LINE] = find_line,
		[SUBSET_THREAD] = find_thread,
	};

	*s = (struct subset){.kind = kind, .name = name};
	s->row_of = calloc(p->end_count + 1, sizeof(*s->row_of));
	for (size_t i = 0; s->row_of != NULL && i < p->end_count; i++)
		s->row_of[i] = RATIOS_NO_ROW;
	if (s->row_of == NULL)
		err_set(err, "not enough memory for %zu samples", p->end_count);
	else if (finders[kind](s, p, err) == 0)
		return 0;
	subset_release(s);
	return -1;
}

/* ---- Solving ---- */

static int solve_point(const struct subset *s, const struct profile *p, const struct query *q,
		       struct curve_point *point, struct err *err)
{
	const struct query at = query_at(q, point->size_bytes);
	struct profile_share *shares = profile_attribute_misses(p, &at, err);
	int status = -1;

	if (shares != NULL)
		status = ratios_solve(p, shares, s->row_of, 1, &point->ratio, err);
	free(shares);
	return status;
}

int subset_solve(const struct subset *s, const struct profile *p, struct curve *curve,
		 struct err *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < curve->count; i++)
		status = solve_point(s, p, curve->query, &curve->points[i], err);
	for (size_t i = 0; status == 0 && i < PROFILE_CACHES; i++)
		if (curve->caches[i].size_bytes > 0)
			status = solve_point(s, p, curve->query, &curve->caches[i], err);
	curve->samples = s->count;
	return status;
}
