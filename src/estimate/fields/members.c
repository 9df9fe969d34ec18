/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds members of types by their place; see members.h. */
#include "estimate/fields/members.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

#define LINE_BYTES 64 /* a stream that misses on each line has steps of this size */
#define SEVERAL	   "[several fields]"

/* A place inside of an element: the first byte, and the last one. */
struct span {
	uint64_t low, high, step, size;
};

/* Members of one level: those of the list [at, end) that are `depth` deep. */
struct level {
	const struct store_member *at, *end;
	uint32_t depth;
};

/* ---- The lists ---- */

const struct store_layout *members_layout(const struct profile *p, int64_t id)
{
	const size_t low = sort_first_from(p->layouts, p->layout_count, sizeof(*p->layouts),
					   offsetof(struct store_layout, id), id);

	return low < p->layout_count && p->layouts[low].id == id ? &p->layouts[low] : NULL;
}

static const struct store_member *first_of(const struct profile *p, int64_t layout)
{
	const size_t low = sort_first_from(p->members, p->member_count, sizeof(*p->members),
					   offsetof(struct store_member, layout_id), layout);

	return p->members + low;
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
	return (struct level){m + 1, next_of(l, m + 1), l->depth + 1};
}

/* An array at the end whose length is unknown holds the rest of the block. */
static bool is_open(const struct level *l, const struct store_member *m)
{
	return m->bytes == 0 && next_of(l, m + 1) == l->end;
}

static bool has_open_end(const struct level *l)
{
	const struct store_member *m = next_of(l, l->at), *last = NULL;

	for (; m < l->end; m = next_of(l, m + 1))
		last = m;
	return last != NULL && last->bytes == 0;
}

/* ---- Names ---- */

/*
 * The first and the last member at an offset: of bit-fields several may have the byte. NULL: there
 * is none.
 */
struct found {
	const struct store_member *first, *last;
};

static struct found members_at(const struct level *l, uint64_t offset)
{
	struct found found = {0};

	for (const struct store_member *m = next_of(l, l->at); m < l->end; m = next_of(l, m + 1)) {
		if (m->offset > offset || (offset - m->offset >= m->bytes && !is_open(l, m)))
			continue;
		found.first = found.first != NULL ? found.first : m;
		found.last = m;
	}
	return found;
}

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
	const uint64_t bytes = m->elements > 0 ? m->bytes / m->elements : 0;

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

/* Append the path of the member that holds the whole place; returns its type. */
static const char *put_path(struct level l, struct span s, const char *type, struct text *out)
{
	const bool is_fortran = strncmp(type, "type(", 5) == 0;
	const char *mark = is_fortran ? "%" : ".", *between = out->count > 0 ? mark : "";

	while (l.at < l.end) {
		const struct store_member *m = members_at(&l, s.low).first;
		const struct store_member *last = members_at(&l, s.high).last;

		if (m == NULL) {
			text_addf(out, "%s+%" PRIu64, between, s.low);
			return NULL;
		}
		text_addf(out, "%s%s", between, m->name);
		if (last != m) {
			text_addf(out, "..%s", last != NULL ? last->name : "");
			return NULL;
		}
		type = m->type;
		s.low -= m->offset;
		s.high -= m->offset;
		if (!enter_element(m, is_fortran, &s, out))
			break;
		l = level_of(&l, m);
		between = mark;
	}
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

	*s = (struct span){w->low, w->high + size - 1, w->step, size};
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

/* The blocks hold whole elements, and nothing else. */
static bool holds_elements(const struct members_of *of, uint64_t bytes)
{
	return bytes > 0 && of->smallest % bytes == 0 && of->largest % bytes == 0;
}

const char *members_name(const struct profile *p, const struct members_of *of,
			 const struct members_place *place, struct text *out)
{
	const struct store_layout *layout = members_layout(p, of->layout);
	const struct level l = members_of(p, of->layout);
	uint64_t element = layout != NULL ? layout->bytes : of->element_size;
	struct span s;

	if (layout == NULL && element == 0)
		element = guess_element(place);
	if (layout != NULL && (!holds_elements(of, element) || has_open_end(&l)))
		element = 0;
	if (!narrow(place, element, &s)) {
		text_add(out, layout == NULL || l.at < l.end ? SEVERAL : "");
		return layout != NULL ? layout->type : NULL;
	}
	if (layout == NULL) {
		if (element > 0 || place->step == 0)
			put_offsets(&s, out);
		return NULL;
	}
	if (l.at == l.end)
		return layout->type;
	put_type(layout->type, out);
	return put_path(l, s, layout->type, out);
}
