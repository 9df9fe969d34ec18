/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forms of data structures, by types and by accesses; see forms.h. */
#include "estimate/counted/forms.h"

#include <math.h>
#include <string.h>

#include "estimate/fields/members.h"
#include "store/patterns.h"

#define REGULAR	  0.75
#define IRREGULAR 0.25

#define LEAST_OWN_LINKS 0.25 /* of the accesses */
#define LEAST_LINKS	0.5
#define LEAST_FOLLOWED	0.25 /* of the words */
#define LEAST_WORDS	0.5  /* of the accesses to pointers */
#define LEAST_USED	0.5  /* of their words */
#define LEAST_STEP	0.25 /* of the accesses with a usual stride */
#define SCALAR_BYTES	8
#define LEAST_ROW_BYTES 1024
#define LEAST_OF_COLUMN 0.75 /* of the parts of a row */
#define LEAST_ARRAY	4    /* accesses wide */
#define LEAST_ROWS	4    /* at a time */
#define LEAST_OF_HOPS	0.5
#define LEAST_INSIDE	0.5 /* of the accesses */

const char *const form_names[FORMS] = {
	[FORM_SCALAR] = "scalar",     [FORM_STRUCTURE] = "structure",
	[FORM_ARRAY] = "array",	      [FORM_STRUCTURES] = "structures",
	[FORM_2D] = "2D array",	      [FORM_3D] = "3D array",
	[FORM_POINTERS] = "pointers", [FORM_LINKED] = "linked",
	[FORM_VARIOUS] = "various",
};

/* ---- Sums ---- */

/* The step with so many bytes, or the rarest one. */
static struct store_pattern_step *find_step(struct store_pattern *x, uint64_t bytes)
{
	struct store_pattern_step *found = x->steps;

	for (size_t i = 0; i < STORE_PATTERN_STEPS; i++) {
		if (x->steps[i].bytes == bytes)
			return &x->steps[i];
		if (x->steps[i].accesses < found->accesses)
			found = &x->steps[i];
	}
	return found;
}

static void add_step(struct store_pattern *to, const struct store_pattern_step *more)
{
	struct store_pattern_step *s = find_step(to, more->bytes);

	if (s->bytes != more->bytes && s->accesses >= more->accesses)
		return;
	if (s->bytes != more->bytes) {
		*s = *more;
		return;
	}
	s->accesses += more->accesses;
	s->touched |= more->touched;
	s->narrowest = more->narrowest < s->narrowest ? more->narrowest : s->narrowest;
	s->widest = more->widest > s->widest ? more->widest : s->widest;
}

void forms_add(struct store_pattern *to, const struct store_pattern *more)
{
	to->windows += more->windows;
	to->seen += more->seen;
	to->accesses += more->accesses;
	to->known += more->known;
	to->usual += more->usual;
	to->near += more->near;
	to->words += more->words;
	to->to_self += more->to_self;
	to->to_others += more->to_others;
	to->from_self += more->from_self;
	to->from_others += more->from_others;
	to->inside += more->inside;
	to->hops += more->hops;
	to->rows += more->rows;
	for (size_t i = 0; i < STORE_PATTERN_STEPS; i++)
		if (more->steps[i].bytes != 0)
			add_step(to, &more->steps[i]);
}

/* ---- Accesses ---- */

