/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading code locations with their frames; and the single values: meta, source. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/private.h"
#include "store/query.h"

static const char location_sql[] =
	"SELECT l.id, l.process_id, l.pc, l.module_id, l.module_address, m.path, f.function,"
	" f.file, f.line"
	" FROM location l LEFT JOIN module m ON m.id = l.module_id"
	" LEFT JOIN frame f ON f.location_id = l.id"
	" WHERE ?1 < 0 OR l.process_id = ?1 ORDER BY l.process_id, l.id, f.depth";

static const struct query_column location_list[] = {
	{QUERY_U64, offsetof(struct store_location, id), NULL},
	{QUERY_U64, offsetof(struct store_location, process_id), NULL},
	{QUERY_U64, offsetof(struct store_location, pc), NULL},
	{QUERY_ID, offsetof(struct store_location, module_id), NULL},
	{QUERY_U64, offsetof(struct store_location, module_address), NULL},
};

static const struct query_column frame_list[] = {
	{QUERY_TEXT, offsetof(struct store_frame, function), NULL},
	{QUERY_TEXT, offsetof(struct store_frame, file), NULL},
	{QUERY_U32, offsetof(struct store_frame, line), NULL},
};

static const struct query_columns location_columns = QUERY_COLUMNS(location_list);
static const struct query_columns frame_columns = QUERY_COLUMNS(frame_list);

enum { AT_PATH = 5, AT_FRAME = 6 }; /* the columns after the location's own */

/* Grown while rows come in; the frames of one location are complete before the next begins. */
struct reading {
	struct store *s;
	struct {
		struct store_location *items;
		size_t count, room;
	} locations;
	struct {
		struct store_frame *items;
		size_t count, room;
	} frames; /* of the last location */
};

/* A name for code that has no frames yet. */
static const char *name_unresolved(struct store *s, const char *path,
				   const struct store_location *l)
{
	struct text name = {0};
	const char *kept;

	if (path == NULL)
		text_add(&name, "[anon]");
	else if (path[0] == '[')
		text_add(&name, path);
	else
		text_addf(&name, "[%s+0x%" PRIx64 "]", path_basename(path), l->module_address);
	kept = store_intern(s, text_get(&name));
	text_release(&name);
	return kept;
}

/* Move the frames gathered to their place in the store's memory. */
static int end_location(struct reading *r)
{
	struct store_location *l;
	size_t bytes = r->frames.count * sizeof(*r->frames.items);
	struct store_frame *kept;

	if (r->locations.count == 0)
		return 0;
	l = &r->locations.items[r->locations.count - 1];
	kept = arena_alloc(&r->s->strings, bytes);
	if (kept == NULL)
		return -1;
	memcpy(kept, r->frames.items, bytes);
	l->frames = kept;
	l->frame_count = (uint32_t)r->frames.count;
	r->frames.count = 0;
	return 0;
}

static int add_row(struct reading *r, sqlite3_stmt *q)
{
	int64_t id = sqlite3_column_int64(q, 0);
	struct store_location *l;
	struct store_frame *f;

	if (r->locations.count == 0 || r->locations.items[r->locations.count - 1].id != id) {
		if (end_location(r) != 0 || !ARRAY_GROW(&r->locations))
			return -1;
		l = &r->locations.items[r->locations.count++];
		*l = (struct store_location){0};
		query_fill(r->s, q, 0, &location_columns, l);
	}
	l = &r->locations.items[r->locations.count - 1];
	if (!ARRAY_GROW(&r->frames))
		return -1;
	f = &r->frames.items[r->frames.count++];
	query_fill(r->s, q, AT_FRAME, &frame_columns, f);
	if (f->function == NULL)
		f->function =
			name_unresolved(r->s, (const char *)sqlite3_column_text(q, AT_PATH), l);
	return f->function != NULL ? 0 : -1;
}

int store_read_locations(struct store *s, int64_t process, struct store_location **items,
			 size_t *count, struct err *err)
{
	struct reading r = {.s = s};
	sqlite3_stmt *q = NULL;
	int code, status = -1;

	*items = NULL;
	*count = 0;
	if (query_prepare(s, location_sql, process, &q, err) != 0)
		return -1;
	while ((code = sqlite3_step(q)) == SQLITE_ROW) {
		if (add_row(&r, q) != 0)
			break;
	}
	if (code == SQLITE_ROW || end_location(&r) != 0)
		err_set(err, "out of memory");
	else if (code != SQLITE_DONE)
		store_fail(s, "read", err);
	else
		status = 0;
	sqlite3_finalize(q);
	free(r.frames.items);
	if (status != 0) {
		free(r.locations.items);
		return -1;
	}
	*items = r.locations.items;
	*count = r.locations.count;
	return 0;
}

/* The value of one cell, found by a text key; NULL when there is no row. */
static sqlite3_stmt *find_cell(struct store *s, const char *sql, const char *key)
{
	sqlite3_stmt *q = NULL;

	if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK) {
		sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC);
		if (sqlite3_step(q) == SQLITE_ROW)
			return q;
	}
	sqlite3_finalize(q);
	return NULL;
}

static const char meta_sql[] = "SELECT value FROM meta WHERE key = ?";

const char *store_meta_text(struct store *s, const char *key)
{
	sqlite3_stmt *q = find_cell(s, meta_sql, key);
	const char *text = q != NULL ? query_text(s, q, 0) : NULL;

	sqlite3_finalize(q);
	return text;
}

int64_t store_meta_int(struct store *s, const char *key, int64_t otherwise)
{
	sqlite3_stmt *q = find_cell(s, meta_sql, key);
	int64_t value = otherwise;

	if (q != NULL && sqlite3_column_type(q, 0) != SQLITE_NULL)
		value = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return value;
}

const char *store_read_source(struct store *s, const char *path)
{
	sqlite3_stmt *q = find_cell(s, "SELECT text FROM source WHERE path = ?", path);
	const char *text = q != NULL ? query_text(s, q, 0) : NULL;

	sqlite3_finalize(q);
	return text;
}
