/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A miss-ratio curve drawn with characters: the curve in braille dots (2 by 4 in
 * a cell), the 95 % interval as a shade behind it; in plain ASCII where braille
 * cannot be shown. Sizes grow by octaves to the right.
 *
 *	 30 % ┤⠉⠒⢄
 *	      │░░⠈⠢⡀        <- rows of cells, the canvas
 *	  0 % ┼────────
 *	      8K  64K       <- sizes, then the caches of the machine
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "report/curve.h"
#include "report/figures.h"

#define LABEL_WIDTH 8 /* "100.0 % " */
#define ROWS	    16
#define MIN_COLUMNS 24
#define MAX_COLUMNS 100
#define DOTS_ACROSS 2
#define DOTS_DOWN   4

/* Glyphs of a kind of display. */
struct glyphs {
	const char *shade, *axis, *tick, *corner, *floor;
};

static const struct glyphs unicode_glyphs = {"░", "│", "┤", "┼", "─"};
static const struct glyphs ascii_glyphs = {":", "|", "+", "+", "-"};

struct canvas {
	const struct curve *curve;
	const struct glyphs *glyphs;
	const struct display *display;
	size_t columns;
	double top;	/* ratio at the upper edge */
	uint8_t *dots;	/* a bit per dot of each cell: braille's own order */
	uint8_t *shade; /* 1: inside the interval */
};

static const uint8_t braille_bits[DOTS_DOWN][DOTS_ACROSS] = {
	{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

/* The curve at a place between its points: 0 is the first, 1 the last, straight over log(size). */
static struct model_ratio ratio_at(const struct curve *c, double where)
{
	double first = log2((double)c->points[0].size_bytes);
	double last = log2((double)c->points[c->count - 1].size_bytes);
	double x = first + where * (last - first);
	size_t i = 0;
	struct model_ratio a, b;
	double x0, x1, f;

	while (i + 2 < c->count && log2((double)c->points[i + 1].size_bytes) < x)
		i++;
	a = c->points[i].ratio;
	b = c->points[i + 1 < c->count ? i + 1 : i].ratio;
	x0 = log2((double)c->points[i].size_bytes);
	x1 = log2((double)c->points[i + 1 < c->count ? i + 1 : i].size_bytes);
	f = x1 > x0 ? (x - x0) / (x1 - x0) : 0;
	return (struct model_ratio){.ratio = a.ratio + f * (b.ratio - a.ratio),
				    .low = a.low + f * (b.low - a.low),
				    .high = a.high + f * (b.high - a.high),
				    .known = true};
}

/* The next round number up for the axis: 1, 2 or 5 times a power of ten. At most 1. */
static double round_top(double highest)
{
	static const double steps[] = {1, 2, 3, 4, 5, 6, 8, 10};
	double decade = pow(10, floor(log10(highest)));

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] * decade >= highest * (1 - 1e-9))
			return fmin(1, steps[i] * decade);
	return 1;
}

/* The axis follows the curve; an interval that is much wider is cut, not shrunk to. */
static double choose_top(const struct curve *c)
{
	double ratio = 0, high = 0;

	for (size_t i = 0; i < c->count; i++) {
		ratio = fmax(ratio, c->points[i].ratio.ratio);
		high = fmax(high, c->points[i].ratio.high);
	}
	return round_top(fmax(fmin(high, 1.5 * ratio), 1e-4));
}

/* Dots of a column between two heights, both counted from the bottom, in dots. */
static void draw_dots(struct canvas *v, size_t x, long from, long to)
{
	long last = ROWS * DOTS_DOWN - 1;

	if (from > to) {
		long swap = from;

		from = to;
		to = swap;
	}
	for (long y = from < 0 ? 0 : from; y <= to && y <= last; y++) {
		size_t row = (size_t)(last - y) / DOTS_DOWN;

		v->dots[row * v->columns + x / DOTS_ACROSS] |=
			braille_bits[(size_t)(last - y) % DOTS_DOWN][x % DOTS_ACROSS];
	}
}

