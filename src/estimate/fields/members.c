/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds members of types by their place; see members.h. */
#include "estimate/fields/members.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/elements.h"
#include "base/search.h"

#define LINE_BYTES 64 /* a stream that misses on each line has steps of this size */
#define SEVERAL	   "[several fields]"

/* A place inside of an element: the first byte, and the last one. */
struct span {
	uint64_t low, high, step, size;
	uint64_t width; /* of an access; 0: unknown */
	uint64_t form;	/* of an access: enum store_form */
};

/* Members of one level: those of the list [at, end) that are `depth` deep. */
struct level {
	const struct store_member *at, *end;
	uint32_t depth;
	bool has_rest; /* an array of one element at the end has as many as there is room for */
};

/* ---- The lists ---- */

const struct store_layout *members_layout(const struct profile *p, int64_t id)
{
	const size_t found = SEARCH_MATCH(i, p->layout_count, SEARCH_ORDER(p->layouts[i].id, id));

	return found < p->layout_count ? &p->layouts[found] : NULL;
}

static const struct store_member *first_of(const struct profile *p, int64_t layout)
{
	return p->members + SEARCH_FIRST(i, p->member_count, p->members[i].layout_id >= layout);
}

static struct level members_of(const struct profile *p, int64_t layout)
{
	const struct store_member *end = p->members + p->member_count;
	struct level l = {.at = p->member_count > 0 ? first_of(p, layout) : NULL};

	for (l.end = l.at; l.end != NULL && l.end < end && l.end->layout_id == layout;)
		l.end++;
	return l;
}

bool members_are_known(const struct profile *p, int64_t layout)
{
	const struct level l = members_of(p, layout);

	return l.at < l.end;
}

/* The next member of the level from `at` on, or its end. */
static const struct store_member *next_of(const struct level *l, const struct store_member *at)
{
	while (at < l->end && at->depth != l->depth)
		at++;
	return at;
}

/* The members of a member. */
static struct level level_of(const struct level *l, const struct store_member *m)
{
	return (struct level){m + 1, next_of(l, m + 1), l->depth + 1, false};
}

static const struct store_member *last_of(const struct level *l)
{
	const struct store_member *m = next_of(l, l->at), *last = NULL;

	for (; m < l->end; m = next_of(l, m + 1))
		last = m;
	return last;
}

/* An array at the end whose length is unknown holds the rest of the block. */
static bool is_open(const struct level *l, const struct store_member *m)
{
	return (m->bytes == 0 || (l->has_rest && m->elements == 1)) && next_of(l, m + 1) == l->end;
}

/* The bytes of a value; of an array of an element. Of an open array `elements` has them. */
static uint64_t each_of(const struct store_member *m)
{
	if (m->bytes == 0 || m->elements == 0)
		return m->bytes == 0 ? m->elements : m->bytes;
	return m->bytes / m->elements;
}

/* ---- Choice ---- */

static bool holds(const struct level *l, const struct store_member *m, uint64_t offset)
{
	return offset >= m->offset && (offset - m->offset < m->bytes || is_open(l, m));
}

/*
 * How well an access at the offset fits the member, or one inside of it: to the size and the form
 * of a value, to its size only, to a part of one, or not at all.
 */
enum fit { FITS_NOT, FITS_INSIDE, FITS_PARTLY, FITS };

static enum fit fit_of(const struct level *l, const struct store_member *m, uint64_t offset,
		       const struct span *s)
{
	const uint64_t each = each_of(m);
	const struct level below = level_of(l, m);
	const uint64_t at = each > 0 ? (offset - m->offset) % each : 0;
	enum fit best = FITS_NOT, fit;

	for (const struct store_member *x = next_of(&below, below.at); x < below.end;
	     x = next_of(&below, x + 1)) {
		fit = holds(&below, x, at) ? fit_of(&below, x, at, s) : FITS_NOT;
		best = fit > best ? fit : best;
	}
	if (below.at < below.end || m->form == STORE_FORM_UNKNOWN || at + s->width > each)
		return best;
	if (at != 0 || s->width != each)
		return FITS_INSIDE;
	return s->form == STORE_FORM_UNKNOWN || s->form == m->form ? FITS : FITS_PARTLY;
}