static double share(uint64_t part, uint64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

double forms_regular(const struct store_pattern *x)
{
	return x->seen < FORMS_LEAST_SEEN || x->known == 0 ? NAN : share(x->usual, x->known);
}

double forms_near(const struct store_pattern *x)
{
	return x->seen < FORMS_LEAST_SEEN || x->known == 0 ? NAN : share(x->near, x->known);
}

const char *forms_access(const struct store_pattern *x)
{
	const double regular = forms_regular(x);

	if (isnan(regular))
		return NULL;
	return regular >= REGULAR ? "regular" : regular <= IRREGULAR ? "irregular" : "both";
}

static bool is_linked(const struct store_pattern *x)
{
	if (x->seen < FORMS_LEAST_SEEN)
		return false;
	return share(x->from_self, x->accesses) >= LEAST_OWN_LINKS ||
	       (share(x->from_self + x->from_others, x->accesses) >= LEAST_LINKS &&
		share(x->to_self + x->to_others, x->words) >= LEAST_FOLLOWED);
}

static bool has_pointers(const struct store_pattern *x)
{
	return x->seen >= FORMS_LEAST_SEEN && share(x->words, x->accesses) >= LEAST_WORDS &&
	       share(x->to_others, x->words) >= LEAST_USED;
}

/* ---- Types ---- */

/*
 * A type of C, as "const struct node *const[12][3]", or of Fortran, as "real(kind=8)(12,3),
 * volatile": dimensions, and is it a pointer?
 */
struct type {
	size_t text; /* bytes before the brackets */
	unsigned dimensions;
	bool is_pointer;
};

/* The last parentheses of Fortran's type, if they are those of an array: "type(x)" has none. */
static unsigned fortran_dimensions(const char *text)
{
	const char *end = strstr(text, "), ");
	const size_t length = end != NULL ? (size_t)(end - text) + 1 : strlen(text);
	unsigned dimensions = 1;
	size_t from = length;

	if (length == 0 || text[length - 1] != ')' || strstr(text, "(*") != NULL)
		return 0;
	while (from > 0 && text[--from] != '(') {
		if (strchr("0123456789:,-)", text[from]) == NULL)
			return 0;
		dimensions += text[from] == ',';
	}
	return length - from > 2 ? dimensions : 0;
}

static struct type type_of(const char *text)
{
	static const char qualifier[] = "*const";
	struct type t = {.text = strlen(text), .dimensions = fortran_dimensions(text)};

	while (t.text > 0 && text[t.text - 1] == ']') {
		while (t.text > 0 && text[--t.text] != '[')
			;
		t.dimensions++;
	}
	t.is_pointer =
		strstr(text, "(*") != NULL || (t.text > 0 && text[t.text - 1] == '*') ||
		(t.text >= sizeof(qualifier) - 1 && strncmp(text + t.text - (sizeof(qualifier) - 1),
							    qualifier, sizeof(qualifier) - 1) == 0);
	return t;
}

static bool is_block(const struct data_row *r)
{
	return r->kind == DATA_HEAP || r->kind == DATA_MAPPING || r->kind == DATA_REGION;
}

/* Of more than one element: a dimension more. */
static bool has_several(const struct data_row *r)
{
	return is_block(r) && r->element_size > 0 && r->largest >= 2 * r->element_size;
}

static enum form form_by_type(const struct profile *p, const struct data_row *r)
{
	const struct type t = type_of(r->type);
	const bool is_structure = members_are_known(p, r->layout) && !t.is_pointer;
	const unsigned dimensions = t.dimensions + has_several(r);

	if (dimensions > 1)
		return dimensions > 2 ? FORM_3D : FORM_2D;
	if (dimensions == 0)
		return is_structure ? FORM_STRUCTURE : FORM_SCALAR;
	return t.is_pointer ? FORM_POINTERS : is_structure ? FORM_STRUCTURES : FORM_ARRAY;
}

/* ---- Strides ---- */

/* The most frequent step, if it says what it steps over; else NULL. */
static const struct store_pattern_step *main_step(const struct store_pattern *x)
{
	const struct store_pattern_step *most = x->steps;

	for (size_t i = 1; i < STORE_PATTERN_STEPS; i++)
		if (x->steps[i].accesses > most->accesses)
			most = &x->steps[i];
	return most->bytes > SCALAR_BYTES && share(most->accesses, x->usual) >= LEAST_STEP ? most
											   : NULL;
}

/* The share of the step's parts that accesses touched. */
static double touched(const struct store_pattern_step *s)
{
	const uint64_t parts = (s->bytes + SCALAR_BYTES - 1) / SCALAR_BYTES;

	return share((uint64_t)__builtin_popcountll(s->touched), parts < 32 ? parts : 32);
}

static enum form form_by_strides(const struct data_row *r, const struct store_pattern *x)
{
	const struct store_pattern_step *s = main_step(x);

	if (s != NULL && s->bytes > s->widest) {
		if (s->narrowest != s->widest)
			return FORM_STRUCTURES;
		if (touched(s) >= LEAST_OF_COLUMN)
			return s->bytes >= LEAST_ROW_BYTES && forms_regular(x) >= REGULAR
				       ? FORM_2D
				       : FORM_ARRAY;
		if (s->bytes < LEAST_ROW_BYTES && __builtin_popcountll(s->touched) > 1)
			return FORM_STRUCTURES;
	}
	return r->largest >= LEAST_ARRAY * SCALAR_BYTES ? FORM_ARRAY : FORM_UNKNOWN;
}

/* ---- Rows ---- */

/* Are they many blocks of about one size, which are found by addresses that another one holds? */
static bool are_rows(const struct data_row *r, const struct store_pattern *x)
{
	return r->kind == DATA_HEAP && x->seen >= FORMS_LEAST_SEEN && x->hops > 0 &&
	       share(x->rows, x->hops) >= LEAST_OF_HOPS && r->largest <= 2 * r->smallest &&
	       r->bytes >= LEAST_ROWS * r->largest;
}

/* ---- */

static enum form form_of_accesses(const struct data_row *r, const struct store_pattern *x)
{
	const enum form form = form_by_strides(r, x);

	return form == FORM_ARRAY && are_rows(r, x) && share(x->inside, x->accesses) >= LEAST_INSIDE
		       ? FORM_2D
		       : form;
}

/* An array of elements, whose size is known; or one of the rows of a larger one. */
static enum form form_of_elements(enum form form, const struct data_row *r,
				  const struct store_pattern *x)
{
	return (form == FORM_ARRAY || form == FORM_STRUCTURES) && are_rows(r, x) ? FORM_2D : form;
}

enum form forms_of(const struct profile *p, const struct data_row *r, const struct store_pattern *x)
{
	if (r->kind == DATA_SECTION)
		return FORM_VARIOUS;
	if (!is_block(r) && r->kind != DATA_VARIABLE && r->kind != DATA_LOCAL)
		return FORM_UNKNOWN;
	if (is_linked(x))
		return FORM_LINKED;
	if (r->type != NULL && (r->kind != DATA_HEAP || r->element_size > 0))
		return form_of_elements(form_by_type(p, r), r, x);
	if (has_pointers(x))
		return FORM_POINTERS;
	if (has_several(r))
		return form_of_elements(
			r->element_size <= SCALAR_BYTES ? FORM_ARRAY : FORM_STRUCTURES, r, x);
	return r->kind == DATA_HEAP && x->seen >= FORMS_LEAST_SEEN ? form_of_accesses(r, x)
								   : FORM_UNKNOWN;
}