static void draw_curve(struct canvas *v)
{
	size_t across = v->columns * DOTS_ACROSS;
	double scale = (ROWS * DOTS_DOWN - 1) / v->top;
	long before = -1;

	for (size_t x = 0; x < across; x++) {
		struct model_ratio r = ratio_at(v->curve, (double)x / (double)(across - 1));
		long y = lround(r.ratio * scale);
		/* Join to the dot before, without doubling it. */
		long from = before < 0 || before == y ? y : before + (y > before ? 1 : -1);

		draw_dots(v, x, from, y);
		before = y;
	}
	for (size_t x = 0; x < v->columns; x++) {
		struct model_ratio r = ratio_at(v->curve, ((double)x + 0.5) / (double)v->columns);

		for (size_t row = 0; row < ROWS; row++) {
			double middle = v->top * (ROWS - (double)row - 0.5) / ROWS;

			v->shade[row * v->columns + x] = r.low <= middle && middle <= r.high;
		}
	}
}

static void put_braille(struct text *out, uint8_t bits)
{
	/* U+2800 + bits in UTF-8. */
	const char bytes[] = {(char)0xe2, (char)(0xa0 | bits >> 6), (char)(0x80 | (bits & 0x3f))};

	text_add_bytes(out, bytes, sizeof(bytes));
}

enum ink { INK_NONE, INK_CURVE, INK_SHADE };

static void change_ink(const struct canvas *v, enum ink *now, enum ink next, struct text *out)
{
	static const char *const codes[] = {"\033[0m", "\033[0;1;36m", "\033[0;2;36m"};

	if (v->display->color && *now != next)
		text_add(out, codes[next]);
	*now = next;
}

static void print_row(const struct canvas *v, size_t row, struct text *out)
{
	enum ink ink = INK_NONE;
	size_t end = v->columns;

	while (end > 0 && v->dots[row * v->columns + end - 1] == 0 &&
	       v->shade[row * v->columns + end - 1] == 0)
		end--;
	for (size_t x = 0; x < end; x++) {
		uint8_t bits = v->dots[row * v->columns + x];
		bool shade = v->shade[row * v->columns + x] != 0;

		change_ink(v, &ink, bits ? INK_CURVE : shade ? INK_SHADE : INK_NONE, out);
		if (bits && v->display->unicode)
			put_braille(out, bits);
		else
			text_add(out, bits ? "*" : shade ? v->glyphs->shade : " ");
	}
	change_ink(v, &ink, INK_NONE, out);
	text_add(out, "\n");
}

/* Rows that carry a number: five of them, top and bottom among them. */
static void print_rows(const struct canvas *v, struct text *out)
{
	for (size_t row = 0; row < ROWS; row++) {
		char label[FIGURE_BYTES];

		if (row % (ROWS / 4) == 0) {
			snprintf(label, sizeof(label), "%.3g %%",
				 100 * v->top * (double)(ROWS - row) / ROWS);
			text_addf(out, "%*s %s", LABEL_WIDTH - 1, label, v->glyphs->tick);
		} else {
			text_addf(out, "%*s%s", LABEL_WIDTH, "", v->glyphs->axis);
		}
		print_row(v, row, out);
	}
	text_addf(out, "%*s %s", LABEL_WIDTH - 1, "0 %", v->glyphs->corner);
	for (size_t x = 0; x < v->columns; x++)
		text_add(out, v->glyphs->floor);
	text_add(out, "\n");
}

/* Column of a size; outside the curve's range the nearest edge. */
static size_t column_of(const struct canvas *v, uint64_t size_bytes)
{
	double first = log2((double)v->curve->points[0].size_bytes);
	double last = log2((double)v->curve->points[v->curve->count - 1].size_bytes);
	double where = last > first ? (log2((double)size_bytes) - first) / (last - first) : 0;

	return (size_t)lround(fmin(1, fmax(0, where)) * (double)(v->columns - 1));
}

/* Put a label into a line of blanks, centred at a column, if there is room. */
static void place_label(char *line, size_t width, size_t column, const char *label)
{
	size_t length = strlen(label), at = column > length / 2 ? column - length / 2 : 0;

	if (length > width)
		return;
	if (at + length > width)
		at = width - length;
	for (size_t i = at > 0 ? at - 1 : 0; i < at + length + 1 && i < width; i++)
		if (line[i] != ' ')
			return;
	for (size_t i = 0; i < length; i++)
		line[at + i] = label[i];
}