/* What may be at an offset: of a union, and of bit-fields in a byte, several members. */
struct found {
	const struct store_member *first, *last;
	const struct store_member *best; /* NULL: the access fits none, or several alike */
};

static struct found members_at(const struct level *l, uint64_t offset, const struct span *s)
{
	struct found found = {0};
	enum fit best = FITS_NOT;

	for (const struct store_member *m = next_of(l, l->at); m < l->end; m = next_of(l, m + 1)) {
		const enum fit fit = holds(l, m, offset) ? fit_of(l, m, offset, s) : FITS_NOT;

		if (!holds(l, m, offset))
			continue;
		if (fit >= best)
			found.best = fit > best ? m : NULL;
		best = fit > best ? fit : best;
		found.first = found.first != NULL ? found.first : m;
		found.last = m;
	}
	if (found.first == found.last)
		found.best = found.first;
	return found;
}

/* All members begin at one place. */
static bool is_union(const struct level *l)
{
	size_t count = 0;

	for (const struct store_member *m = next_of(l, l->at); m < l->end; m = next_of(l, m + 1))
		if (m->offset != 0)
			return false;
		else
			count++;
	return count > 1;
}

/* ---- Names ---- */

#define MOST_DIMENSIONS 8

/* The extents of an array by its type, "double[3][4]" or "real(kind=8)(0:2,4)"; 0: unknown. */
static size_t read_extents(const char *type, bool is_fortran, uint64_t extents[MOST_DIMENSIONS],
			   int64_t lowest[MOST_DIMENSIONS])
{
	const char *at = is_fortran ? strrchr(type, '(') : strchr(type, '[');
	size_t count = 0;

	while (at != NULL && *at != '\0' && *at != ')' && count < MOST_DIMENSIONS) {
		char *end;
		int64_t first = strtoll(at + 1, &end, 10), last = first;

		lowest[count] = is_fortran ? 1 : 0;
		if (*end == ':') {
			lowest[count] = first;
			last = strtoll(end + 1, &end, 10);
		}
		extents[count] = (uint64_t)(last - lowest[count] + (is_fortran ? 1 : 0));
		if (end == at + 1 || extents[count] == 0)
			return 0;
		count++;
		at = *end == ']' ? end + 1 : end;
	}
	return count;
}

/* Append "[2][3]" or "(3,4)", for the element with this number in memory. */
static void put_index(const char *type, bool is_fortran, uint64_t number, struct text *out)
{
	uint64_t extents[MOST_DIMENSIONS];
	int64_t lowest[MOST_DIMENSIONS];
	const size_t count = read_extents(type, is_fortran, extents, lowest);
	uint64_t behind = 1;

	if (count == 0) {
		text_addf(out, "[%" PRIu64 "]", number);
	} else if (is_fortran) { /* the first index is the fastest */
		for (size_t i = 0; i < count; number /= extents[i++])
			text_addf(out, "%s%" PRId64, i > 0 ? "," : "(",
				  lowest[i] + (int64_t)(number % extents[i]));
		text_add(out, ")");
	} else {
		for (size_t i = 1; i < count; i++)
			behind *= extents[i];
		for (size_t i = 0; i < count; i++) {
			text_addf(out, "[%" PRIu64 "]", number / behind % extents[i]);
			behind /= i + 1 < count ? extents[i + 1] : 1;
		}
	}
}

/* Append the index in an array, and narrow the place to an element. False: it is in several. */
static bool enter_element(const struct store_member *m, bool is_fortran, struct span *s,
			  struct text *out)
{
	const uint64_t bytes = m->elements > 0 ? each_of(m) : 0;

