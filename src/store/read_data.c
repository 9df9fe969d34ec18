/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads sites, where blocks are allocated, and variables. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "store/select.h"

static const struct select_column site_columns[] = {
	{SELECT_ID, offsetof(struct store_site, id), NULL},
	{SELECT_ID, offsetof(struct store_site, process_id), NULL},
	{SELECT_TEXT, offsetof(struct store_site, kind), ""},
	{SELECT_TEXT, offsetof(struct store_site, name), NULL},
	{SELECT_U64, offsetof(struct store_site, element_size), NULL},
	{SELECT_U64, offsetof(struct store_site, blocks), NULL},
	{SELECT_U64, offsetof(struct store_site, bytes), NULL},
	{SELECT_U64, offsetof(struct store_site, live_blocks), NULL},
	{SELECT_U64, offsetof(struct store_site, live_bytes), NULL},
	{SELECT_U64, offsetof(struct store_site, peak_bytes), NULL},
	{SELECT_U64, offsetof(struct store_site, smallest), NULL},
	{SELECT_U64, offsetof(struct store_site, largest), NULL},
	{SELECT_ID, offsetof(struct store_site, layout_id), NULL},
};

#define SITE_COLUMNS (sizeof(site_columns) / sizeof(site_columns[0]))

static const char site_sql[] =
	"SELECT id, process_id, kind, name, element_size, blocks, bytes, live_blocks, live_bytes,"
	" peak_bytes, smallest, largest, layout_id, path"
	" FROM site WHERE ?1 < 0 OR process_id = ?1 ORDER BY process_id, id";

static const struct select_column variable_columns[] = {
	{SELECT_ID, offsetof(struct store_variable, id), NULL},
	{SELECT_ID, offsetof(struct store_variable, process_id), NULL},
	{SELECT_U64, offsetof(struct store_variable, start), NULL},
	{SELECT_U64, offsetof(struct store_variable, end), NULL},
	{SELECT_TEXT, offsetof(struct store_variable, name), ""},
	{SELECT_TEXT, offsetof(struct store_variable, type), NULL},
	{SELECT_TEXT, offsetof(struct store_variable, file), NULL},
	{SELECT_U32, offsetof(struct store_variable, line), NULL},
	{SELECT_U64, offsetof(struct store_variable, element_size), NULL},
	{SELECT_TEXT, offsetof(struct store_variable, module), NULL},
	{SELECT_U32, offsetof(struct store_variable, is_local), NULL},
	{SELECT_ID, offsetof(struct store_variable, layout_id), NULL},
	{SELECT_ID, offsetof(struct store_variable, image), NULL},
};

static const struct select variable_query = {
	"SELECT id, process_id, start, end, name, type, file, line, element_size, module,"
	" thread_local, layout_id, image FROM variable WHERE ?1 < 0 OR process_id = ?1 ORDER BY "
	"process_id, id",
	sizeof(struct store_variable),
	SELECT_COLUMNS(variable_columns),
	NULL,
};

int store_read_variables(struct store *s, int64_t process, struct store_variable **items,
			 size_t *count, struct err *err)
{
	return select_all(s, &variable_query, process, (void **)items, count, err);
}

/* Parse "[1,2,3]" into an array of the store's. */
static int read_path(struct store *s, const char *text, struct store_site *x, struct err *err)
{
	size_t room = text != NULL ? strlen(text) / 2 + 1 : 0;
	int64_t *path;

	if (text == NULL || *text++ != '[')
		return select_damaged(s, err);
	path = arena_alloc(&s->strings, room * sizeof(*path));
	if (path == NULL)
		return err_set(err, "out of memory");
	while (*text != ']') {
		char *end;

		path[x->path_count] = strtoll(text, &end, 10);
		if (end == text || (*end != ',' && *end != ']'))
			return select_damaged(s, err);
		x->path_count++;
		text = *end == ',' ? end + 1 : end;
	}
	x->path = path;
	return 0;
}

int store_read_sites(struct store *s, int64_t process, struct store_site **items, size_t *count,
		     struct err *err)
{
	static const struct select_columns columns = {site_columns, SITE_COLUMNS};
	struct {
		struct store_site *items;
		size_t count, room;
	} list = {0};
	sqlite3_stmt *q = NULL;
	int code = SQLITE_DONE, status = 0;

	*items = NULL;
	*count = 0;
	if (select_prepare(s, site_sql, process, &q, err) != 0)
		return -1;
	while (status == 0 && (code = sqlite3_step(q)) == SQLITE_ROW) {
		struct store_site *x;

		if (!ARRAY_GROW(&list)) {
			status = err_set(err, "out of memory");
			break;
		}
		x = &list.items[list.count++];
		*x = (struct store_site){0};
		status = select_fill(s, q, 0, &columns, x) ? 0 : select_damaged(s, err);
		if (status == 0)
			status = read_path(s, (const char *)sqlite3_column_text(q, SITE_COLUMNS), x,
					   err);
	}
	if (status == 0 && code != SQLITE_DONE)
		status = store_fail(s, "read", err);
	sqlite3_finalize(q);
	if (status != 0) {
		free(list.items);
		return -1;
	}
	*items = list.items;
	*count = list.count;
	return 0;
}
