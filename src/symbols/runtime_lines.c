/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of pieces of code; see runtime_lines.h. */
#include "symbols/runtime_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "base/text.h"

#define MOST_LINES ((size_t)4 << 20)

void runtime_lines_release(struct runtime_lines *l)
{
	free(l->items);
	free(l->pieces.items);
	*l = (struct runtime_lines){0};
}

/* Keep a file name. Returns NULL if it is not text: V8 writes such names, from freed memory. */
static const char *keep(const struct runtime_lines *l, const char *file, struct arena *a)
{
	struct text name = {0};
	bool is_text;

	if (l->count > 0 && strcmp(l->items[l->count - 1].file, file) == 0)
		return l->items[l->count - 1].file;
	text_add_printable(&name, file, strlen(file));
	is_text = file[0] != '\0' && strcmp(text_get(&name), file) == 0;
	text_release(&name);
	return is_text ? arena_strdup(a, file) : NULL;
}

bool runtime_lines_add(struct runtime_lines *l, uint64_t start, uint64_t address, uint32_t line,
		       const char *file, struct arena *a)
{
	const char *kept;

	if (l->waiting_at != start) /* the lines before belong to code that was never reported */
		l->count = l->waiting;
	l->waiting_at = start;
	kept = address >= start ? keep(l, file, a) : NULL;
	if (kept == NULL)
		return true;
	if (l->count >= MOST_LINES || !ARRAY_GROW(l))
		return false;
	l->items[l->count++] = (struct runtime_line){address - start, line, kept};
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct runtime_line *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The lines of the piece, added if new. */
static struct runtime_line_range *range_of(struct runtime_lines *l, size_t piece)
{
	while (l->pieces.count <= piece) {
		if (!ARRAY_GROW(&l->pieces))
			return NULL;
		l->pieces.items[l->pieces.count++] = (struct runtime_line_range){0};
	}
	return &l->pieces.items[piece];
}

bool runtime_lines_take(struct runtime_lines *l, size_t piece, uint64_t start)
{
	struct runtime_line_range *r;

	if (l->count == l->waiting || l->waiting_at != start)
		return true;
	r = range_of(l, piece);
	if (r == NULL)
		return false;
	*r = (struct runtime_line_range){l->waiting, l->count - l->waiting};
	qsort(l->items + r->first, r->count, sizeof(*l->items), compare);
	l->waiting = l->count;
	return true;
}

bool runtime_lines_copy(struct runtime_lines *l, size_t piece, size_t from)
{
	struct runtime_line_range *r;

	if (from >= l->pieces.count)
		return true;
	r = range_of(l, piece);
	if (r != NULL)
		*r = l->pieces.items[from];
	return r != NULL;
}

const struct runtime_line *runtime_lines_find(const struct runtime_lines *l, size_t piece,
					      uint64_t offset, uint64_t *end)
{
	const struct runtime_line_range *r;
	const struct runtime_line *lines;
	size_t behind;

	if (piece >= l->pieces.count)
		return NULL;
	r = &l->pieces.items[piece];
	lines = &l->items[r->first];
	behind = SEARCH_FIRST(i, r->count, lines[i].offset > offset);
	*end = behind < r->count ? lines[behind].offset : UINT64_MAX;
	return behind > 0 ? &lines[behind - 1] : NULL;
}
