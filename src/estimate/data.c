/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the data structure of each end, and sums up by data structure. */
#include "estimate/data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/text.h"
#include "estimate/allocators.h"
#include "estimate/data_calls.h"
#include "estimate/fields/members.h"
#include "estimate/ratios.h"

const char *const data_kind_names[] = {
	[DATA_HEAP] = "heap",	    [DATA_MAPPING] = "mapping",	    [DATA_REGION] = "region",
	[DATA_STACK] = "stack",	    [DATA_VARIABLE] = "variable",   [DATA_SECTION] = "section",
	[DATA_UNKNOWN] = "unknown", [DATA_LOCAL] = "thread-local",  [DATA_CODE] = "code",
	[DATA_LINE] = "line",	    [DATA_ALLOCATOR] = "allocator",
};

/* Kinds of sites that are not blocks of an allocator. */
static const struct {
	const char *site;
	enum data_kind kind;
} site_kinds[] = {
	{"stack", DATA_STACK},	       {"mmap", DATA_MAPPING},	{"shmat", DATA_MAPPING},
	{"brk", DATA_MAPPING},	       {"region", DATA_REGION}, {"thread-local", DATA_LOCAL},
	{"allocator", DATA_ALLOCATOR},
};

/* While rows are built, each site and variable has its own place; one more is for unknown data. */
struct build {
	struct data *d;
	const struct profile *p;
	enum data_by by;
	size_t count;		      /* number of ends, or of sums of an exact run */
	struct profile_share *shares; /* of each end */
	uint32_t *place_of;	      /* of each end or sum; later its row */
	size_t places;
	size_t unknown; /* place of unknown data; those of memory lines, or of code, follow */
	size_t *around; /* for each variable: the enclosing one; SIZE_MAX: none */
};

static enum data_kind kind_of(const struct store_site *s)
{
	for (size_t i = 0; i < sizeof(site_kinds) / sizeof(site_kinds[0]); i++)
		if (strcmp(s->kind, site_kinds[i].site) == 0)
			return site_kinds[i].kind;
	return DATA_HEAP;
}

bool data_is_one(enum data_kind kind)
{
	return kind == DATA_STACK || kind == DATA_LOCAL || kind == DATA_ALLOCATOR;
}

/* ---- The place of an address ---- */

/* Variables are side by side, or one (a section) encloses others. */
static void nest_variables(struct build *b)
{
	const struct store_variable *v = b->p->variables;

	for (size_t i = 0; i < b->p->variable_count; i++) {
		size_t up = i > 0 && v[i - 1].image == v[i].image ? i - 1 : SIZE_MAX;

		while (up != SIZE_MAX && v[up].end < v[i].end)
			up = b->around[up];
		b->around[i] = up != SIZE_MAX && v[up].end > v[i].start ? up : SIZE_MAX;
	}
}

/* Index of the innermost variable of the image at the address; SIZE_MAX: none. */
static size_t find_variable(const struct build *b, int64_t image, uint64_t address)
{
	const struct store_variable *v = b->p->variables;
	size_t at = profile_variables_up_to(b->p, image, address);

	at = at > 0 && v[at - 1].image == image ? at - 1 : SIZE_MAX;
	for (; at != SIZE_MAX; at = b->around[at])
		if (address < v[at].end)
			return at;
	return SIZE_MAX;
}

/* Index of the site; SIZE_MAX: none. */
static size_t find_site(const struct profile *p, int64_t id)
{
	const size_t found = SEARCH_MATCH(i, p->site_count, SEARCH_ORDER(p->sites[i].id, id));

	return id > 0 && found < p->site_count ? found : SIZE_MAX;
}

/*
 * A block is most specific. But the loader maps files just as programs map memory, and for files
 * the variables are known.
 */
static size_t find_place(const struct build *b, const struct store_access *a)
{
	size_t site = find_site(b->p, a->site), variable;

	const enum data_kind kind = site != SIZE_MAX ? kind_of(&b->p->sites[site]) : DATA_UNKNOWN;

	if (kind != DATA_MAPPING && kind != DATA_LOCAL && kind != DATA_UNKNOWN)
		return site;
	/*
	 * The memory of a thread's copy of a variable may have another use now: only if its site
	 * says so, it is still the copy.
	 */
	variable = find_variable(b, a->image, a->address);
	if (variable != SIZE_MAX && b->p->variables[variable].is_local == (kind == DATA_LOCAL))
		return b->p->site_count + variable;
	return site != SIZE_MAX ? site : b->unknown;
}

