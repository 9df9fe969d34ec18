/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call paths of a data structure's blocks. Of a recursive function only one call is shown, so
 * that many paths become one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answer/figures.h"
#include "base/array.h"
#include "base/size.h"
#include "base/text.h"
#include "views/fit.h"
#include "views/parts.h"

#define MOST_NAME  100 /* width of a function's name */
#define MOST_PATHS 10

/* Sites whose paths look the same. */
struct path {
	char *text; /* a line for each call */
	const char *kind;
	uint64_t blocks, bytes, peak;
};

struct paths {
	struct path *items;
	size_t count, room;
};

/* Names of templates may be pages long. */
static void put_frame(const struct store_frame *f, bool is_inlined, const struct display *d,
		      struct text *out)
{
	struct text name = {0};

	fit_add(&name, f->function, d);
	text_add(out, "      ");
	fit_name(out, text_get(&name), MOST_NAME, d);
	text_release(&name);
	if (f->file != NULL) {
		text_add(out, "  ");
		fit_add(out, f->file, d);
		text_addf(out, ":%" PRIu32, f->line);
	}
	text_add(out, is_inlined ? "  (inlined)\n" : "\n");
}

static void put_path(const struct profile *p, const struct store_site *s, const struct display *d,
		     struct text *out)
{
	const struct store_frame *last = NULL;

	for (size_t i = 0; i < s->path_count; i++) {
		const struct store_location *l = profile_location(p, s->path[i]);

		for (uint32_t k = 0; l != NULL && k < l->frame_count; k++) {
			const struct store_frame *f = &l->frames[k];

			if (last == NULL || strcmp(last->function, f->function) != 0)
				put_frame(f, k + 1 < l->frame_count, d, out);
			last = f;
		}
	}
}

static int compare_texts(const void *a, const void *b)
{
	const struct path *x = a, *y = b;
	int order = strcmp(x->kind, y->kind);

	return order != 0 ? order : strcmp(x->text, y->text);
}

static int compare_bytes(const void *a, const void *b)
{
	const struct path *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return compare_texts(a, b);
}

/* Merge paths that look the same, and sort by bytes. */
static void merge_paths(struct paths *paths)
{
	size_t kept = 0;

	if (paths->count == 0)
		return;
	qsort(paths->items, paths->count, sizeof(*paths->items), compare_texts);
	for (size_t i = 0; i < paths->count; i++) {
		struct path *to = kept > 0 ? &paths->items[kept - 1] : NULL;

		if (to == NULL || compare_texts(to, &paths->items[i]) != 0) {
			paths->items[kept++] = paths->items[i];
			continue;
		}
		to->blocks += paths->items[i].blocks;
		to->bytes += paths->items[i].bytes;
		to->peak += paths->items[i].peak;
		free(paths->items[i].text);
	}
	paths->count = kept;
	qsort(paths->items, paths->count, sizeof(*paths->items), compare_bytes);
}

static bool gather_paths(const struct data *d, size_t row, const struct display *display,
			 struct paths *paths)
{
	const struct profile *p = d->profile;

	for (size_t i = 0; i < p->site_count; i++) {
		const struct store_site *s = &p->sites[i];
		struct text t = {0};
		char *text;

		if (d->row_of_site[i] != row)
			continue;
		put_path(p, s, display, &t);
		text = t.failed ? NULL : strdup(text_get(&t));
		text_release(&t);
		if (text == NULL || !ARRAY_GROW(paths)) {
			free(text);
			return false;
		}
		paths->items[paths->count++] =
			(struct path){text, s->kind, s->blocks, s->bytes, s->peak_bytes};
	}
	return true;
}

static const char *bytes_text(uint64_t bytes, char buf[SIZE_TEXT_BYTES])
{
	return bytes > 0 ? size_format(bytes, buf) : "0";
}

void data_paths_text(const struct data *d, size_t row, const struct display *display,
		     struct text *out)
{
	char blocks[FIGURE_BYTES], bytes[SIZE_TEXT_BYTES], peak[SIZE_TEXT_BYTES];
	struct paths paths = {0};

	if (!gather_paths(d, row, display, &paths))
		out->failed = true;
	merge_paths(&paths);
	for (size_t i = 0; i < paths.count && i < MOST_PATHS; i++) {
		const struct path *x = &paths.items[i];

		text_add(out, "    ");
		fit_add(out, x->kind, display);
		text_addf(out, " of %s block%s, %s in all, %s at the most\n",
			  figure_count(x->blocks, blocks), x->blocks == 1 ? "" : "s",
			  bytes_text(x->bytes, bytes), bytes_text(x->peak, peak));
		text_add(out, x->text);
	}
	if (paths.count > MOST_PATHS)
		text_addf(out, "    ... and %s more call path%s\n",
			  figure_count(paths.count - MOST_PATHS, blocks),
			  paths.count - MOST_PATHS == 1 ? "" : "s");
	for (size_t i = 0; i < paths.count; i++)
		free(paths.items[i].text);
	free(paths.items);
}
