/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fits text into columns; see fit.h. */
#include "views/fit.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "base/text.h"

#define LEAST_NAME  8 /* a shorter rest of a name after a place is useless */
#define LEAST_CLASS 4 /* the same of a class before its place */
#define SHORT_GROUP 8 /* kept of brackets, as two names may differ only there */
#define MOST_GROUPS 32

static const char *mark_of(const struct display *d)
{
	return d->unicode ? "\xe2\x80\xa6" : "...";
}

/* ---- Characters ---- */

void fit_add(struct text *out, const char *s, const struct display *d)
{
	size_t bytes = s != NULL ? strlen(s) : 0;

	if (d->unicode) {
		text_add_printable(out, s, bytes);
		return;
	}
	for (size_t i = 0; i < bytes; i++) {
		if ((unsigned char)s[i] < 0x80)
			text_add_printable(out, s + i, 1);
		else
			text_addf(out, "\\x%02x", (unsigned char)s[i]);
	}
}

/* The character at s, which must be valid UTF-8; *bytes is its length. */
static wchar_t character(const char *s, size_t *bytes)
{
	unsigned char first = (unsigned char)s[0];
	wchar_t c;

	*bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	c = *bytes == 1 ? first : first & (0x7f >> *bytes);
	for (size_t i = 1; i < *bytes; i++) {
		if ((s[i] & 0xc0) != 0x80) {
			*bytes = i;
			return L'?';
		}
		c = c << 6 | (s[i] & 0x3f);
	}
	return c;
}

void fit_enter_utf8(struct fit_locale *l)
{
	l->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	l->before = uselocale(l->utf8); /* does nothing if it is 0: no such locale */
}

void fit_leave_utf8(struct fit_locale *l)
{
	uselocale(l->before);
	if (l->utf8 != (locale_t)0)
		freelocale(l->utf8);
}

/*
 * Move forward from s over whole characters, up to `end`, as long as they fit into *columns; set
 * *columns to their width. Most text is ASCII, which needs no locale.
 */
static const char *forward(const char *s, const char *end, size_t *columns)
{
	struct fit_locale locale;
	bool is_entered = false;
	size_t used = 0;

	while (s < end) {
		size_t bytes, wide = 1;
		wchar_t c = character(s, &bytes);

		if ((unsigned char)s[0] >= 0x80) {
			int width;

			if (!is_entered)
				fit_enter_utf8(&locale);
			is_entered = true;
			width = wcwidth(c);
			wide = width < 0 ? 1 : (size_t)width;
		}
		if (used + wide > *columns)
			break;
		used += wide;
		s += bytes;
	}
	if (is_entered)
		fit_leave_utf8(&locale);
	*columns = used;
	return s;
}

static size_t width_between(const char *s, const char *end)
{
	size_t columns = SIZE_MAX;

	forward(s, end, &columns);
	return columns;
}

size_t fit_width(const char *s)
{
	return width_between(s, s + strlen(s));
}

/* ---- Cuts ---- */

static void add_between(struct text *out, const char *s, const char *end)
{
	text_add_bytes(out, s, (size_t)(end - s));
}

/* Keep the front, as much as fits, and a mark. */
static void cut_end(struct text *out, const char *s, const char *end, size_t width,
		    const struct display *d)
{
	size_t mark = fit_width(mark_of(d)), room = width > mark ? width - mark : 0;

	if (width_between(s, end) <= width) {
		add_between(out, s, end);
		return;
	}
	add_between(out, s, forward(s, end, &room));
	text_add(out, mark_of(d));
}

/* Keep the front, `front` columns in 6, a mark, and the end. */
static void cut_middle(struct text *out, const char *s, const char *end, size_t width, size_t front,
		       const struct display *d)
{
	size_t mark = fit_width(mark_of(d)), room = width > mark ? width - mark : 0;
	size_t all = width_between(s, end), head = room * front / 6, gone;
	const char *tail;

	if (all <= width) {
		add_between(out, s, end);
		return;
	}
	add_between(out, s, forward(s, end, &head));
	text_add(out, mark_of(d));
	gone = all - (room - room * front / 6);
	tail = forward(s, end, &gone);
	if (gone + (room - room * front / 6) < all && tail < end) {
		size_t bytes; /* half of a wide character is removed completely */

		character(tail, &bytes);
		tail += bytes;
	}
	add_between(out, tail, end);
}

void fit_words(struct text *out, const char *s, size_t width, const struct display *d)
{
	cut_end(out, s, s + strlen(s), width, d);
}

/* ---- Brackets ---- */

/* The text between brackets, and how many of its columns are kept; SIZE_MAX: all. */
struct group {
	const char *begin, *end;
	size_t kept;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80) != 0;
}

