/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads code locations with their frames; and single values: meta, source. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/lists.h"
#include "store/select.h"

struct reading {
	struct store *s;
	int64_t process; /* STORE_ALL: all */
	struct {
		struct store_location *items;
		size_t count, room;
	} locations;
	struct map by_id; /* id -> index */
	struct place *places;
	size_t place_count;
};

/* The ids of a row are consecutive, whatever its first id is. */
static int64_t id_of(const struct list_item *item)
{
	return (int64_t)((uint64_t)item->keys[0] + (uint64_t)item->index);
}

/* ---- The locations ---- */

static int add_location(void *context, const struct list_item *item, struct err *err)
{
	struct reading *r = context;
	const struct numbers *n = &item->numbers;
	int64_t id = id_of(item);
	struct store_location l = {.id = id, .module_id = STORE_NONE};

	if (n->count != LOCATION_MODULE && n->count != LOCATION_NUMBERS)
		return select_damaged(r->s, err);
	l.process_id = n->items[LOCATION_PROCESS];
	l.pc = (uint64_t)n->items[LOCATION_PC];
	if (n->count == LOCATION_NUMBERS) {
		l.module_id = n->items[LOCATION_MODULE];
		l.module_address = (uint64_t)n->items[LOCATION_ADDRESS];
	}
	if (r->process != STORE_ALL && r->process != l.process_id)
		return 0;
	if (id < 0 || id == INT64_MAX)
		return select_damaged(r->s, err);
	if (!ARRAY_GROW(&r->locations) || map_set(&r->by_id, (uint64_t)id, r->locations.count) != 0)
		return err_set(err, "out of memory");
	r->locations.items[r->locations.count++] = l;
	return 0;
}

/* ---- Names ---- */

static int add_names(void *context, const struct list_item *item, struct err *err)
{
	struct reading *r = context;
	const struct numbers *n = &item->numbers;
	struct store_location *l;
	struct store_frame *frames;
	uint64_t index;
	size_t i;

	if (!map_get(&r->by_id, (uint64_t)id_of(item), &index))
		return 0;
	l = &r->locations.items[index];
	frames = arena_alloc(&r->s->strings, n->count * sizeof(*frames));
	if (frames == NULL)
		return err_set(err, "out of memory");
	for (i = 0; i < n->count; i++) {
		const struct store_frame *f = places_find(r->places, r->place_count, n->items[i]);

		if (f == NULL)
			return select_damaged(r->s, err);
		frames[i] = *f;
	}
	l->frames = frames;
	l->frame_count = (uint32_t)n->count;
	return 0;
}

/* ---- Locations without names ---- */

static const char *name_unresolved(struct store *s, const char *path,
				   const struct store_location *l)
{
	struct text name = {0};
	const char *kept;

	if (path == NULL)
		text_add(&name, STORE_NAMELESS);
	else if (path[0] == '[')
		text_add(&name, path);
	else
		text_addf(&name, "[%s+0x%" PRIx64 "]", path_basename(path), l->module_address);
	kept = store_intern(s, text_get(&name));
	text_release(&name);
	return kept;
}

static int name_one(struct reading *r, sqlite3_stmt *q, struct store_location *l, struct err *err)
{
	struct store_frame *frame = arena_alloc(&r->s->strings, sizeof(*frame));
	const char *path = NULL;

	sqlite3_bind_int64(q, 1, l->module_id);
	if (sqlite3_step(q) == SQLITE_ROW)
		path = (const char *)sqlite3_column_text(q, 0);
	if (frame != NULL)
		*frame = (struct store_frame){.function = name_unresolved(r->s, path, l)};
	sqlite3_reset(q);
	if (frame == NULL || frame->function == NULL)
		return err_set(err, "out of memory");
	l->frames = frame;
	l->frame_count = 1;
	return 0;
}

static int name_the_rest(struct reading *r, struct err *err)
{
	static const char sql[] = "SELECT path FROM module WHERE id = ?";
	sqlite3_stmt *q = NULL;
	int status = 0;
	size_t i;

	if (select_prepare(r->s, sql, STORE_NONE, &q, err) != 0)
		return -1;
	for (i = 0; i < r->locations.count && status == 0; i++) {
		if (r->locations.items[i].frame_count == 0)
			status = name_one(r, q, &r->locations.items[i], err);
	}
	sqlite3_finalize(q);
	return status;
}

/* The calls whose result is handed on. */
static int read_wrappers(struct reading *r, struct err *err)
{
	sqlite3_stmt *q = NULL;
	uint64_t index;
	int status;

	if (sqlite3_prepare_v2(r->s->db, "SELECT location_id, frames FROM wrapper", -1, &q, NULL) !=
	    SQLITE_OK)
		return store_fail(r->s, "read calls that allocate", err);
	while ((status = sqlite3_step(q)) == SQLITE_ROW) {
		const int64_t frames = sqlite3_column_int64(q, 1);

		if (frames > 0 && map_get(&r->by_id, (uint64_t)sqlite3_column_int64(q, 0), &index))
			r->locations.items[index].handed =
				frames < UINT32_MAX ? (uint32_t)frames : UINT32_MAX;
	}
	sqlite3_finalize(q);
	return status == SQLITE_DONE ? 0 : store_fail(r->s, "read calls that allocate", err);
}

static int compare_locations(const void *a, const void *b)
{
	const struct store_location *x = a, *y = b;

	if (x->process_id != y->process_id)
		return x->process_id < y->process_id ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

int store_read_locations(struct store *s, int64_t process, struct store_location **items,
			 size_t *count, struct err *err)
{
	struct reading r = {.s = s, .process = process};
	int status;

	*items = NULL;
	*count = 0;
	status = places_read(s, &r.places, &r.place_count, err);
	if (status == 0)
		status = lists_read(s, "SELECT list, first_id FROM location_batch", STORE_ALL,
				    add_location, &r, err);
	if (status == 0)
		status = lists_read(s, "SELECT list, first_id FROM name_batch", STORE_ALL,
				    add_names, &r, err);
	if (status == 0)
		status = name_the_rest(&r, err);
	if (status == 0)
		status = read_wrappers(&r, err);
	free(r.places);
	map_release(&r.by_id);
	if (status != 0) {
		free(r.locations.items);
		return -1;
	}
	if (r.locations.count > 0)
		qsort(r.locations.items, r.locations.count, sizeof(*r.locations.items),
		      compare_locations);
	*items = r.locations.items;
	*count = r.locations.count;
	return 0;
}

/* A statement at the row with a text key; NULL if there is none. */
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
	const char *text = q != NULL ? select_text(s, q, 0) : NULL;

	sqlite3_finalize(q);
	return text;
}

bool store_is_counted(struct store *s)
{
	const char *mode = store_meta_text(s, "mode");

	return mode != NULL && strcmp(mode, "count") == 0;
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
	const char *text = q != NULL ? select_text(s, q, 0) : NULL;

	sqlite3_finalize(q);
	return text;
}