static void print_line(struct text *out, char *line, size_t width)
{
	while (width > 0 && line[width - 1] == ' ')
		width--;
	line[width] = '\0';
	text_addf(out, "%*s%s\n", LABEL_WIDTH + 1, "", line);
}

/* The sizes below the axis: the ends first, then what fits in powers of two. */
static void print_sizes(const struct canvas *v, struct text *out)
{
	char line[MAX_COLUMNS + 1], label[SIZE_TEXT_BYTES];
	const struct curve_point *points = v->curve->points;
	uint64_t first = points[0].size_bytes, last = points[v->curve->count - 1].size_bytes;

	memset(line, ' ', v->columns);
	place_label(line, v->columns, 0, size_format(first, label));
	if (last > first)
		place_label(line, v->columns, v->columns - 1, size_format(last, label));
	for (uint64_t size = 1; size <= last / 2; size *= 2)
		if (size * 2 > first)
			place_label(line, v->columns, column_of(v, size * 2),
				    size_format(size * 2, label));
	print_line(out, line, v->columns);
}

/* Marks below the axis for the machine's caches that lie in the range, and their figures. */
static void print_caches(const struct canvas *v, const struct profile *p, struct text *out)
{
	struct profile_cache caches[PROFILE_CACHES];
	char names[MAX_COLUMNS + 1], size[SIZE_TEXT_BYTES], percent[FIGURE_BYTES],
		interval[FIGURE_BYTES];
	const struct curve_point *points = v->curve->points;
	bool any = false;

	profile_caches(p, caches);
	memset(names, ' ', v->columns);
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		char label[16];

		if (caches[i].size_bytes < points[0].size_bytes ||
		    caches[i].size_bytes > points[v->curve->count - 1].size_bytes)
			continue;
		snprintf(label, sizeof(label), "^%s", caches[i].name);
		place_label(names, v->columns, column_of(v, caches[i].size_bytes) + 1, label);
		any = true;
	}
	if (any)
		print_line(out, names, v->columns);
	text_add(out, "\n");
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		struct model_ratio r;

		if (caches[i].size_bytes == 0)
			continue;
		profile_solve(p, v->curve->policy, caches[i].size_bytes, &r);
		text_addf(out, "  %-4s %5s  %10s  (%s)\n", caches[i].name,
			  size_format(caches[i].size_bytes, size), figure_percent(r.ratio, percent),
			  figure_interval(&r, interval));
	}
}

static void print_title(const struct curve *c, const struct profile *p, struct text *out)
{
	char samples[FIGURE_BYTES];

	text_addf(out, "Miss ratio by cache size: %s\n", p->process->command);
	text_addf(out,
		  "%s replacement, fully associative, %u-byte lines; %s samples; shaded: 95 %% "
		  "interval\n\n",
		  c->policy == MODEL_LRU ? "LRU" : "random", p->line_bytes,
		  figure_count(p->sample_count, samples));
}

int curve_plot(const struct curve *c, const struct profile *p, const struct display *d,
	       struct text *out, struct err *err)
{
	struct canvas v = {.curve = c, .display = d};
	size_t width = d->width > 0 ? d->width : 80;

	print_title(c, p, out);
	if (c->count == 0 || !c->points[0].ratio.known) {
		text_add(out, "No samples were taken: the miss ratio is not known.\n");
		return 0;
	}
	v.glyphs = d->unicode ? &unicode_glyphs : &ascii_glyphs;
	v.columns = width > LABEL_WIDTH + 2 + MIN_COLUMNS ? width - LABEL_WIDTH - 2 : MIN_COLUMNS;
	if (v.columns > MAX_COLUMNS)
		v.columns = MAX_COLUMNS;
	v.top = choose_top(c);
	v.dots = calloc(2, ROWS * v.columns);
	if (v.dots == NULL)
		return err_set(err, "not enough memory for a plot");
	v.shade = v.dots + ROWS * v.columns;
	draw_curve(&v);
	print_rows(&v, out);
	print_sizes(&v, out);
	print_caches(&v, p, out);
	free(v.dots);
	return 0;
}