static bool is_code(const struct store_structure *s)
{
	return strcmp(s->kind, store_structure_kinds[STORE_OF_CODE]) == 0;
}

/* The place of end or sum i; each line of memory has its own place, after the others. */
static size_t place_nth(const struct build *b, size_t i)
{
	const struct store_data_cost *cost;
	struct store_access a;

	if (!b->p->is_exact)
		return find_place(b, b->p->ends[i].access);
	cost = &b->p->data_costs[i];
	if (b->p->is_by_memory)
		return b->unknown + 1 + i;
	if (b->p->structure_count > 0 && is_code(&b->p->structures[i]))
		return b->unknown + 1;
	a = (struct store_access){
		.site = cost->site_id, .address = cost->address, .image = cost->image};
	return find_place(b, &a);
}

/* ---- Rows ---- */

static const char *keep_text(struct data *d, struct text *t)
{
	const char *kept = t->failed ? NULL : arena_strdup(&d->strings, text_get(t));

	text_release(t);
	return kept;
}

static void add_frame(struct text *t, const struct store_frame *f, bool with_line)
{
	text_add(t, f->function);
	if (f->file == NULL)
		return;
	text_addf(t, " (%s", path_basename(f->file));
	if (with_line && f->line > 0)
		text_addf(t, ":%" PRIu32, f->line);
	text_add(t, ")");
}

/* Add the frames above the one that names the row; recursive functions only once. */
static void add_path(const struct build *b, const struct store_site *s,
		     const struct store_frame *from, struct text *t)
{
	const char *last = from->function;
	bool is_above = false;

	for (size_t i = 0; i < s->path_count; i++) {
		const struct store_location *l = profile_location(b->p, s->path[i]);

		for (uint32_t k = 0; l != NULL && k < l->frame_count; k++) {
			if (is_above && strcmp(last, l->frames[k].function) != 0) {
				text_add(t, " < ");
				add_frame(t, &l->frames[k], true);
				last = l->frames[k].function;
			}
			is_above |= &l->frames[k] == from;
		}
	}
}

static bool names_lines(enum data_by by)
{
	return by == DATA_BY_LINE || by == DATA_BY_PATH;
}

static const char *site_name(const struct build *b, const struct store_site *s, enum data_kind kind,
			     const struct store_frame *f)
{
	const char *what = s->name != NULL ? s->name : s->kind; /* of a mapping the file's name */
	struct text t = {0};

	if (data_is_one(kind))
		text_addf(&t, "[%s]", data_kind_names[kind]);
	else if (kind == DATA_REGION)
		text_add(&t, what);
	else if (f == NULL)
		text_addf(&t, "%s [no call path]", what);
	else {
		text_addf(&t, "%s in ", what);
		add_frame(&t, f, names_lines(b->by));
		if (b->by == DATA_BY_PATH)
			add_path(b, s, f, &t);
	}
	return keep_text(b->d, &t);
}

/*
 * The size of the type that the blocks hold; else the element size given to calloc. Compilers
 * replace malloc and memset by calloc(n, 1) or calloc(1, n), which say nothing about elements.
 */
uint64_t data_element_size(const struct profile *p, const struct store_site *s)
{
	const struct store_layout *l = members_layout(p, s->layout_id);

	if (l != NULL)
		return l->bytes;
	return s->element_size > 1 && s->element_size < s->largest ? s->element_size : 0;
}

static const char *type_of(const struct profile *p, int64_t layout)
{
	const struct store_layout *l = members_layout(p, layout);

	return l != NULL ? l->type : NULL;
}

static struct data_row site_row(const struct build *b, const struct store_site *s)
{
	enum data_kind kind = kind_of(s);
	const struct store_frame *f =
		!data_is_one(kind) ? allocator_caller(b->p, s, kind == DATA_MAPPING) : NULL;
	struct data_row row = {
		.kind = kind,
		.name = site_name(b, s, kind, f),
		.allocator = kind == DATA_HEAP || kind == DATA_MAPPING ? s->kind : NULL,
		.type = type_of(b->p, s->layout_id),
		.layout = s->layout_id,
		.element_size = data_element_size(b->p, s),
		.blocks = s->blocks,
		.bytes = s->peak_bytes,
		.allocated_bytes = s->bytes,
		.live_blocks = s->live_blocks,
		.live_bytes = s->live_bytes,
		.smallest = s->smallest,
		.largest = s->largest,
		.sites = 1,
		.site = s,
	};

