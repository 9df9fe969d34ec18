/* SPDX-License-Identifier: GPL-2.0-or-later */
/* References of data structures, estimated from windows; see references.h. */
#include "estimate/counted/references.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "model/model.h"

/* A stratum is seen often enough with so many expected references, from so many groups. */
#define LEAST_SEEN   20.0
#define LEAST_GROUPS 4u

#define WILSON (1.96 * 1.96) /* of 95 % */

struct references_stratum {
	double accesses; /* of the run, that were not counted exactly */
	double weights[STORE_WINDOW_GROUPS], all;
	double seen;
};

/* An instruction, while strata are made. */
struct code {
	int64_t location_id;
	const char *function, *file; /* NULL: unknown */
	struct references_stratum own;
	uint32_t stratum;
	bool is_done;
	double rest; /* accesses of its function's instructions that were seldom seen */
};

struct making {
	struct references *r;
	struct code *code; /* by location */
	size_t count;
};

/* ---- Instructions ---- */

static struct code *code_of(const struct making *m, int64_t location)
{
	const size_t found =
		SEARCH_MATCH(i, m->count, SEARCH_ORDER(m->code[i].location_id, location));

	return found < m->count ? &m->code[found] : NULL;
}

static void name(const struct profile *p, struct code *c)
{
	const struct store_location *l = profile_location(p, c->location_id);
	const struct store_frame *f =
		l != NULL && l->frame_count > 0 ? &l->frames[l->frame_count - 1] : NULL;

	c->function = f != NULL ? f->function : NULL;
	c->file = f != NULL ? f->file : NULL;
}

static void add_seen(struct references_stratum *to, const struct store_references *x)
{
	to->seen += (double)x->seen;
	for (size_t g = 0; g < STORE_WINDOW_GROUPS; g++) {
		to->weights[g] += (double)x->weights[g];
		to->all += (double)x->weights[g];
	}
}

static void add_stratum(struct references_stratum *to, const struct references_stratum *more)
{
	to->accesses += more->accesses;
	to->all += more->all;
	to->seen += more->seen;
	for (size_t g = 0; g < STORE_WINDOW_GROUPS; g++)
		to->weights[g] += more->weights[g];
}

static void find_code(struct making *m)
{
	const struct profile *p = m->r->profile;
	double seen = 0, accesses = 0;
	uint64_t counted = 0;

	for (size_t i = 0; i < p->access_count; i++) {
		m->code[i] = (struct code){.location_id = p->accesses[i].location_id,
					   .own.accesses = (double)p->accesses[i].count};
		name(p, &m->code[i]);
		m->r->all += p->accesses[i].count;
	}
	for (size_t i = 0; i < p->reference_count; i++) {
		const struct store_references *x = &p->references[i];
		struct code *c = code_of(m, x->location_id);

		seen += (double)x->seen;
		counted += x->counted;
		if (c == NULL)
			continue;
		c->own.accesses = fmax(c->own.accesses - (double)x->counted, 0);
		add_seen(&c->own, x);
	}
	for (size_t i = 0; i < m->count; i++)
		accesses += m->code[i].own.accesses;
	m->r->seen_one_in = seen > 0 ? accesses / seen : 0;
	/* more: the last access of an instruction that faulted is no reference of the events */
	m->r->are_counted = p->reference_count > 0;
	m->r->are_exact = counted > 0 && counted >= m->r->all;
}

/* ---- Strata ---- */

static unsigned groups_of(const struct references_stratum *s)
{
	unsigned n = 0;

	for (size_t g = 0; g < STORE_WINDOW_GROUPS; g++)
		n += s->weights[g] > 0;
	return n;
}

/* At least so many windows have seen it. */
static double windows_of(const struct references_stratum *s)
{
	return fmax(groups_of(s), s->seen / STORE_WINDOW_REFERENCES);
}

static bool is_enough(const struct references *r, const struct references_stratum *s)
{
	return r->seen_one_in > 0 && s->accesses >= LEAST_SEEN * r->seen_one_in &&
	       groups_of(s) >= LEAST_GROUPS;
}

static uint32_t new_stratum(struct references *r, const struct references_stratum *s)
{
	r->strata[r->stratum_count] = *s;
	return (uint32_t)r->stratum_count++;
}

static int compare_texts(const char *x, const char *y)
{
	return strcmp(x != NULL ? x : "", y != NULL ? y : "");
}

static int compare_functions(const void *a, const void *b)
{
	const struct code *x = *(struct code *const *)a, *y = *(struct code *const *)b;
	const int order = compare_texts(x->function, y->function);

	return order != 0 ? order : compare_texts(x->file, y->file);
}

