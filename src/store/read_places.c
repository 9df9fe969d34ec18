/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads places: the functions, and lines of functions, that name locations and nodes. */
#include <stddef.h>
#include <stdlib.h>

#include "base/search.h"
#include "store/lists.h"
#include "store/select.h"

static const struct select_column place_columns[] = {
	{SELECT_U64, offsetof(struct place, id), NULL},
	{SELECT_TEXT, offsetof(struct place, frame.function), "?"},
	{SELECT_TEXT, offsetof(struct place, frame.file), NULL},
	{SELECT_U32, offsetof(struct place, frame.line), NULL},
};

static const struct select place_query = {
	"SELECT id, function, file, line FROM place ORDER BY id",
	sizeof(struct place),
	SELECT_COLUMNS(place_columns),
	NULL,
};

int places_read(struct store *s, struct place **items, size_t *count, struct err *err)
{
	return select_all(s, &place_query, STORE_ALL, (void **)items, count, err);
}

const struct store_frame *places_find(const struct place *items, size_t count, int64_t id)
{
	const size_t found = SEARCH_MATCH(i, count, SEARCH_ORDER(items[i].id, id));

	return found < count ? &items[found].frame : NULL;
}

int store_read_frames(struct store *s, struct store_frame **items, size_t *count, struct err *err)
{
	static const struct select_column columns[] = {
		{SELECT_TEXT, offsetof(struct store_frame, function), "?"},
		{SELECT_TEXT, offsetof(struct store_frame, file), NULL},
		{SELECT_U32, offsetof(struct store_frame, line), NULL},
	};
	static const struct select frames = {
		"SELECT function, file, line FROM place ORDER BY id",
		sizeof(struct store_frame),
		SELECT_COLUMNS(columns),
		NULL,
	};

	return select_all(s, &frames, STORE_ALL, (void **)items, count, err);
}
