/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fits text: shortens words that are too long for their column, and breaks prose that is too long
 * for its line. Control characters never pass: terminals would obey them.
 */
#ifndef DWELL_VIEWS_FIT_H
#define DWELL_VIEWS_FIT_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

#define FIT_PROSE_WIDTH 80 /* if no width is known */

/* Properties of the display. */
struct display {
	unsigned width; /* characters; 0: no terminal, nothing is cut */
	bool color;
	bool unicode;
};

/*
 * Add text from a program or a file. Control characters become \xNN; without Unicode, everything
 * except ASCII does. NULL adds nothing.
 */
void fit_add(struct text *out, const char *s, const struct display *d);

/* The number of columns of a text from fit_add. */
size_t fit_width(const char *s);

/*
 * Make UTF-8 the encoding of this thread, if there is such a locale, for functions of the C library
 * that compute widths of characters; and go back.
 */
struct fit_locale {
	locale_t utf8, before;
};

void fit_enter_utf8(struct fit_locale *l);
void fit_leave_utf8(struct fit_locale *l);

/*
 * Add `s`, which must be from fit_add, in at most `width` columns. A mark replaces removed text.
 * Names keep their ends:
 *   1. leading spaces, and a place FILE:LINE after them, stay; the text after them is shortened,
 *   2. long brackets lose their content, the longest first: a<…>::b(…), but f(int) stays,
 *   3. the middle is removed, keeping more of the front than of the end.
 * An allocation site, "new in FUNCTION (FILE:LINE) [1 of 2]", keeps its line and what follows it:
 * the function is shortened, then left out.
 * If a place itself does not fit, the name of its file is shortened, never its number; it may then
 * exceed the width.
 */
void fit_name(struct text *out, const char *s, size_t width, const struct display *d);

/* The same for text whose beginning matters most, such as a command: removes the end. */
void fit_words(struct text *out, const char *s, size_t width, const struct display *d);

#define FIT_STAY "\x1f" /* as ANSWER_STAY: fit_prose makes it a space, and does not break there */

/*
 * Break the lines of `out` from byte `from` on at spaces, to fit the display. Continuation lines
 * are indented by `indent` spaces. Words too long for a line stay whole.
 */
void fit_prose(struct text *out, size_t from, size_t indent, const struct display *d);

#endif