/* Instructions [first, end) of a function: one stratum, if they were seen often enough. */
static void pool_function(struct references *r, struct code **first, struct code *const *end)
{
	struct references_stratum sum = {0};
	uint32_t stratum;

	for (struct code **c = first; c < end; c++)
		add_stratum(&sum, &(*c)->own);
	if (!is_enough(r, &sum))
		return;
	stratum = new_stratum(r, &sum);
	for (struct code **c = first; c < end; c++) {
		(*c)->stratum = stratum;
		(*c)->is_done = true;
	}
}

/* The most references of a function, or of all, to data that no window saw there. */
static double unseen_of(const struct references_stratum *s)
{
	return s->accesses * WILSON / (windows_of(s) + WILSON);
}

/* Instructions [first, end) of a function; `all`: of the program. */
static void bound_function(const struct making *m, struct code **first, struct code *const *end,
			   double all)
{
	struct references_stratum sum = {0};
	double rest = 0;

	for (struct code **c = first; c < end; c++) {
		add_stratum(&sum, &(*c)->own);
		rest += is_enough(m->r, &(*c)->own) ? 0 : (*c)->own.accesses;
	}
	for (struct code **c = first; c < end; c++) {
		m->r->unseen_most[*c - m->code] = fmin(unseen_of(&sum), all);
		(*c)->rest = rest;
	}
}

static int bound_functions(const struct making *m, const struct references_stratum *all,
			   struct err *err)
{
	struct code **code = calloc(m->count + 1, sizeof(struct code *));
	size_t first = 0;

	if (code == NULL)
		return err_set(err, "not enough memory for the references of %zu instructions",
			       m->count);
	for (size_t i = 0; i < m->count; i++)
		code[i] = &m->code[i];
	qsort(code, m->count, sizeof(struct code *), compare_functions);
	for (size_t i = 1; i <= m->count; i++) {
		if (i < m->count && compare_functions(&code[first], &code[i]) == 0)
			continue;
		bound_function(m, code + first, code + i, unseen_of(all));
		first = i;
	}
	free(code);
	return 0;
}

/* The strata of instructions that have none of their own. */
static int pool(struct making *m, struct err *err)
{
	struct code **rest = calloc(m->count + 1, sizeof(struct code *));
	struct references_stratum sum = {0};
	size_t n = 0, first = 0;

	if (rest == NULL)
		return err_set(err, "not enough memory for the references of %zu instructions",
			       m->count);
	for (size_t i = 0; i < m->count; i++)
		if (!m->code[i].is_done)
			rest[n++] = &m->code[i];
	qsort(rest, n, sizeof(struct code *), compare_functions);
	for (size_t i = 1; i <= n; i++) {
		if (i < n && compare_functions(&rest[first], &rest[i]) == 0)
			continue;
		pool_function(m->r, rest + first, rest + i);
		first = i;
	}
	for (size_t i = 0; i < n; i++) {
		if (rest[i]->is_done)
			continue;
		add_stratum(&sum, &rest[i]->own);
		rest[i]->stratum = (uint32_t)m->r->stratum_count;
	}
	free(rest);
	new_stratum(m->r, &sum);
	if (sum.all <= 0)
		m->r->unseen = (uint64_t)llround(m->r->scale * sum.accesses);
	return 0;
}

static int make_strata(struct making *m, struct err *err)
{
	struct references *r = m->r;
	const struct profile *p = r->profile;
	struct references_stratum all = {0};

	find_code(m);
	for (size_t i = 0; i < m->count; i++) {
		struct code *c = &m->code[i];

		add_stratum(&all, &c->own);
		c->is_done = is_enough(r, &c->own);
		if (c->is_done)
			c->stratum = new_stratum(r, &c->own);
	}
	for (unsigned g = 0; g < STORE_WINDOW_GROUPS; g++)
		if (all.weights[g] > 0)
			r->group[r->groups++] = g;
	if (pool(m, err) != 0 || bound_functions(m, &all, err) != 0)
		return -1;
	for (size_t i = 0; i < p->reference_count; i++) {
		const struct code *c = code_of(m, p->references[i].location_id);

		r->stratum_of[i] = c != NULL ? c->stratum : (uint32_t)r->stratum_count - 1;
		r->rest_of[i] = c != NULL ? c->rest : 0;
	}
	return 0;
}

int references_init(struct references *r, const struct profile *p, struct err *err)
{
	struct making m = {.r = r, .count = p->access_count};
	int status;

	*r = (struct references){.profile = p, .scale = p->stretches > 0 ? 1 / p->simulated : 1};
	m.code = calloc(m.count + 1, sizeof(*m.code));
	r->strata = calloc(2 * m.count + 1, sizeof(*r->strata));
	r->stratum_of = calloc(p->reference_count + 1, sizeof(*r->stratum_of));
	r->rest_of = calloc(p->reference_count + 1, sizeof(*r->rest_of));
	r->unseen_most = calloc(m.count + 1, sizeof(*r->unseen_most));
	if (m.code == NULL || r->strata == NULL || r->stratum_of == NULL || r->rest_of == NULL ||
	    r->unseen_most == NULL)
		status = err_set(err, "not enough memory for the references of %zu instructions",
				 m.count);
	else
		status = make_strata(&m, err);
	free(m.code);
	if (status != 0)
		references_release(r);
	return status;
}

