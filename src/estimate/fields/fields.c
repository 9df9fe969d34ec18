/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the field of each end or bin, and sums up by field; see fields.h. */
#include "estimate/fields/fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "estimate/fields/members.h"

#define MOST_PLACES 16 /* of a bin; runs keep fewer */

/* ---- Places ---- */

static bool has_fields(const struct data_row *r)
{
	return r->kind == DATA_HEAP || r->kind == DATA_MAPPING || r->kind == DATA_REGION ||
	       r->kind == DATA_VARIABLE || (r->kind == DATA_LOCAL && r->site == NULL);
}

/* The beginning of the variable of this row there; the address itself: unknown. */
static uint64_t variable_start(const struct profile *p, const struct data_row *r, int64_t image,
			       uint64_t address)
{
	const struct store_variable *v = p->variables;
	size_t low = profile_variables_up_to(p, image, address);

	while (low-- > 0 && v[low].image == image)
		if (address < v[low].end && strcmp(v[low].name, r->name) == 0)
			return v[low].start;
	return address;
}

static const char *keep(struct fields *f, const char *text)
{
	return text[0] != '\0' ? arena_strdup(&f->strings, text) : NULL;
}

/* Sites of one row may hold different types: each is asked for its own. */
static struct members_of type_of(const struct profile *p, const struct data_row *r, int64_t site)
{
	const size_t found = SEARCH_MATCH(i, p->site_count, SEARCH_ORDER(p->sites[i].id, site));
	const struct store_site *s = &p->sites[found];

	if (site <= 0 || r->site == NULL || found == p->site_count)
		return (struct members_of){r->layout, r->element_size, r->smallest, r->largest};
	return (struct members_of){s->layout_id, data_element_size(p, s), s->smallest, s->largest};
}

static const char *name_field(const struct profile *p, const struct data_row *r, int64_t site,
			      const struct members_place *place, struct text *out)
{
	const struct members_of of = type_of(p, r, site);

	return place->low <= place->high && has_fields(r) ? members_name(p, &of, place, out) : NULL;
}

/* ---- Rows ---- */

static int compare_texts(const char *x, const char *y)
{
	return strcmp(x != NULL ? x : "", y != NULL ? y : "");
}

static int compare_names(const void *a, const void *b)
{
	const struct fields_row *x = a, *y = b;

	if (x->data != y->data)
		return x->data < y->data ? -1 : 1;
	return compare_texts(x->field, y->field);
}

static int compare_costs(const void *a, const void *b)
{
	const struct fields_row *x = a, *y = b;
	const double mine = x->cost.misses + x->cost.cold;
	const double other = y->cost.misses + y->cost.cold;

	if (x->sure != y->sure)
		return x->sure < y->sure ? 1 : -1;
	if (x->cost_share != y->cost_share)
		return x->cost_share < y->cost_share ? 1 : -1;
	if (mine != other)
		return mine < other ? 1 : -1;
	if (x->cost.accesses != y->cost.accesses)
		return x->cost.accesses < y->cost.accesses ? 1 : -1;
	return compare_names(a, b);
}

static void merge_rows(struct fields *f)
{
	size_t used = 0;

	qsort(f->rows, f->count, sizeof(*f->rows), compare_names);
	for (size_t i = 0; i < f->count; i++) {
		struct fields_row *to = used > 0 ? &f->rows[used - 1] : NULL;

		if (to == NULL || compare_names(to, &f->rows[i]) != 0) {
			f->rows[used++] = f->rows[i];
			continue;
		}
		if (to->type != NULL && compare_texts(to->type, f->rows[i].type) != 0)
			to->type = NULL;
		hot_add(&to->cost, &f->rows[i].cost);
		counted_add(&to->first, &f->rows[i].first);
		counted_add(&to->last, &f->rows[i].last);
	}
	f->count = used;
}

static bool is_shown(const struct query *q, const struct fields_row *r)
{
	return query_shows(q, (const char *const[]){r->data->name, r->field, r->data->file}, 3);
}

static void order_rows(struct fields *f, const struct query *q)
{
	size_t shown = 0;

	for (size_t i = 0; i < f->count; i++)
		if (is_shown(q, &f->rows[i]))
			f->rows[shown++] = f->rows[i];
	f->count = shown;
	qsort(f->rows, f->count, sizeof(*f->rows), compare_costs);
}

/* ---- Samples ---- */

static void add_end(struct fields *f, size_t i, const struct profile_share *share)
{
	const struct profile *p = f->data.profile;
	const struct store_access *a = p->ends[i].access;
	struct fields_row row = {.data = &f->data.rows[f->data.row_of[i]],
				 .cost = hot_cost_of(&p->ends[i], share)};
	const bool is_block = row.data->site != NULL;
	const uint64_t start =
		is_block ? a->block : variable_start(p, row.data, a->image, a->address);
	const uint64_t offset = a->address - start;
	struct text name = {0};

	if (start != 0 && start <= a->address)
		row.type = name_field(p, row.data, a->site,
				      &(struct members_place){offset, offset, 0, a->size}, &name);
	row.field = keep(f, text_get(&name));
	text_release(&name);
	f->rows[f->count++] = row;
}