	if (bytes == 0)
		return m->elements == 0;
	if (s->low / bytes == s->high / bytes) {
		put_index(m->type, is_fortran, s->low / bytes, out);
	} else if (s->step > 0 && s->step % bytes == 0 && s->low % bytes + s->size <= bytes) {
		text_add(out, is_fortran ? "(:)" : "[]");
		s->high = s->low % bytes + s->size - 1;
	} else {
		text_add(out, is_fortran ? "(:)" : "[]");
		return false;
	}
	s->low %= bytes;
	s->high %= bytes;
	return true;
}

/*
 * Append the path of the member that holds the whole place; returns its type. *is_exact: the path
 * goes down to a value.
 */
static const char *put_path(struct level l, struct span s, const char *type, struct text *out,
			    bool *is_exact)
{
	const bool is_fortran = strncmp(type, "type(", 5) == 0;
	const char *mark = is_fortran ? "%" : ".", *between = out->count > 0 ? mark : "";

	*is_exact = false;
	while (l.at < l.end) {
		const struct found found = members_at(&l, s.low, &s);
		const struct store_member *m = found.best != NULL ? found.best : found.first;

		if (found.first == NULL) {
			text_addf(out, "%s+%" PRIu64, between, s.low);
			return NULL;
		}
		if (found.best == NULL && is_union(&l))
			return type;
		text_addf(out, "%s%s", between, m->name);
		if (found.best == NULL || !holds(&l, m, s.high)) {
			m = members_at(&l, s.high, &s).last;
			text_addf(out, "..%s", m != NULL ? m->name : "");
			return NULL;
		}
		type = m->type;
		s.low -= m->offset;
		s.high -= m->offset;
		if (!enter_element(m, is_fortran, &s, out))
			return type;
		l = level_of(&l, m);
		between = mark;
	}
	*is_exact = true;
	return type;
}

/*
 * "node" of "const struct node" and of "std::node<long>"; empty for a type without a name. Field
 * names are long enough without what the row's data structure says.
 */
static void put_type(const char *type, struct text *out)
{
	static const char *const words[] = {"const ", "volatile ", "struct ",
					    "union ", "class ",	   "type("};
	const char *end, *colons;

	if (type[0] == '(') { /* a tuple */
		text_add(out, type);
		return;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strncmp(type, words[i], strlen(words[i])) == 0)
			type += strlen(words[i]);
	if (strstr(type, "{...}") != NULL)
		return;
	end = type + strcspn(type, "<)");
	while ((colons = strstr(type, "::")) != NULL && colons < end)
		type = colons + 2;
	text_add_bytes(out, type, (size_t)(end - type));
}

static void put_offsets(const struct span *s, struct text *out)
{
	const uint64_t last = s->high - s->size + 1;

	text_addf(out, "+%" PRIu64, s->low);
	if (last > s->low)
		text_addf(out, "..+%" PRIu64, last);
}

/* Without a type: steps that no stream over lines makes tell the size of the elements. */
static uint64_t guess_element(const struct members_place *w)
{
	return w->step > LINE_BYTES || (w->step > 0 && LINE_BYTES % w->step != 0) ? w->step : 0;
}

/*
 * Narrow the place to an element of so many bytes; 0: there is only one. False: it is at several
 * places of elements.
 */
static bool narrow(const struct members_place *w, uint64_t element, struct span *s)
{
	const uint64_t size = w->size > 0 ? w->size : 1;

	*s = (struct span){
		w->low, w->high + size - 1, w->step, size, w->width > 0 ? w->width : w->size,
		w->form};
	if (element == 0 || w->low / element == (w->high + size - 1) / element) {
		s->low %= element > 0 ? element : UINT64_MAX;
		s->high %= element > 0 ? element : UINT64_MAX;
		return true;
	}
	if (w->step % element != 0)
		return false;
	s->low %= element;
	s->high = s->low + size - 1;
	s->step = 0;
	return true;
}