/*
 * Skip what only looks like a bracket at s: an operator's sign, or an arrow. `first` is the start
 * of the name. Returns s if there is none.
 */
static const char *past_signs(const char *first, const char *s)
{
	if (strncmp(s, "->", 2) == 0)
		return s + 2;
	if (strncmp(s, "operator", 8) != 0 || (s > first && is_word(s[-1])) || is_word(s[8]))
		return s;
	s += 8;
	return strncmp(s, "()", 2) == 0 ? s + 2 : s + strspn(s, "<>=!-*+&|^%/~,[]");
}

/* The bracket that closes the one at s; NULL if there is none. */
static const char *closing(const char *first, const char *s)
{
	size_t depth = 0;

	while (*s != '\0') {
		const char *next = past_signs(first, s);

		if (next != s) {
			s = next;
			continue;
		}
		if (*s == '<' || *s == '(')
			depth++;
		else if ((*s == '>' || *s == ')') && --depth == 0)
			return s;
		s++;
	}
	return NULL;
}

/* Arguments follow a name directly; brackets after a space are part of the text. */
static bool opens_group(const char *first, const char *s)
{
	return *s == '<' || (*s == '(' && s > first && (is_word(s[-1]) || s[-1] == '>'));
}

static size_t find_groups(const char *s, struct group groups[MOST_GROUPS])
{
	const char *first = s;
	size_t count = 0;

	while (*s != '\0' && count < MOST_GROUPS) {
		const char *next = past_signs(first, s), *end;

		if (next != s) {
			s = next;
			continue;
		}
		end = opens_group(first, s) ? closing(first, s) : NULL;
		if (end != NULL) {
			groups[count++] = (struct group){s + 1, end, SIZE_MAX};
			s = end;
		}
		s++;
	}
	return count;
}

/* Remove `excess` columns from brackets, as far as possible. */
static void empty_groups(struct group *groups, size_t count, size_t excess, size_t mark)
{
	while (excess > 0) {
		struct group *longest = NULL;
		size_t most = SHORT_GROUP, saved;

		for (size_t i = 0; i < count; i++) {
			size_t width = width_between(groups[i].begin, groups[i].end);

			if (groups[i].kept == SIZE_MAX && width > most) {
				most = width;
				longest = &groups[i];
			}
		}
		if (longest == NULL)
			return;
		saved = most - mark < excess ? most - mark : excess;
		longest->kept = most - saved; /* including the mark */
		excess -= saved;
	}
}

static void add_function(struct text *out, const char *s, size_t width, const struct display *d)
{
	struct group groups[MOST_GROUPS];
	size_t all = fit_width(s), count = find_groups(s, groups);
	struct text shorter = {0};
	const char *at = s;

	if (all <= width) {
		text_add(out, s);
		return;
	}
	empty_groups(groups, count, all - width, fit_width(mark_of(d)));
	for (size_t i = 0; i < count; i++) {
		add_between(&shorter, at, groups[i].begin);
		cut_end(&shorter, groups[i].begin, groups[i].end, groups[i].kept, d);
		at = groups[i].end;
	}
	text_add(&shorter, at);
	cut_middle(out, text_get(&shorter), text_get(&shorter) + shorter.count, width, 2, d);
	out->failed |= shorter.failed;
	text_release(&shorter);
}

/* ---- Places ---- */

/* If s is a place FILE:LINE, returns its colon, and sets *end; else NULL. */
static const char *number_of_place(const char *s, const char **end)
{
	const char *colon = s + strcspn(s, ": ");
	size_t digits = *colon == ':' ? strspn(colon + 1, "0123456789") : 0;

	*end = colon + 1 + digits;
	return colon > s && digits > 0 && (**end == '\0' || **end == ' ') ? colon : NULL;
}

static void add_place(struct text *out, const char *s, const char *colon, const char *end,
		      size_t width, const struct display *d)
{
	size_t place = width_between(s, end), number = (size_t)(end - colon);
	size_t mark = fit_width(mark_of(d));

	if (*end == '\0' || place + mark > width) {
		size_t file = place - number, room = width > number ? width - number : 0;

		/* If a name is left out, a mark shows it. */
		cut_middle(out, s, colon, *end != '\0' && room >= file ? file - 1 : room, 3, d);
		add_between(out, colon, end);
	} else if (place + 1 + LEAST_NAME > width) {
		add_between(out, s, end);
		text_addf(out, "%s%s", place + 1 + mark <= width ? " " : "", mark_of(d));
	} else {
		add_between(out, s, end);
		text_add(out, " ");
		add_function(out, end + strspn(end, " "), width - place - 1, d);
	}
}

/* ---- Sites ---- */

/* "KIND in FUNCTION (FILE:LINE)", perhaps with more text behind it: "[2 of 3]". */
struct site {
	const char *function, *function_end;
	const char *place, *colon, *place_end;
	const char *rest;
};