	row.unnumbered = row.name;
	row.call_pc = data_call_of(b->p, s, f, b->by);
	if (f != NULL) {
		row.function = f->function;
		row.file = f->file;
		row.line = names_lines(b->by) ? f->line : 0;
	}
	return row;
}

static struct data_row variable_row(const struct store_variable *v)
{
	uint64_t bytes = v->end - v->start;
	/* The collector names sections as in ".bss of libc.so.6"; variables are never named so. */
	bool is_section = v->type == NULL && v->name[0] != '\0' &&
			  strstr(v->name, " of ") != NULL && v->module != NULL &&
			  strcmp(strstr(v->name, " of ") + 4, path_basename(v->module)) == 0;

	return (struct data_row){.kind = is_section    ? DATA_SECTION
					 : v->is_local ? DATA_LOCAL
						       : DATA_VARIABLE,
				 .name = v->name,
				 .file = v->file,
				 .line = v->line,
				 .type = v->type,
				 .module = v->module,
				 .element_size = v->element_size,
				 .layout = v->layout_id,
				 .blocks = 1,
				 .bytes = bytes,
				 .allocated_bytes = bytes,
				 .live_blocks = 1,
				 .live_bytes = bytes,
				 .smallest = bytes,
				 .largest = bytes};
}

static struct data_row line_row(const struct build *b, uint64_t address)
{
	struct text name = {0};

	text_addf(&name, "0x%" PRIx64, address);
	return (struct data_row){
		.kind = DATA_LINE, .name = keep_text(b->d, &name), .bytes = b->p->line_bytes};
}

static struct data_row make_row(const struct build *b, size_t place)
{
	if (place < b->p->site_count)
		return site_row(b, &b->p->sites[place]);
	if (place < b->unknown)
		return variable_row(&b->p->variables[place - b->p->site_count]);
	if (place > b->unknown && !b->p->is_by_memory)
		return (struct data_row){.kind = DATA_CODE, .name = "[code]"};
	if (place > b->unknown)
		return line_row(b, b->p->data_costs[place - b->unknown - 1].address);
	return (struct data_row){.kind = DATA_UNKNOWN, .name = "[unknown]"};
}

static void merge_row(struct data_row *to, const struct data_row *row)
{
	if (to->site != NULL && row->site != NULL && row->site->peak_bytes > to->site->peak_bytes)
		to->site = row->site;
	if (row->smallest > 0 && (to->smallest == 0 || row->smallest < to->smallest))
		to->smallest = row->smallest;
	if (row->largest > to->largest)
		to->largest = row->largest;
	if (to->element_size != row->element_size)
		to->element_size = 0;
	if (to->layout != row->layout) {
		to->layout = 0;
		to->type = NULL;
	}
	to->blocks += row->blocks;
	to->bytes += row->bytes;
	to->allocated_bytes += row->allocated_bytes;
	to->live_blocks += row->live_blocks;
	to->live_bytes += row->live_bytes;
	to->sites += row->sites;
}

/* The misses of each place tell which calls are told apart. */
static int number_rows(struct build *b, struct data_placed_row *placed, size_t used)
{
	double *weights = calloc(b->places, sizeof(*weights));
	int status = weights != NULL ? 0 : -1;

	for (size_t i = 0; status == 0 && i < b->count; i++) {
		const struct store_data_cost *c = b->p->is_exact ? &b->p->data_costs[i] : NULL;

		if (c == NULL)
			weights[b->place_of[i]] +=
				hot_cost_of(&b->p->ends[i], &b->shares[i]).misses;
		else
			weights[b->place_of[i]] +=
				(double)(c->lru_misses != STORE_NONE ? c->lru_misses
								     : c->random_misses);
	}
	if (status == 0)
		status = data_number_calls(b->d, placed, used, b->by, weights);
	free(weights);
	return status;
}

/*
 * Make rows of the places that samples touched, merging equal ones. All sites are included, as each
 * contributes its blocks to its row; and all copies of thread-local variables.
 */
