/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads tables into arrays. Each table has a query, and a list of the fields for its columns. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "store/lists.h"
#include "store/select.h"

const char *select_text(struct store *s, sqlite3_stmt *q, int column)
{
	return store_intern(s, (const char *)sqlite3_column_text(q, column));
}

int select_damaged(struct store *s, struct err *err)
{
	return err_set(err, "profile '%s' is truncated or damaged", s->path);
}

/* An array with a number for each size of lines or class of touches, or of none. */
static bool fill_array(sqlite3_stmt *q, int column, enum select_kind kind, void *field)
{
	double numbers[STORE_FAR_SIZES] = {0};
	size_t most = kind == SELECT_TOUCHES ? STORE_TOUCH_CLASSES : STORE_FAR_SIZES, count;

	if (!numbers_read_reals((const char *)sqlite3_column_text(q, column), numbers, most,
				&count) ||
	    (count != 0 && count != most))
		return false;
	if (kind == SELECT_REALS)
		memcpy(field, numbers, sizeof(numbers));
	for (size_t i = 0; kind != SELECT_REALS && i < most; i++)
		((uint64_t *)field)[i] = (uint64_t)numbers[i];
	return true;
}

/* Numbers of rows, and their sums in a merge, are far below the end of 64 bits. */
#define MOST_ID ((int64_t)1 << 53)

static bool fill_field(struct store *s, sqlite3_stmt *q, int column, const struct select_column *c,
		       void *field)
{
	bool is_null = sqlite3_column_type(q, column) == SQLITE_NULL;
	bool is_number = c->kind < SELECT_TEXT;
	uint64_t number = is_number ? (uint64_t)sqlite3_column_int64(q, column) : 0;
	const char *text;

	switch (c->kind) {
	case SELECT_U64:
		*(uint64_t *)field = number;
		break;
	case SELECT_U32:
		*(uint32_t *)field = (uint32_t)number;
		break;
	case SELECT_U16:
		*(uint16_t *)field = (uint16_t)number;
		break;
	case SELECT_ID:
		if (!is_null && ((int64_t)number > MOST_ID || (int64_t)number < STORE_NONE))
			return false;
		*(int64_t *)field = is_null ? STORE_NONE : (int64_t)number;
		break;
	case SELECT_END:
		*(uint64_t *)field = is_null ? UINT64_MAX : number;
		break;
	case SELECT_TEXT:
		text = select_text(s, q, column);
		*(const char **)field = text != NULL ? text : c->otherwise;
		break;
	case SELECT_COUNTS:
	case SELECT_TOUCHES:
	case SELECT_REALS:
		return fill_array(q, column, c->kind, field);
	}
	return true;
}

bool select_fill(struct store *s, sqlite3_stmt *q, int first, const struct select_columns *columns,
		 void *item)
{
	bool is_good = true;

	for (size_t i = 0; i < columns->count; i++)
		is_good &= fill_field(s, q, first + (int)i, &columns->items[i],
				      (char *)item + columns->items[i].offset);
	return is_good;
}

int select_prepare(struct store *s, const char *sql, int64_t process, sqlite3_stmt **q,
		   struct err *err)
{
	if (sqlite3_prepare_v2(s->db, sql, -1, q, NULL) != SQLITE_OK)
		return store_fail(s, "read", err);
	if (sqlite3_bind_parameter_count(*q) > 0)
		sqlite3_bind_int64(*q, 1, process);
	return 0;
}

int select_all(struct store *s, const struct select *def, int64_t process, void **items,
	       size_t *count, struct err *err)
{
	sqlite3_stmt *q = NULL;
	char *list = NULL;
	size_t room = 0, n = 0;
	int code;

	*items = NULL;
	*count = 0;
	if (select_prepare(s, def->sql, process, &q, err) != 0)
		return -1;
	while ((code = sqlite3_step(q)) == SQLITE_ROW) {
		if (!array_reserve_in((void **)&list, &room, n + 1, def->item_bytes)) {
			err_set(err, "out of memory");
			goto failed;
		}
		memset(list + n * def->item_bytes, 0, def->item_bytes);
		if (!select_fill(s, q, 0, &def->columns, list + n * def->item_bytes)) {
			select_damaged(s, err);
			goto failed;
		}
		if (def->complete != NULL)
			def->complete(list + n * def->item_bytes);
		n++;
	}
	if (code != SQLITE_DONE) {
		store_fail(s, "read", err);
		goto failed;
	}
	sqlite3_finalize(q);
	*items = list;
	*count = n;
	return 0;
failed:
	sqlite3_finalize(q);
	free(list);
	return -1;
}

