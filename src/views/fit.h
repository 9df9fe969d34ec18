/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text that fits: the one rule for words that are too long for their column, and for prose that is
 * too long for its line. No control character comes through, since those are orders to a terminal.
 */
#ifndef DWELL_VIEWS_FIT_H
#define DWELL_VIEWS_FIT_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

#define FIT_PROSE_WIDTH 80 /* where no width is known */

/* What the place that a text will be shown at can do. */
struct display {
	unsigned width; /* characters; 0: no terminal, nothing is cut */
	bool color;
	bool unicode;
};

/*
 * Add what a program or a file gave us as text for the display: control characters, and where it
 * has no Unicode all that is not ASCII, as \xNN. NULL adds nothing.
 */
void fit_add(struct text *out, const char *s, const struct display *d);

/* How many columns text from fit_add takes. */
size_t fit_width(const char *s);

/*
 * Where there is such a locale, make UTF-8 the encoding of this thread, for functions that ask
 * the C library how wide a character is; and go back.
 */
struct fit_locale {
	locale_t utf8, before;
};

void fit_enter_utf8(struct fit_locale *l);
void fit_leave_utf8(struct fit_locale *l);

/*
 * Add `s`, which is from fit_add, in at most `width` columns. A mark stands where something was
 * left out. Names keep their ends:
 *   1. spaces in front, and a place FILE:LINE that follows them, stay; what comes after gives way,
 *   2. long brackets lose what is in them, the longest first: a<…>::b(…), but f(int) stays,
 *   3. the middle goes, more of the front than of the end.
 * A place that does not fit itself loses from the name of its file, never from its number, and is
 * rather wider than asked for.
 */
void fit_name(struct text *out, const char *s, size_t width, const struct display *d);

/* The same for words that say most in front, as a command: they lose their end. */
void fit_words(struct text *out, const char *s, size_t width, const struct display *d);

#define FIT_STAY "\x1f" /* a space that prose is not broken at; fit_prose makes it one */

/*
 * Break the lines of `out` from byte `from` on at spaces, so that they fit the display; what
 * follows a break is indented by `indent` spaces. A word that is too long for a line is left whole.
 */
void fit_prose(struct text *out, size_t from, size_t indent, const struct display *d);

#endif