static int make_rows(struct build *b, struct err *err)
{
	size_t n = b->count, used = 0;
	uint32_t *row_of_place = calloc(b->places, sizeof(*row_of_place));
	struct data_placed_row *placed = NULL;
	struct data *d = b->d;
	int status = 0;

	for (size_t i = 0; row_of_place != NULL && i < b->p->site_count; i++)
		row_of_place[i] = 1;
	for (size_t i = 0; row_of_place != NULL && i < b->p->variable_count; i++)
		row_of_place[b->p->site_count + i] = b->p->variables[i].is_local;
	for (size_t i = 0; row_of_place != NULL && i < n; i++)
		row_of_place[b->place_of[i]] = 1;
	for (size_t i = 0; row_of_place != NULL && i < b->places; i++)
		used += row_of_place[i];
	placed = calloc(used + 1, sizeof(*placed));
	d->rows = calloc(used + 1, sizeof(*d->rows));
	if (row_of_place == NULL || placed == NULL || d->rows == NULL) {
		free(row_of_place);
		free(placed);
		return err_set(err, "not enough memory for %zu data structures", used);
	}
	used = 0;
	for (size_t i = 0; i < b->places; i++)
		if (row_of_place[i] > 0)
			placed[used++] = (struct data_placed_row){make_row(b, i), i};
	qsort(placed, used, sizeof(*placed), data_compare_placed);
	if (b->by != DATA_BY_FUNCTION && number_rows(b, placed, used) != 0)
		status = err_set(err, "not enough memory for %zu data structures", used);
	for (size_t i = 0; i < used; i++) {
		if (d->count > 0 && data_compare_rows(&d->rows[d->count - 1], &placed[i].row) == 0)
			merge_row(&d->rows[d->count - 1], &placed[i].row);
		else
			d->rows[d->count++] = placed[i].row;
		row_of_place[placed[i].place] = (uint32_t)d->count - 1;
	}
	for (size_t i = 0; i < n; i++)
		b->place_of[i] = row_of_place[b->place_of[i]];
	for (size_t i = 0; i < b->p->site_count; i++)
		d->row_of_site[i] = row_of_place[i];
	free(row_of_place);
	free(placed);
	return status;
}

/* ---- Sums ---- */

static uint64_t exact_misses(const struct build *b, const struct store_data_cost *c)
{
	return (uint64_t)(b->d->policy == MODEL_LRU ? c->lru_misses : c->random_misses);
}

/* Choose the requested policy, if it was simulated. */
static void choose_policy(struct data *d, const struct store_data_cost *c)
{
	if (d->policy == MODEL_LRU && c->lru_misses == STORE_NONE)
		d->policy = MODEL_RANDOM;
	else if (d->policy == MODEL_RANDOM && c->random_misses == STORE_NONE)
		d->policy = MODEL_LRU;
}

/* In an exact run, every access is its own sample. */
static void sum_exact(struct build *b)
{
	const struct store_data_cost *c = b->p->data_costs;
	double all;

	for (size_t i = 0; i < b->count; i++)
		b->d->accesses += c[i].accesses;
	all = b->d->accesses > 0 ? (double)b->d->accesses : 1;
	if (b->count > 0)
		choose_policy(b->d, c);
	for (size_t i = 0; i < b->count; i++) {
		struct data_row *row = &b->d->rows[b->place_of[i]];
		struct hot_cost cost = {.accesses = (double)c[i].accesses / all,
					.misses = (double)exact_misses(b, &c[i]) / all,
					.samples = c[i].accesses};

		row->misses += exact_misses(b, &c[i]);
		row->first_touches += c[i].first_touches;
		hot_add(&row->cost, &cost);
		hot_add(&b->d->total, &cost);
	}
	for (size_t i = 0; i < b->d->count; i++) {
		struct data_row *row = &b->d->rows[i];
		uint64_t n = row->cost.samples;
		double ratio = n > 0 ? (double)row->misses / (double)n : 0;

		row->ratio = (struct model_ratio){
			.ratio = ratio, .low = ratio, .high = ratio, .known = n > 0};
	}
}

static void sum_costs(struct build *b)
{
	const struct profile *p = b->p;

	for (size_t i = 0; i < p->end_count; i++) {
		const struct hot_cost cost = hot_cost_of(&p->ends[i], &b->shares[i]);

		hot_add(&b->d->rows[b->place_of[i]].cost, &cost);
		hot_add(&b->d->total, &cost);
	}
}

static int solve_rows(struct build *b, struct err *err)
{
	struct model_ratio *ratios = calloc(b->d->count + 1, sizeof(*ratios));
	int status;

	if (ratios == NULL)
		return err_set(err, "not enough memory for %zu data structures", b->d->count);
	status = ratios_solve(b->p, b->shares, b->place_of, b->d->count, ratios, err);
	for (size_t i = 0; i < b->d->count; i++)
		b->d->rows[i].ratio = ratios[i];
	free(ratios);
	return status;
}