static const struct select_column process_columns[] = {
	{SELECT_ID, offsetof(struct store_process, id), NULL},
	{SELECT_U32, offsetof(struct store_process, pid), NULL},
	{SELECT_ID, offsetof(struct store_process, parent_id), NULL},
	{SELECT_TEXT, offsetof(struct store_process, cause), "start"},
	{SELECT_TEXT, offsetof(struct store_process, exe), ""},
	{SELECT_TEXT, offsetof(struct store_process, command), ""},
	{SELECT_U64, offsetof(struct store_process, start_ns), NULL},
	{SELECT_U64, offsetof(struct store_process, end_ns), NULL},
	{SELECT_TEXT, offsetof(struct store_process, state), "running"},
	{SELECT_ID, offsetof(struct store_process, exit_status), NULL},
	{SELECT_U64, offsetof(struct store_process, signal), NULL},
	{SELECT_U32, offsetof(struct store_process, told_end), NULL},
	{SELECT_U64, offsetof(struct store_process, accesses), NULL},
	{SELECT_U64, offsetof(struct store_process, loads), NULL},
	{SELECT_U64, offsetof(struct store_process, stores), NULL},
	{SELECT_U64, offsetof(struct store_process, instructions), NULL},
	{SELECT_U64, offsetof(struct store_process, rep_iterations), NULL},
	{SELECT_U64, offsetof(struct store_process, vector_elements), NULL},
	{SELECT_U64, offsetof(struct store_process, watch_accesses), NULL},
	{SELECT_U64, offsetof(struct store_process, translate_cycles), NULL},
	{SELECT_U64, offsetof(struct store_process, scan_cycles), NULL},
	{SELECT_U64, offsetof(struct store_process, engine_bytes), NULL},
	{SELECT_U64, offsetof(struct store_process, footprint_pages), NULL},
	{SELECT_U64, offsetof(struct store_process, lost_records), NULL},
	{SELECT_U64, offsetof(struct store_process, data_until), NULL},
	{SELECT_COUNTS, offsetof(struct store_process, far_lines), NULL},
	{SELECT_REALS, offsetof(struct store_process, far_line_weight), NULL},
	{SELECT_U64, offsetof(struct store_process, near_samples), NULL},
	{SELECT_U64, offsetof(struct store_process, far_samples), NULL},
	{SELECT_U64, offsetof(struct store_process, cut_samples), NULL},
	{SELECT_U64, offsetof(struct store_process, far_reuses), NULL},
	{SELECT_U64, offsetof(struct store_process, windows), NULL},
};

static void complete_process(void *item)
{
	struct store_process *p = item;

	p->samples = p->near_samples + p->far_samples + p->cut_samples;
	if (p->accesses >= p->loads + p->stores)
		p->modifies = p->accesses - p->loads - p->stores;
}

static const struct select process_query = {
	"SELECT p.id, p.pid, p.parent_id, p.cause, p.exe, p.command, p.start_ns, p.end_ns,"
	" p.state, p.exit_status, p.signal, p.told_end, p.accesses, p.loads, p.stores,"
	" p.instructions, p.rep_iterations, p.vector_elements, p.watch_accesses,"
	" p.translate_cycles, p.scan_cycles, p.engine_bytes, p.footprint_pages, p.lost_records,"
	" p.data_until,"
	" p.far_lines, p.far_line_weight, x.near, x.far, x.cut, f.reuses, w.windows FROM process p"
	" LEFT JOIN (SELECT process_id, sum(near) AS near, sum(far) AS far, sum(cut) AS cut"
	"  FROM sample_batch GROUP BY process_id) x ON x.process_id = p.id"
	" LEFT JOIN (SELECT process_id, sum(reuses) AS reuses FROM far_batch GROUP BY process_id) f"
	"  ON f.process_id = p.id"
	" LEFT JOIN (SELECT process_id, count(*) AS windows FROM window GROUP BY process_id) w"
	"  ON w.process_id = p.id ORDER BY p.id",
	sizeof(struct store_process),
	SELECT_COLUMNS(process_columns),
	complete_process,
};

