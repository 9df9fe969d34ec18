/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing arrows for jumps. */
#include "views/listing/jump_arrows.h"

#include <stdlib.h>

#include "base/text.h"

static size_t top_of(const struct jump_arrow *a)
{
	return a->from < a->to ? a->from : a->to;
}

static size_t bottom_of(const struct jump_arrow *a)
{
	return a->from < a->to ? a->to : a->from;
}

static int compare_spans(const void *a, const void *b)
{
	const struct jump_arrow *x = a, *y = b;
	size_t i = bottom_of(x) - top_of(x), k = bottom_of(y) - top_of(y);

	if (i != k)
		return i < k ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* The lanes that earlier arrows use on any row of this one. */
static unsigned lanes_in_use(const struct jump_arrow *arrows, size_t index)
{
	const struct jump_arrow *a = &arrows[index];
	unsigned used = 0;
	size_t i;

	for (i = 0; i < index; i++) {
		if (arrows[i].lane < JUMP_LANES && top_of(&arrows[i]) <= bottom_of(a) &&
		    bottom_of(&arrows[i]) >= top_of(a))
			used |= 1u << arrows[i].lane;
	}
	return used;
}

unsigned jump_arrows_place(struct jump_arrow *arrows, size_t count)
{
	unsigned lanes = 0;
	size_t i;

	if (count > 0)
		qsort(arrows, count, sizeof(*arrows), compare_spans);
	for (i = 0; i < count; i++) {
		unsigned used = lanes_in_use(arrows, i);

		arrows[i].lane = 0;
		while (arrows[i].lane < JUMP_LANES && (used >> arrows[i].lane & 1) != 0)
			arrows[i].lane++;
		if (arrows[i].lane < JUMP_LANES && arrows[i].lane >= lanes)
			lanes = arrows[i].lane + 1;
	}
	return lanes;
}

enum glyph {
	GLYPH_NONE,
	GLYPH_DOWN, /* an arrow passes */
	GLYPH_TOP,  /* upper end */
	GLYPH_BOTTOM,
	GLYPH_ACROSS, /* from an end to the listing */
	GLYPH_CROSS,
	GLYPH_HEAD,
};

static void put_glyph(enum glyph g, bool unicode, struct text *out)
{
	static const char *const fine[] = {" ", "│", "┌", "└", "─", "┼", "►"};
	static const char *const plain[] = {" ", "|", "/", "\\", "-", "+", ">"};

	text_add(out, unicode ? fine[g] : plain[g]);
}

/* Draw the arrow's part of the row; the listing is at the right. */
static void draw(const struct jump_arrow *a, unsigned lanes, size_t row, enum glyph *glyphs)
{
	unsigned at = lanes - 1 - a->lane, i;

	if (row != a->from && row != a->to) {
		glyphs[at] = glyphs[at] == GLYPH_ACROSS ? GLYPH_CROSS : GLYPH_DOWN;
		return;
	}
	glyphs[at] = row == top_of(a) ? GLYPH_TOP : GLYPH_BOTTOM;
	for (i = at + 1; i <= lanes; i++) {
		if (glyphs[i] == GLYPH_DOWN)
			glyphs[i] = GLYPH_CROSS;
		else if (glyphs[i] == GLYPH_NONE)
			glyphs[i] = GLYPH_ACROSS;
	}
	if (row == a->to)
		glyphs[lanes] = GLYPH_HEAD;
}

void jump_arrows_put(const struct jump_arrow *arrows, size_t count, unsigned lanes, size_t row,
		     bool unicode, struct text *out)
{
	enum glyph glyphs[JUMP_LANES + 1] = {GLYPH_NONE};
	unsigned i;
	size_t k;

	for (k = 0; k < count && lanes > 0; k++) {
		if (arrows[k].lane < JUMP_LANES && top_of(&arrows[k]) <= row &&
		    bottom_of(&arrows[k]) >= row)
			draw(&arrows[k], lanes, row, glyphs);
	}
	for (i = 0; i <= lanes; i++)
		put_glyph(glyphs[i], unicode, out);
	text_add(out, " ");
}