static int add_ends(struct fields *f, const struct query *q, struct err *err)
{
	const struct profile *p = f->data.profile;
	struct profile_share *shares = profile_attribute(p, q, err);

	if (shares == NULL)
		return -1;
	for (size_t i = 0; i < p->end_count; i++)
		if (f->data.row_of[i] < f->data.count)
			add_end(f, i, &shares[i]);
	free(shares);
	return 0;
}

/* ---- Bins ---- */

/* Where the range comes from the bin's, in the order of ranges. */
static int order_of(const struct store_bin_range *r, const struct store_bin *b)
{
	return r->structure_id != b->structure_id ? SEARCH_ORDER(r->structure_id, b->structure_id)
						  : SEARCH_ORDER(r->location_id, b->location_id);
}

/* Read "[8,24]". */
static size_t read_places(const char *text, uint64_t shift, uint64_t places[MOST_PLACES])
{
	size_t count = 0;
	char *end;

	for (; *text == '[' || *text == ','; text = end) {
		const uint64_t place = strtoull(text + 1, &end, 10);

		if (end == text + 1 || count == MOST_PLACES)
			break;
		places[count++] = place + shift;
	}
	return count;
}

const char *fields_name_bin(const struct profile *p, const struct data_row *r,
			    const struct store_bin *b, struct text *out)
{
	const size_t at = profile_structure(p, b->structure_id);
	const size_t found = SEARCH_MATCH(i, p->range_count, order_of(&p->ranges[i], b));
	const struct store_bin_range *range = &p->ranges[found];
	uint64_t shift = 0, places[MOST_PLACES];

	if (found == p->range_count || at == SIZE_MAX)
		return NULL;
	if (p->structures[at].start != 0) /* symbols may begin inside of a variable */
		shift = p->structures[at].start -
			variable_start(p, r, p->structures[at].image, p->structures[at].start);
	return name_field(p, r, p->structures[at].site_id,
			  &(struct members_place){
				  .low = range->low + shift,
				  .high = range->high + shift,
				  .step = range->step,
				  .places = places,
				  .place_count = read_places(range->places, shift, places),
				  .width = range->access_bytes,
				  .form = range->form,
			  },
			  out);
}

static void add_bin(struct fields *f, const struct store_bin *b)
{
	const struct profile *p = f->data.profile;
	const size_t at = profile_structure(p, b->structure_id);
	const struct counted_misses misses = counted_of(p, b);
	struct fields_row row = {0};
	struct text name = {0};

	if (at == SIZE_MAX || f->data.row_of[at] >= f->data.count ||
	    strcmp(p->structures[at].kind, store_structure_kinds[STORE_OF_CODE]) == 0)
		return;
	row.data = &f->data.rows[f->data.row_of[at]];
	if (counted_is_last(b->cache))
		row.last = misses;
	else if (counted_is_first(b->cache))
		row.first = misses;
	row.type = fields_name_bin(p, row.data, b, &name);
	row.field = keep(f, text_get(&name));
	text_release(&name);
	f->rows[f->count++] = row;
}

/* The cost of each row, as a share of that of all bins, code included. */
static void share_cost(struct fields *f)
{
	struct counted_misses first, last;
	double all;

	counted_sum(f->data.profile, &first, &last);
	all = counted_cycles(&first, &last);
	for (size_t i = 0; i < f->count; i++) {
		struct fields_row *r = &f->rows[i];

		r->cost_share = all > 0 ? counted_cycles(&r->first, &r->last) / all : 0;
		r->sure = counted_sure_cycles(&r->first, &r->last);
	}
}

/* The misses that no bin has: so rows, and those of code, have the sums of events. */
static void add_unfollowed(struct fields *f)
{
	const struct profile *p = f->data.profile;
	struct fields_row row = {.data = &counted_unfollowed};

	counted_add_not_followed(p, &row.first, &row.last);
	if (p->has_unfollowed)
		f->rows[f->count++] = row;
}

/* ---- */

int fields_init(struct fields *f, const struct profile *p, const struct query *q, enum data_by by,
		struct err *err)
{
	*f = (struct fields){.is_counted = p->structure_count > 0};
	if (data_init(&f->data, p, q, by, err) != 0)
		return -1;
	f->rows = calloc(p->bin_count + p->end_count + 1, sizeof(*f->rows));
	if (f->rows == NULL) {
		err_set(err, "not enough memory for the fields of %zu data structures",
			f->data.count);
		fields_release(f);
		return -1;
	}
	for (size_t i = 0; f->is_counted && i < p->bin_count; i++)
		add_bin(f, &p->bins[i]);
	if (f->is_counted)
		add_unfollowed(f);
	if (!f->is_counted && add_ends(f, q, err) != 0) {
		fields_release(f);
		return -1;
	}
	merge_rows(f);
	if (f->is_counted)
		share_cost(f);
	order_rows(f, q);
	return 0;
}

void fields_release(struct fields *f)
{
	free(f->rows);
	arena_release(&f->strings);
	data_release(&f->data);
	*f = (struct fields){0};
}
