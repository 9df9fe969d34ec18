/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws miss-ratio curves with characters: the curve in braille dots (2 by 4 in a cell), the 95 %
 * interval as a shade behind it; in plain ASCII if braille cannot be shown. Sizes grow by octaves
 * to the right. Several curves have no shades, but colours, and letters on them for users to whom
 * colours look alike.
 *
 *   30 % ┤⠉⠒⢄
 *        │░░⠈⠢⡀        <- rows of cells, the canvas
 *    0 % ┼────────
 *        8K  64K       <- sizes, then the caches of the machine
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/figures.h"
#include "base/size.h"
#include "base/text.h"
#include "estimate/curve.h"
#include "views/fit.h"
#include "views/table.h"
#include "views/views.h"

#define LABEL_WIDTH 8 /* "100.0 % " */
#define ROWS	    16
#define MARKS	    4 /* letters on each curve, with several curves */
#define MIN_COLUMNS 24
#define MAX_COLUMNS 100
#define DOTS_ACROSS 2
#define DOTS_DOWN   4

/* Glyphs for a display. */
struct glyphs {
	const char *shade, *axis, *tick, *corner, *floor;
};

static const struct glyphs unicode_glyphs = {"░", "│", "┤", "┼", "─"};
static const struct glyphs ascii_glyphs = {":", "|", "+", "+", "-"};

struct canvas {
	const struct curve *curves; /* the first one defines the axis */
	size_t curve_count;
	const struct glyphs *glyphs;
	const struct display *display;
	size_t columns;
	double top;	 /* ratio at the upper edge */
	uint8_t *dots;	 /* bits of the dots in each cell, in braille's order */
	uint8_t *shade;	 /* 1: within the interval */
	uint8_t *owner;	 /* of each cell: the last curve drawn there */
	uint8_t *letter; /* replaces the dots; 0: none */
};

static const uint8_t braille_bits[DOTS_DOWN][DOTS_ACROSS] = {
	{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

/* The curve at a place from 0 (first point) to 1 (last point), interpolated over log(size). */
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

/* The next round number for the axis, at most 1: 1, 2, 3, 4, 5, 6, 8 or 10 times a power of ten. */
static double round_top(double highest)
{
	static const double steps[] = {1, 2, 3, 4, 5, 6, 8, 10};
	double decade = pow(10, floor(log10(highest)));

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] * decade >= highest * (1 - 1e-9))
			return fmin(1, steps[i] * decade);
	return 1;
}

/*
 * The axis follows the curve. A much wider interval is cut, so that it does not flatten the curve.
 */
static double choose_top(const struct curve *curves, size_t count)
{
	double ratio = 0, high = 0;

	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < curves[k].count; i++) {
			ratio = fmax(ratio, curves[k].points[i].ratio.ratio);
			high = fmax(high, curves[k].points[i].ratio.high);
		}
	if (count > 1) /* several curves have no shades */
		high = 1.02 * ratio;
	return round_top(fmax(fmin(high, 1.5 * ratio), 1e-4));
}

/* Draw the dots of a column between two heights, both from the bottom. */
static void draw_dots(struct canvas *v, size_t curve, size_t x, long from, long to)
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
		v->owner[row * v->columns + x / DOTS_ACROSS] = (uint8_t)curve;
	}
}

/* The height of a curve, in dots, at a column of dots. */
static long height_at(const struct canvas *v, const struct curve *c, size_t x)
{
	double scale = (ROWS * DOTS_DOWN - 1) / v->top;
	double across = (double)(v->columns * DOTS_ACROSS - 1);

	return lround(ratio_at(c, (double)x / across).ratio * scale);
}

static void draw_curve(struct canvas *v, size_t curve)
{
	long before = -1;

	for (size_t x = 0; x < v->columns * DOTS_ACROSS; x++) {
		long y = height_at(v, &v->curves[curve], x);
		/* Join to the previous dot, without repeating it. */
		long from = before < 0 || before == y ? y : before + (y > before ? 1 : -1);

		draw_dots(v, curve, x, from, y);
		before = y;
	}
}

static void draw_shade(struct canvas *v)
{
	for (size_t x = 0; x < v->columns; x++) {
		struct model_ratio r =
			ratio_at(&v->curves[0], ((double)x + 0.5) / (double)v->columns);

		for (size_t row = 0; row < ROWS; row++) {
			double middle = v->top * (ROWS - (double)row - 0.5) / ROWS;

			v->shade[row * v->columns + x] = r.low <= middle && middle <= r.high;
		}
	}
}