void references_release(struct references *r)
{
	free(r->strata);
	free(r->stratum_of);
	free(r->rest_of);
	free(r->unseen_most);
	*r = (struct references){0};
}

/* ---- Sums ---- */

static double part_of(const struct references_stratum *s, double weight, double all)
{
	return weight > 0 && all > 0 ? s->accesses * fmin(weight / all, 1) : 0;
}

void references_add(const struct references *r, size_t row, struct references_sum *to)
{
	const struct store_references *x = &r->profile->references[row];
	const struct references_stratum *s = &r->strata[r->stratum_of[row]];
	double weight = 0;

	to->counted += x->counted;
	to->seen += (double)x->seen;
	for (size_t g = 0; g < STORE_WINDOW_GROUPS; g++)
		weight += (double)x->weights[g];
	if (weight <= 0)
		return;
	to->has_estimate = true;
	to->estimated += part_of(s, weight, s->all);
	to->available += s->accesses;
	to->rest = fmax(to->rest, r->rest_of[row]);
	for (size_t g = 0; g < STORE_WINDOW_GROUPS; g++) {
		to->without[g] +=
			part_of(s, weight - (double)x->weights[g], s->all - s->weights[g]);
		to->groups |= (uint32_t)(x->weights[g] > 0) << g;
	}
}

void references_add_missing(const struct references *r, int64_t location, struct references_sum *to)
{
	const struct profile *p = r->profile;
	const size_t found = SEARCH_MATCH(i, p->access_count,
					  SEARCH_ORDER(p->accesses[i].location_id, location));

	if (found < p->access_count)
		to->unseen_most = fmax(to->unseen_most, r->unseen_most[found]);
}

void references_add_sum(struct references_sum *to, const struct references_sum *more)
{
	to->counted += more->counted;
	to->unseen_most = fmax(to->unseen_most, more->unseen_most);
	to->groups |= more->groups;
	to->available += more->available;
	to->rest = fmax(to->rest, more->rest);
	to->seen += more->seen;
	to->estimated += more->estimated;
	to->has_estimate |= more->has_estimate;
	for (size_t g = 0; g < STORE_WINDOW_GROUPS; g++)
		to->without[g] += more->without[g];
}

/* Half of the interval of what varies between groups. */
static double half_width(const struct references *r, const struct references_sum *s)
{
	const double n = r->groups;
	double mean = 0, sum = 0;

	if (r->groups < 2)
		return INFINITY;
	for (unsigned i = 0; i < r->groups; i++)
		mean += s->without[r->group[i]] / n;
	for (unsigned i = 0; i < r->groups; i++)
		sum += pow(s->without[r->group[i]] - mean, 2);
	return model_student_quantile(r->groups - 1) * sqrt((n - 1) / n * sum);
}

/* By how much Wilson's interval lies above the estimate: that of a rare event, seen n times. */
static double shift(const struct references_sum *s)
{
	const double groups = (double)__builtin_popcount(s->groups);

	return s->estimated * WILSON / 2 / fmax(groups, s->seen / STORE_WINDOW_REFERENCES);
}

struct references_count references_count(const struct references *r, const struct references_sum *s,
					 uint64_t least)
{
	const double floor = fmax(r->scale * (double)s->counted, (double)least);
	const double value = fmax(r->scale * ((double)s->counted + s->estimated), floor);
	const double shifted = s->has_estimate ? r->scale * shift(s) : 0;
	const double half = s->has_estimate ? hypot(r->scale * half_width(r, s), shifted) : 0;
	const double most = r->scale * ((double)s->counted + s->available + s->rest);
	struct references_count c = {value, fmax(value - half, floor),
				     fmax(fmin(value + shifted + half, most), value)};

	if (!r->are_counted)
		return (struct references_count){NAN, NAN, NAN};
	/* missed, but never seen */
	if (floor > r->scale * (double)s->counted && s->seen <= 0)
		c.high = fmin(fmax(floor, r->scale * s->unseen_most), r->scale * (double)r->all);
	return c;
}

struct model_ratio references_ratio(const struct references_count *c, uint64_t misses)
{
	const double n = (double)misses;

	if (!(c->value > 0))
		return (struct model_ratio){0};
	return (struct model_ratio){.known = true,
				    .ratio = n / c->value,
				    .low = n / c->high,
				    .high = fmin(n / fmax(c->low, n), 1)};
}
