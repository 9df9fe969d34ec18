/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the columns and nodes of an event profile; read_increments.c reads its counts. */
#include "store/events.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "store/lists.h"
#include "store/select.h"

/* ---- Columns ---- */

static const struct select_column event_columns[] = {
	{SELECT_TEXT, offsetof(struct store_event, name), "?"},
	{SELECT_TEXT, offsetof(struct store_event, description), NULL},
	{SELECT_TEXT, offsetof(struct store_event, formula), NULL},
};

static const struct select event_query = {
	"SELECT name, description, formula FROM event ORDER BY formula IS NOT NULL, id",
	sizeof(struct store_event),
	SELECT_COLUMNS(event_columns),
	NULL,
};

/*
 * Names become keys and headings: characters that do not fit there, or on terminals, become
 * underscores.
 */
static const char *tidy_name(struct store *s, const char *name)
{
	struct text tidy = {0};
	const char *kept;

	for (const char *c = name; *c != '\0'; c++)
		text_add_bytes(&tidy,
			       *c <= ' ' || *c >= 0x7f || strchr("\"',;=@", *c) != NULL ? "_" : c,
			       1);
	kept = tidy.failed ? NULL : store_intern(s, text_get(&tidy));
	text_release(&tidy);
	return kept != NULL ? kept : "?";
}

int store_read_events(struct store *s, struct store_event **items, size_t *count, struct err *err)
{
	if (select_all(s, &event_query, STORE_ALL, (void **)items, count, err) != 0)
		return -1;
	for (size_t i = 0; i < *count; i++)
		(*items)[i].name = tidy_name(s, (*items)[i].name);
	return 0;
}

static const struct select_column geometry_columns[] = {
	{SELECT_TEXT, offsetof(struct store_geometry, name), "?"},
	{SELECT_TEXT, offsetof(struct store_geometry, value), ""},
};

static const struct select geometry_query = {
	"SELECT name, value FROM geometry ORDER BY rowid",
	sizeof(struct store_geometry),
	SELECT_COLUMNS(geometry_columns),
	NULL,
};

int store_read_geometry(struct store *s, struct store_geometry **items, size_t *count,
			struct err *err)
{
	return select_all(s, &geometry_query, STORE_ALL, (void **)items, count, err);
}

/* ---- Nodes ---- */

struct node_reading {
	struct store *s;
	int64_t process; /* STORE_ALL: all */
	struct store_node *items;
	size_t count, room;
	struct place *places;
	size_t place_count;
	struct map objects; /* id -> interned path */
};

static bool is_id(int64_t id)
{
	return id >= 0 && id <= STORE_MAX_ID;
}

static bool is_id_or_none(int64_t id)
{
	return id == STORE_NONE || is_id(id);
}

static int read_objects(struct store *s, struct map *objects, struct err *err)
{
	sqlite3_stmt *q = NULL;
	int status = 0;

	if (select_prepare(s, "SELECT id, path FROM object", STORE_ALL, &q, err) != 0)
		return -1;
	while (status == 0 && sqlite3_step(q) == SQLITE_ROW)
		status = map_set(objects, (uint64_t)sqlite3_column_int64(q, 0),
				 (uintptr_t)select_text(s, q, 1));
	sqlite3_finalize(q);
	return status == 0 ? 0 : err_set(err, "out of memory");
}

static int add_node(void *context, const struct list_item *item, struct err *err)
{
	struct node_reading *r = context;
	const int64_t *n = item->numbers.items;
	const struct store_frame *name;
	struct store_node node;
	uint64_t path;

	if (item->numbers.count != NODE_NUMBERS)
		return select_damaged(r->s, err);
	if (r->process != STORE_ALL && n[NODE_PROCESS] != r->process)
		return 0;
	name = places_find(r->places, r->place_count, n[NODE_PLACE]);
	node = (struct store_node){
		.id = (int64_t)((uint64_t)item->keys[0] + (uint64_t)item->index),
		.process_id = n[NODE_PROCESS],
		.thread = n[NODE_THREAD],
		.caller_id = n[NODE_CALLER],
	};
	if (name == NULL || !is_id(node.id) || !is_id_or_none(node.caller_id))
		return select_damaged(r->s, err);
	node.function = name->function;
	node.file = name->file;
	if (map_get(&r->objects, (uint64_t)n[NODE_OBJECT], &path))
		node.object = (const char *)(uintptr_t)path;
	if (!ARRAY_GROW(r))
		return err_set(err, "out of memory");
	r->items[r->count++] = node;
	return 0;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct store_node *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

int store_read_nodes(struct store *s, int64_t process, struct store_node **items, size_t *count,
		     struct err *err)
{
	static const char sql[] = "SELECT list, first_id FROM node_batch ORDER BY first_id";
	struct node_reading r = {.s = s, .process = process};
	int status;

	*items = NULL;
	*count = 0;
	status = places_read(s, &r.places, &r.place_count, err);
	if (status == 0)
		status = read_objects(s, &r.objects, err);
	if (status == 0)
		status = lists_read(s, sql, STORE_ALL, add_node, &r, err);
	free(r.places);
	map_release(&r.objects);
	if (status != 0) {
		free(r.items);
		return -1;
	}
	if (r.count > 0)
		qsort(r.items, r.count, sizeof(*r.items), compare_nodes);
	*items = r.items;
	*count = r.count;
	return 0;
}