/* Draw each curve's letter at different columns. */
static void draw_letters(struct canvas *v, size_t curve)
{
	size_t step = v->columns / MARKS;

	for (size_t k = 0; k < MARKS; k++) {
		size_t x = k * step + (2 * curve + 1) * step / (2 * v->curve_count);
		long y = height_at(v, &v->curves[curve], x * DOTS_ACROSS);
		size_t row;

		if (x >= v->columns || y < 0 || y >= ROWS * DOTS_DOWN)
			continue;
		row = (size_t)(ROWS * DOTS_DOWN - 1 - y) / DOTS_DOWN;
		v->letter[row * v->columns + x] = (uint8_t)('A' + curve);
		v->owner[row * v->columns + x] = (uint8_t)curve;
	}
}

static void put_braille(struct text *out, uint8_t bits)
{
	/* U+2800 + bits in UTF-8. */
	const char bytes[] = {(char)0xe2, (char)(0xa0 | bits >> 6), (char)(0x80 | (bits & 0x3f))};

	text_add_bytes(out, bytes, sizeof(bytes));
}

/* The ink of a cell. */
enum { INK_NONE, INK_SHADE, INK_CURVE };

static void change_ink(const struct canvas *v, size_t *now, size_t next, struct text *out)
{
	static const char *const codes[] = {"0", "0;2;36"};
	static const char *const curves[] = {"36", "33", "35", "32", "34", "31"};
	size_t count = sizeof(curves) / sizeof(curves[0]);

	if (v->display->color && *now != next && next < INK_CURVE)
		text_addf(out, "\033[%sm", codes[next]);
	else if (v->display->color && *now != next)
		text_addf(out, "\033[0;1;%sm", curves[(next - INK_CURVE) % count]);
	*now = next;
}

static bool is_blank(const struct canvas *v, size_t cell)
{
	return v->dots[cell] == 0 && v->shade[cell] == 0 && v->letter[cell] == 0;
}

static void print_row(const struct canvas *v, size_t row, struct text *out)
{
	size_t ink = INK_NONE, end = (row + 1) * v->columns;

	while (end > row * v->columns && is_blank(v, end - 1))
		end--;
	for (size_t cell = row * v->columns; cell < end; cell++) {
		uint8_t bits = v->dots[cell], letter = v->letter[cell];
		bool shade = v->shade[cell] != 0;

		change_ink(v, &ink,
			   bits || letter ? INK_CURVE + (size_t)v->owner[cell]
			   : shade	  ? INK_SHADE
					  : INK_NONE,
			   out);
		if (letter)
			text_addf(out, "%c", letter);
		else if (bits && v->display->unicode)
			put_braille(out, bits);
		else
			text_add(out, bits ? "*" : shade ? v->glyphs->shade : " ");
	}
	change_ink(v, &ink, INK_NONE, out);
	text_add(out, "\n");
}

/* Print the rows; five of them have a number, including the top and the bottom one. */
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

/* The column of a size; outside of the curve's range, the nearest edge. */
static size_t column_of(const struct canvas *v, uint64_t size_bytes)
{
	double first = log2((double)v->curves[0].points[0].size_bytes);
	double last = log2((double)v->curves[0].points[v->curves[0].count - 1].size_bytes);
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

/* Print the sizes below the axis: the ends first, then the powers of two that fit. */
static void print_sizes(const struct canvas *v, struct text *out)
{
	char line[MAX_COLUMNS + 1], label[SIZE_TEXT_BYTES];
	const struct curve_point *points = v->curves[0].points;
	uint64_t first = points[0].size_bytes, last = points[v->curves[0].count - 1].size_bytes;

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

/* Print marks below the axis for the machine's caches in the range. */
static void print_caches(const struct canvas *v, struct text *out)
{
	static const char *const cache_names[PROFILE_CACHES] = {"^L1d", "^L2", "^L3"};
	const struct curve *c = &v->curves[0];
	char names[MAX_COLUMNS + 1];
	bool any = false;

	memset(names, ' ', v->columns);
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		uint64_t size = c->caches[i].size_bytes;

		if (size < c->points[0].size_bytes || size > c->points[c->count - 1].size_bytes)
			continue;
		place_label(names, v->columns, column_of(v, size) + 1, cache_names[i]);
		any = true;
	}
	if (any)
		print_line(out, names, v->columns);
	text_add(out, "\n");
}

/* Print the ratios of a single curve for the machine's caches. */
static void print_figures(const struct curve *c, struct text *out)
{
	struct profile_cache caches[PROFILE_CACHES];
	char size[SIZE_TEXT_BYTES], percent[FIGURE_BYTES], interval[FIGURE_BYTES];

	profile_caches(c->profile, caches);
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		const struct model_ratio *r = &c->caches[i].ratio;

		if (caches[i].size_bytes == 0)
			continue;
		text_addf(out, "  %-4s %5s  %10s  (%s)\n", caches[i].name,
			  size_format(caches[i].size_bytes, size),
			  figure_percent(r->ratio, percent), figure_interval(r, interval));
	}
}