static const struct select_column thread_columns[] = {
	{SELECT_ID, offsetof(struct store_thread, process_id), NULL},
	{SELECT_U32, offsetof(struct store_thread, index), NULL},
	{SELECT_U32, offsetof(struct store_thread, tid), NULL},
	{SELECT_U64, offsetof(struct store_thread, accesses), NULL},
	{SELECT_U64, offsetof(struct store_thread, loads), NULL},
	{SELECT_U64, offsetof(struct store_thread, stores), NULL},
	{SELECT_U64, offsetof(struct store_thread, instructions), NULL},
};

static const struct select thread_query = {
	"SELECT process_id, idx, tid, accesses, loads, stores, instructions FROM thread"
	" WHERE ?1 < 0 OR process_id = ?1 ORDER BY process_id, idx",
	sizeof(struct store_thread),
	SELECT_COLUMNS(thread_columns),
	NULL,
};

static const struct select_column module_columns[] = {
	{SELECT_ID, offsetof(struct store_module, id), NULL},
	{SELECT_ID, offsetof(struct store_module, process_id), NULL},
	{SELECT_TEXT, offsetof(struct store_module, path), ""},
	{SELECT_TEXT, offsetof(struct store_module, build_id), NULL},
	{SELECT_U64, offsetof(struct store_module, start), NULL},
	{SELECT_U64, offsetof(struct store_module, end), NULL},
	{SELECT_U64, offsetof(struct store_module, file_offset), NULL},
	{SELECT_U64, offsetof(struct store_module, mapped_at), NULL},
	{SELECT_END, offsetof(struct store_module, unmapped_at), NULL},
};

static const struct select module_query = {
	"SELECT id, process_id, path, build_id, start, end, file_offset, mapped_at, unmapped_at"
	" FROM module WHERE ?1 < 0 OR process_id = ?1 ORDER BY process_id, id",
	sizeof(struct store_module),
	SELECT_COLUMNS(module_columns),
	NULL,
};

static const struct select_column window_columns[] = {
	{SELECT_ID, offsetof(struct store_window, process_id), NULL},
	{SELECT_U32, offsetof(struct store_window, number), NULL},
	{SELECT_U64, offsetof(struct store_window, start), NULL},
	{SELECT_U64, offsetof(struct store_window, length), NULL},
	{SELECT_U64, offsetof(struct store_window, stands_for), NULL},
	{SELECT_U64, offsetof(struct store_window, samples), NULL},
	{SELECT_U64, offsetof(struct store_window, footprint_pages), NULL},
	{SELECT_U64, offsetof(struct store_window, chosen), NULL},
	{SELECT_U64, offsetof(struct store_window, chosen_loads), NULL},
	{SELECT_U64, offsetof(struct store_window, close), NULL},
	{SELECT_REALS, offsetof(struct store_window, far), NULL},
	{SELECT_TOUCHES, offsetof(struct store_window, touches), NULL},
};

static const struct select window_query = {
	"SELECT process_id, number, start, length, stands_for, samples, footprint_pages, chosen,"
	" chosen_loads, close, far, touches"
	" FROM window WHERE ?1 < 0 OR process_id = ?1 ORDER BY process_id, number",
	sizeof(struct store_window),
	SELECT_COLUMNS(window_columns),
	NULL,
};

static const struct select_column message_columns[] = {
	{SELECT_ID, offsetof(struct store_message, process_id), NULL},
	{SELECT_U64, offsetof(struct store_message, time_ns), NULL},
	{SELECT_TEXT, offsetof(struct store_message, text), ""},
};

static const struct select message_query = {
	"SELECT process_id, time_ns, text FROM message ORDER BY rowid",
	sizeof(struct store_message),
	SELECT_COLUMNS(message_columns),
	NULL,
};

int store_read_processes(struct store *s, struct store_process **items, size_t *count,
			 struct err *err)
{
	return select_all(s, &process_query, STORE_ALL, (void **)items, count, err);
}

int store_read_threads(struct store *s, int64_t process, struct store_thread **items, size_t *count,
		       struct err *err)
{
	return select_all(s, &thread_query, process, (void **)items, count, err);
}

int store_read_modules(struct store *s, int64_t process, struct store_module **items, size_t *count,
		       struct err *err)
{
	return select_all(s, &module_query, process, (void **)items, count, err);
}

int store_read_windows(struct store *s, int64_t process, struct store_window **items, size_t *count,
		       struct err *err)
{
	return select_all(s, &window_query, process, (void **)items, count, err);
}

int store_read_messages(struct store *s, struct store_message **items, size_t *count,
			struct err *err)
{
	return select_all(s, &message_query, STORE_ALL, (void **)items, count, err);
}
