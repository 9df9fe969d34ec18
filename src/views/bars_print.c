/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bars of an answer as text. */
#include <math.h>

#include "views/answer_print.h"

#define BAR_WIDTH	40
#define SHORTEST_BAR	8
#define LABEL_AND_SHARE 40 /* width before a bar */

static const char *glyph(bool is_dark, const struct display *d)
{
	if (d->unicode)
		return is_dark ? "\xe2\x96\x88" : "\xe2\x96\x91";
	return is_dark ? "#" : "-";
}

static void put_bar(const struct bar *bar, double scale, const struct display *d, struct text *out)
{
	const long whole = lround((bar->dark + bar->light) * scale);
	const long dark = lround(bar->dark * scale);
	char share[FIGURE_BYTES];

	text_addf(out, "%s%25s  %9s%s", bar->follows_gap ? "...\n" : "", bar->label,
		  figure_share(bar->dark + bar->light, share), whole > 0 ? "  " : "");
	for (long i = 0; i < whole; i++)
		text_add(out, glyph(i < dark, d));
	text_add(out, "\n");
}

void bars_text(const struct bars *b, const struct display *d, struct text *out)
{
	const size_t from = out->count;
	unsigned width = BAR_WIDTH;
	double most = 0;

	for (size_t i = 0; i < b->count; i++)
		most = fmax(most, b->items[i].dark + b->items[i].light);
	if (most <= 0)
		return;
	if (d->width > 0 && d->width < LABEL_AND_SHARE + width)
		width = d->width > LABEL_AND_SHARE + SHORTEST_BAR ? d->width - LABEL_AND_SHARE
								  : SHORTEST_BAR;
	text_addf(out, "\n%s (%s %s, %s %s)\n", b->title, glyph(true, d), b->dark, glyph(false, d),
		  b->light);
	fit_prose(out, from, 0, d);
	for (size_t i = 0; i < b->count; i++)
		put_bar(&b->items[i], width / most, d, out);
}