/* How the curve is known, for the column of samples. */
static const char *kind_of(const struct curve *c, char buf[FIGURE_BYTES])
{
	if (c->one_in > 1)
		snprintf(buf, FIGURE_BYTES, "1/%" PRIu64, c->one_in);
	else if (c->is_exact)
		return "exact";
	else
		figure_count(c->samples, buf);
	return buf;
}

/* Print a line for each curve: its letter, its name, its ratios for its machine's caches. */
static int print_legend(const struct canvas *v, struct text *out, struct err *err)
{
	static const struct table_column columns[] = {
		{"", false, false},  {"SAMPLES", true, false}, {"L1d", true, false},
		{"L2", true, false}, {"L3", true, false},      {"CURVE", false, true}};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(columns[0]), v->display);
	int status;

	for (size_t k = 0; k < v->curve_count; k++) {
		const struct curve *c = &v->curves[k];
		const char letter[] = {(char)('A' + k), '\0'};
		char samples[FIGURE_BYTES], figures[PROFILE_CACHES][2 * FIGURE_BYTES];
		const char *cells[] = {letter,	   kind_of(c, samples), figures[0],
				       figures[1], figures[2],		c->label};

		for (size_t i = 0; i < PROFILE_CACHES; i++) {
			char size[SIZE_TEXT_BYTES], percent[FIGURE_BYTES];

			figures[i][0] = '\0';
			if (c->is_exact && !c->caches[i].ratio.known)
				continue;
			if (c->caches[i].size_bytes > 0 && !c->caches[i].ratio.known)
				snprintf(figures[i], sizeof(figures[i]), "not known");
			else if (c->caches[i].size_bytes > 0)
				snprintf(figures[i], sizeof(figures[i]), "%s: %s",
					 size_format(c->caches[i].size_bytes, size),
					 figure_percent(c->caches[i].ratio.ratio, percent));
		}
		table_row(t, cells);
	}
	status = table_print(t, out, err);
	table_free(t);
	return status;
}

/* Print the ratios of exact curves, a column for each curve. */
static int print_points(const struct canvas *v, struct text *out, struct err *err)
{
	struct table_column heads[CURVE_MOST + 2] = {{"SIZE", true, false}};
	const struct curve *of[CURVE_MOST];
	char letters[CURVE_MOST][2], cells[CURVE_MOST][FIGURE_BYTES], size[SIZE_TEXT_BYTES];
	bool has_intervals;
	size_t columns = 0;
	struct table *t;
	int status;

	for (size_t k = 0; k < v->curve_count; k++) {
		if (!v->curves[k].is_exact)
			continue;
		letters[columns][0] = (char)('A' + k);
		letters[columns][1] = '\0';
		heads[columns + 1] = (struct table_column){
			v->curve_count > 1 ? letters[columns] : "MISS RATIO", true, false};
		of[columns++] = &v->curves[k];
	}
	if (columns == 0)
		return 0;
	if (v->curve_count > 1)
		text_add(out, "\n");
	has_intervals = v->curve_count == 1 && of[0]->one_in > 1;
	if (has_intervals)
		heads[2] = (struct table_column){"95 % INTERVAL", false, false};
	t = table_new(heads, columns + 1 + has_intervals, v->display);
	for (size_t i = 0; i < of[0]->count; i++) {
		const char *row[CURVE_MOST + 2] = {size_format(of[0]->points[i].size_bytes, size)};

		for (size_t k = 0; k < columns; k++)
			row[k + 1] = i < of[k]->count ? figure_percent(of[k]->points[i].ratio.ratio,
								       cells[k])
						      : "";
		if (has_intervals)
			row[2] = figure_interval(&of[0]->points[i].ratio, cells[1]);
		table_row(t, row);
	}
	status = table_print(t, out, err);
	table_free(t);
	return status;
}