static bool find_site(const char *s, struct site *site)
{
	const char *in = strstr(s, " in "), *close = strrchr(s, ')'), *at = close;

	if (in == NULL || close == NULL || close < in)
		return false;
	while (at > in && at[-1] >= '0' && at[-1] <= '9')
		at--;
	if (at == close || at[-1] != ':')
		return false;
	site->colon = at - 1;
	while (at > in && strncmp(at - 1, " (", 2) != 0)
		at--;
	if (at <= in + 4)
		return false;
	site->function = in + 4;
	site->function_end = at - 1;
	site->place = at + 1;
	site->place_end = close;
	site->rest = close + 1;
	return site->place < site->colon;
}

/*
 * What tells sites apart stays: first the function is shortened, then only its class and the place
 * are left, and then the place, in a shorter file.
 */
static void add_site(struct text *out, const char *s, const struct site *site, size_t width,
		     const struct display *d)
{
	const size_t before = width_between(s, site->function), rest = fit_width(site->rest);
	const size_t place = width_between(site->place, site->place_end);
	const size_t number = width_between(site->colon, site->place_end) + rest;
	struct text function = {0};

	add_between(&function, site->function, site->function_end);
	if (before + LEAST_NAME + 3 + place + rest <= width) {
		add_between(out, s, site->function);
		add_function(out, text_get(&function), width - before - 3 - place - rest, d);
		add_between(out, site->function_end, site->place);
		add_between(out, site->place, site->rest);
	} else if (LEAST_CLASS + 1 + place + rest <= width) {
		cut_end(out, text_get(&function), text_get(&function) + function.count,
			width - 1 - place - rest, d);
		text_add(out, " ");
		add_between(out, site->place, site->place_end);
	} else {
		cut_middle(out, site->place, site->colon, width > number ? width - number : 0, 3,
			   d);
		add_between(out, site->colon, site->place_end);
	}
	text_add(out, site->rest);
	out->failed |= function.failed;
	text_release(&function);
}

void fit_name(struct text *out, const char *s, size_t width, const struct display *d)
{
	struct site site;
	size_t spaces = strspn(s, " ");
	const char *colon, *end;

	if (fit_width(s) <= width) {
		text_add(out, s);
		return;
	}
	if (spaces + LEAST_NAME > width)
		spaces = width > LEAST_NAME ? width - LEAST_NAME : 0;
	text_addf(out, "%*s", (int)spaces, "");
	s += strspn(s, " ");
	colon = number_of_place(s, &end);
	if (colon != NULL)
		add_place(out, s, colon, end, width - spaces, d);
	else if (find_site(s, &site))
		add_site(out, s, &site, width - spaces, d);
	else
		add_function(out, s, width - spaces, d);
}

/* ---- Prose ---- */

/* The last space within `most` columns where the line may be broken; NULL if there is none. */
static const char *break_in(const char *s, const char *end, size_t most)
{
	const char *stop = forward(s, end, &most), *c = stop;

	/* Do not break before a per cent sign, or within the indentation. */
	while (c > s && (*c != ' ' || c[1] == '%' || c + 1 == end))
		c--;
	return c - s > (ptrdiff_t)strspn(s, " ") ? c : NULL;
}

static void add_line(struct text *out, const char *s, const char *end, size_t indent, size_t width)
{
	size_t used = 0;

	while (width_between(s, end) > width - used) {
		const char *at = break_in(s, end, width - used);

		if (at == NULL) { /* the word is too long: break after it */
			at = s + strspn(s, " ");
			while (at < end && (*at != ' ' || at[1] == '%'))
				at++;
			if (at >= end)
				break;
		}
		add_between(out, s, at);
		text_addf(out, "\n%*s", (int)indent, "");
		s = at + strspn(at, " ");
		used = indent;
	}
	add_between(out, s, end);
}

void fit_prose(struct text *out, size_t from, size_t indent, const struct display *d)
{
	size_t width = d->width > 0 ? d->width : FIT_PROSE_WIDTH;
	struct text wrapped = {0};
	const char *s, *end;

	if (out->count <= from)
		return;
	if (indent + LEAST_NAME > width)
		indent = 0;
	for (s = text_get(out) + from; *s != '\0'; s = end) {
		end = s + strcspn(s, "\n");
		add_line(&wrapped, s, end, indent, width);
		if (*end == '\n') {
			text_add(&wrapped, "\n");
			end++;
		}
	}
	for (char *c = wrapped.items; c != NULL && *c != '\0'; c++)
		if (*c == FIT_STAY[0])
			*c = ' ';
	out->count = from;
	text_add(out, text_get(&wrapped));
	out->failed |= wrapped.failed;
	text_release(&wrapped);
}