/* ---- Places that a range does not tell apart ---- */

static size_t index_length(const char *text)
{
	const char *end = *text == '['	 ? strchr(text, ']')
			  : *text == '(' ? strchr(text, ')')
					 : NULL;

	return end != NULL ? (size_t)(end - text) + 1 : 0;
}

/* Leave what is the same in both, and empty indices that differ. False: they differ elsewhere. */
static bool unite(struct text *known, const char *other)
{
	const char *at = text_get(known);
	struct text both = {0};
	bool is_same = true;

	while (is_same && (*at != '\0' || *other != '\0')) {
		const size_t a = index_length(at), b = index_length(other);

		if (a > 0 && b > 0) {
			if (a == b && strncmp(at, other, a) == 0)
				text_add_bytes(&both, at, a);
			else
				text_add(&both, *at == '(' ? "(:)" : "[]");
			at += a;
			other += b;
		} else {
			is_same = *at == *other;
			text_add_bytes(&both, at, 1);
			at += *at != '\0';
			other += *other != '\0';
		}
	}
	known->count = 0;
	text_add(known, text_get(&both));
	text_release(&both);
	return is_same;
}

/*
 * Append the one field that all known places are on, if there is one, with an index for each array
 * that is everywhere the same. Returns its type; NULL: there is none.
 */
static const char *name_places(const struct level *l, const struct store_layout *layout,
			       uint64_t element, const struct members_place *w, struct text *out)
{
	struct text all = {0}, one = {0};
	const char *type = NULL;
	bool is_exact = w->place_count > 1;

	for (size_t i = 0; is_exact && i < w->place_count; i++) {
		struct members_place place = *w;
		struct span s;

		place.low = place.high = w->places[i];
		place.step = 0;
		one.count = 0;
		put_type(layout->type, &one);
		is_exact = narrow(&place, element, &s);
		if (is_exact)
			type = put_path(*l, s, layout->type, &one, &is_exact);
		if (i == 0)
			text_add(&all, text_get(&one));
		else
			is_exact = is_exact && unite(&all, text_get(&one));
	}
	if (is_exact)
		text_add(out, text_get(&all));
	text_release(&all);
	text_release(&one);
	return is_exact ? type : NULL;
}

/* ---- */

/* The size of the elements of the blocks, or of the variable; 0: they are one, or it is unknown. */
static uint64_t element_of(const struct members_of *of, const struct store_layout *layout,
			   struct level *l, const struct members_place *place)
{
	const struct store_member *last = last_of(l);

	if (layout == NULL)
		return of->element_size > 0 ? of->element_size : guess_element(place);
	if (last != NULL && last->bytes == 0)
		return 0;
	if (elements_fit(of->smallest, of->largest, layout->bytes))
		return layout->bytes;
	l->has_rest = true;
	return 0;
}

const char *members_name(const struct profile *p, const struct members_of *of,
			 const struct members_place *place, struct text *out)
{
	const struct store_layout *layout = members_layout(p, of->layout);
	struct level l = members_of(p, of->layout);
	const uint64_t element = element_of(of, layout, &l, place);
	const char *type = NULL, *other;
	struct text name = {0};
	bool is_exact = false;
	struct span s;

	if (layout != NULL && l.at == l.end)
		return layout->type;
	if (!narrow(place, element, &s)) {
		text_add(&name, SEVERAL);
		type = layout != NULL ? layout->type : NULL;
	} else if (layout == NULL) {
		if (element > 0 || place->step == 0)
			put_offsets(&s, &name);
	} else {
		put_type(layout->type, &name);
		type = put_path(l, s, layout->type, &name, &is_exact);
	}
	other = layout != NULL && !is_exact ? name_places(&l, layout, element, place, out) : NULL;
	if (other == NULL)
		text_add(out, text_get(&name));
	text_release(&name);
	return other != NULL ? other : type;
}