static void print_title(const struct curve *c, size_t count, const struct display *d,
			struct text *out)
{
	const struct profile *p = c->profile;
	char samples[FIGURE_BYTES], size[SIZE_TEXT_BYTES], sets[32] = "fully associative";
	size_t from = out->count;
	bool same = true, alike = true, exact = c->is_exact && c->one_in <= 1;

	if (c->ways == 1)
		snprintf(sets, sizeof(sets), "direct-mapped");
	else if (c->ways > 1)
		snprintf(sets, sizeof(sets), "%" PRIu64 "-way sets", c->ways);

	for (size_t k = 1; k < count; k++) {
		same = same && c[k].profile == p;
		exact = exact && c[k].is_exact && c[k].one_in <= 1;
		alike = alike && c[k].line_bytes == c->line_bytes && c[k].policy == c->policy;
	}
	text_add(out, exact ? "Exact miss ratio by cache size: " : "Miss ratio by cache size: ");
	if (count == 1 && c->label != NULL) {
		fit_add(out, c->label, d);
		text_add(out, " of ");
	}
	fit_add(out, same ? p->process->command : "several runs", d);
	text_add(out, "\n");
	if (alike)
		text_addf(out, "%s replacement, %s, %u-byte lines", figure_policy(c->policy), sets,
			  c->line_bytes);
	else
		text_add(out, sets);
	if (count == 1 && c->is_exact && c->one_in > 1)
		text_addf(out,
			  "; one of %" PRIu64 " lines in %s accesses, some %s of lines touched",
			  c->one_in, figure_count(c->samples, samples),
			  size_format((c->lines > 0 ? c->lines : 1) * c->line_bytes, size));
	else if (count == 1 && c->is_exact)
		text_addf(out, "; all of %s accesses, %s of lines touched",
			  figure_count(c->samples, samples),
			  c->lines > 0 ? size_format(c->lines * c->line_bytes, size) : "none");
	else if (count == 1)
		text_addf(out, "; %s samples; shaded: 95 %% interval",
			  figure_count(c->samples, samples));
	text_add(out, "\n\n");
	fit_prose(out, from, 0, d);
}

/* Without samples nothing is known. */
static bool is_known(const struct curve *c)
{
	return c->count > 0 && c->points[0].ratio.known;
}

static int draw(struct canvas *v, struct text *out, struct err *err)
{
	size_t cells = ROWS * v->columns;

	v->dots = calloc(4, cells);
	if (v->dots == NULL)
		return err_set(err, "not enough memory for a plot");
	v->shade = v->dots + cells;
	v->owner = v->dots + 2 * cells;
	v->letter = v->dots + 3 * cells;
	for (size_t k = 0; k < v->curve_count; k++)
		if (is_known(&v->curves[k]))
			draw_curve(v, k);
	if (v->curve_count == 1 && !v->curves[0].is_exact)
		draw_shade(v);
	for (size_t k = 0; k < v->curve_count && v->curve_count > 1; k++)
		if (is_known(&v->curves[k]))
			draw_letters(v, k);
	print_rows(v, out);
	print_sizes(v, out);
	print_caches(v, out);
	free(v->dots);
	return 0;
}

int curve_plot(const struct curve *curves, size_t count, const struct display *d, struct text *out,
	       struct err *err)
{
	struct canvas v = {.curves = curves, .curve_count = count, .display = d};
	size_t width = d->width > 0 ? d->width : 80;

	bool any = false;

	for (size_t k = 0; k < count; k++)
		any = any || is_known(&curves[k]);
	print_title(curves, count, d, out);
	if (!any) {
		text_add(out, "No samples were taken: the miss ratio is not known.\n");
		return 0;
	}
	v.glyphs = d->unicode ? &unicode_glyphs : &ascii_glyphs;
	v.columns = width > LABEL_WIDTH + 2 + MIN_COLUMNS ? width - LABEL_WIDTH - 2 : MIN_COLUMNS;
	if (v.columns > MAX_COLUMNS)
		v.columns = MAX_COLUMNS;
	v.top = choose_top(curves, count);
	/* A single size makes no plot, and exact curves are in a table. */
	if ((curves->count > 1 || !curves->is_exact) && draw(&v, out, err) != 0)
		return -1;
	if (count > 1 && print_legend(&v, out, err) != 0)
		return -1;
	if (count == 1 && !curves->is_exact)
		print_figures(curves, out);
	return print_points(&v, out, err);
}
