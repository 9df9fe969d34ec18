/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that is known of a data structure beside its figures, as lines for people. Of a recursive
 * function on the call paths of its blocks only one call is shown, so that many paths become one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer.h"
#include "answer/data_columns.h"
#include "base/array.h"
#include "base/size.h"

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
static void put_frame(const struct store_frame *f, bool is_inlined, struct text *out)
{
	text_add(out, "      " ANSWER_NAME);
	answer_words(out, f->function);
	text_add(out, ANSWER_NAME);
	if (f->file != NULL) {
		text_add(out, "  ");
		answer_words(out, f->file);
		text_addf(out, ":%" PRIu32, f->line);
	}
	text_add(out, is_inlined ? "  (inlined)\n" : "\n");
}

static void put_path(const struct profile *p, const struct store_site *s, struct text *out)
{
	const struct store_frame *last = NULL;

	for (size_t i = 0; i < s->path_count; i++) {
		const struct store_location *l = profile_location(p, s->path[i]);

		for (uint32_t k = 0; l != NULL && k < l->frame_count; k++) {
			const struct store_frame *f = &l->frames[k];

			if (last == NULL || strcmp(last->function, f->function) != 0)
				put_frame(f, k + 1 < l->frame_count, out);
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

static bool gather_paths(const struct data *d, size_t row, struct paths *paths)
{
	const struct profile *p = d->profile;

	for (size_t i = 0; i < p->site_count; i++) {
		const struct store_site *s = &p->sites[i];
		struct text t = {0};
		char *text;

		if (d->row_of_site[i] != row)
			continue;
		put_path(p, s, &t);
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

/* Those of the blocks of a row, most bytes first. */
static void put_paths(const struct data *d, size_t row, struct text *out)
{
	char blocks[FIGURE_BYTES], bytes[SIZE_TEXT_BYTES], peak[SIZE_TEXT_BYTES];
	struct paths paths = {0};

	if (!gather_paths(d, row, &paths))
		out->failed = true;
	merge_paths(&paths);
	for (size_t i = 0; i < paths.count && i < MOST_PATHS; i++) {
		const struct path *x = &paths.items[i];

		text_add(out, "    ");
		answer_words(out, x->kind);
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

static void put_detail(const char *label, const char *value, const char *end, struct text *out)
{
	text_addf(out, "    %-10s", label);
	answer_words(out, value);
	text_add(out, end);
}

void data_put_details(const struct data *d, size_t row, struct text *out)
{
	const struct data_row *r = &d->rows[row];

	text_add(out, "\n");
	answer_words(out, r->name);
	text_add(out, "\n");
	if (r->type != NULL)
		put_detail("type", r->type, "\n", out);
	if (data_is_variable(r) && r->file != NULL) {
		put_detail("declared", r->file, "", out);
		text_addf(out, ":%" PRIu32 "\n", r->line);
	}
	if (r->module != NULL)
		put_detail("file", r->module, "\n", out);
	if (r->site != NULL && !data_is_one(r->kind))
		put_paths(d, row, out);
}