static int compare_costs(const void *a, const void *b, void *order)
{
	const struct data_row *x = &((const struct data_placed_row *)a)->row;
	const struct data_row *y = &((const struct data_placed_row *)b)->row;
	double mine = hot_figure(*(enum query_order *)order, &x->cost);
	double other = hot_figure(*(enum query_order *)order, &y->cost);

	if ((x->cost.samples > 0) != (y->cost.samples > 0))
		return x->cost.samples > 0 ? -1 : 1;
	if (mine != other)
		return mine < other ? 1 : -1;
	if (x->cost.accesses != y->cost.accesses)
		return x->cost.accesses < y->cost.accesses ? 1 : -1;
	return data_compare_rows(x, y);
}

static int sort_rows(struct build *b, struct err *err)
{
	struct data *d = b->d;
	struct data_placed_row *placed = calloc(d->count + 1, sizeof(*placed));
	uint32_t *moved = calloc(d->count + 1, sizeof(*moved));
	enum query_order order;

	if (query_order(d->query, &order, err) != 0) {
		free(placed);
		free(moved);
		return -1;
	}
	if (placed == NULL || moved == NULL) {
		free(placed);
		free(moved);
		return err_set(err, "not enough memory for %zu data structures", d->count);
	}
	for (size_t i = 0; i < d->count; i++)
		placed[i] = (struct data_placed_row){d->rows[i], i};
	qsort_r(placed, d->count, sizeof(*placed), compare_costs, &order);
	for (size_t i = 0; i < d->count; i++) {
		d->rows[i] = placed[i].row;
		moved[placed[i].place] = (uint32_t)i;
	}
	for (size_t i = 0; i < b->count; i++)
		d->row_of[i] = moved[b->place_of[i]];
	for (size_t i = 0; i < b->p->site_count; i++)
		d->row_of_site[i] = moved[d->row_of_site[i]];
	while (d->count > 0 && d->rows[d->count - 1].cost.samples == 0)
		d->count--;
	for (size_t i = 0; i < b->p->site_count; i++)
		if (d->row_of_site[i] >= d->count)
			d->row_of_site[i] = DATA_NO_ROW;
	free(placed);
	free(moved);
	return 0;
}

static int build_data(struct build *b, struct err *err)
{
	const struct profile *p = b->p;

	if (!p->is_exact) {
		b->shares = profile_attribute(p, b->d->query, err);
		if (b->shares == NULL)
			return -1;
	}
	nest_variables(b);
	for (size_t i = 0; i < b->count; i++)
		b->place_of[i] = (uint32_t)place_nth(b, i);
	if (make_rows(b, err) != 0)
		return -1;
	if (p->is_exact) {
		sum_exact(b);
		return sort_rows(b, err);
	}
	sum_costs(b);
	return solve_rows(b, err) == 0 && sort_rows(b, err) == 0 ? 0 : -1;
}

int data_init(struct data *d, const struct profile *p, const struct query *q, enum data_by by,
	      struct err *err)
{
	struct build b = {.d = d,
			  .p = p,
			  .by = by,
			  .count = p->is_exact ? p->data_cost_count : p->end_count,
			  .unknown = p->site_count + p->variable_count};
	int ret = -1;

	b.places = b.unknown + 1 + (p->is_by_memory ? b.count : 1);
	*d = (struct data){
		.profile = p, .query = q, .policy = profile_policy(q), .size_bytes = q->size_bytes};
	d->row_of = calloc(b.count + 1, sizeof(*d->row_of));
	d->row_of_site = calloc(p->site_count + 1, sizeof(*d->row_of_site));
	b.place_of = calloc(b.count + 1, sizeof(*b.place_of));
	b.around = calloc(p->variable_count + 1, sizeof(*b.around));
	if (d->row_of == NULL || d->row_of_site == NULL || b.place_of == NULL || b.around == NULL)
		err_set(err, "not enough memory for %zu samples", b.count);
	else
		ret = build_data(&b, err);
	free(b.place_of);
	free(b.shares);
	free(b.around);
	if (ret != 0)
		data_release(d);
	return ret;
}

void data_release(struct data *d)
{
	free(d->rows);
	free(d->row_of);
	free(d->row_of_site);
	arena_release(&d->strings);
	*d = (struct data){0};
}
