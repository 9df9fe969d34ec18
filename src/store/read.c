/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading tables into arrays: one query and one function that fills an item, per table. */
#include <stdlib.h>
#include <string.h>

#include "store/private.h"
#include "store/query.h"

int64_t query_id(sqlite3_stmt *q, int column)
{
	if (sqlite3_column_type(q, column) == SQLITE_NULL)
		return STORE_NONE;
	return sqlite3_column_int64(q, column);
}

uint64_t query_uint(sqlite3_stmt *q, int column)
{
	return (uint64_t)sqlite3_column_int64(q, column);
}

const char *query_text(struct store *s, sqlite3_stmt *q, int column)
{
	return store_intern(s, (const char *)sqlite3_column_text(q, column));
}

int query_prepare(struct store *s, const char *sql, int64_t process, sqlite3_stmt **q,
		  struct err *err)
{
	if (sqlite3_prepare_v2(s->db, sql, -1, q, NULL) != SQLITE_OK)
		return store_fail(s, "read", err);
	if (sqlite3_bind_parameter_count(*q) > 0)
		sqlite3_bind_int64(*q, 1, process);
	return 0;
}

int query_all(struct store *s, const struct query *def, int64_t process, void **items,
	      size_t *count, struct err *err)
{
	sqlite3_stmt *q = NULL;
	char *list = NULL;
	size_t room = 0, n = 0;
	int code;

	*items = NULL;
	*count = 0;
	if (query_prepare(s, def->sql, process, &q, err) != 0)
		return -1;
	while ((code = sqlite3_step(q)) == SQLITE_ROW) {
		if (!array_reserve_in((void **)&list, &room, n + 1, def->item_bytes)) {
			err_set(err, "out of memory");
			goto failed;
		}
		memset(list + n * def->item_bytes, 0, def->item_bytes);
		def->fill(s, q, list + n * def->item_bytes);
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

static const char *text_or(const char *text, const char *otherwise)
{
	return text != NULL ? text : otherwise;
}

static void fill_process(struct store *s, sqlite3_stmt *q, void *item)
{
	struct store_process *p = item;
	uint64_t *const numbers[] = {
		&p->accesses,	    &p->loads,		 &p->stores,	      &p->instructions,
		&p->rep_iterations, &p->vector_elements, &p->watch_accesses,  &p->translate_cycles,
		&p->scan_cycles,    &p->engine_bytes,	 &p->footprint_pages, &p->lost_records,
		&p->resolved,	    &p->censored,	 &p->dangling,	      &p->windows,
	};
	size_t i;

	p->id = sqlite3_column_int64(q, 0);
	p->pid = (uint32_t)sqlite3_column_int64(q, 1);
	p->parent_id = query_id(q, 2);
	p->cause = text_or(query_text(s, q, 3), "start");
	p->exe = text_or(query_text(s, q, 4), "");
	p->command = text_or(query_text(s, q, 5), "");
	p->start_ns = query_uint(q, 6);
	p->end_ns = query_uint(q, 7);
	p->state = text_or(query_text(s, q, 8), "running");
	p->exit_status = query_id(q, 9);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		*numbers[i] = query_uint(q, 10 + (int)i);
	p->samples = p->resolved + p->censored + p->dangling;
	if (p->accesses >= p->loads + p->stores)
		p->modifies = p->accesses - p->loads - p->stores;
}

static const struct query process_query = {
	"SELECT p.id, p.pid, p.parent_id, p.cause, p.exe, p.command, p.start_ns, p.end_ns,"
	" p.state, p.exit_status, p.accesses, p.loads, p.stores, p.instructions,"
	" p.rep_iterations, p.vector_elements, p.watch_accesses, p.translate_cycles,"
	" p.scan_cycles, p.engine_bytes, p.footprint_pages, p.lost_records,"
	" x.resolved, x.censored, x.dangling, w.windows"
	" FROM process p"
	" LEFT JOIN (SELECT process_id, sum(status = 0) AS resolved, sum(status = 1) AS censored,"
	"  sum(status = 2) AS dangling FROM sample GROUP BY process_id) x ON x.process_id = p.id"
	" LEFT JOIN (SELECT process_id, count(*) AS windows FROM window GROUP BY process_id) w"
	"  ON w.process_id = p.id ORDER BY p.id",
	sizeof(struct store_process),
	fill_process,
};

static void fill_thread(struct store *s, sqlite3_stmt *q, void *item)
{
	struct store_thread *t = item;

	(void)s;
	t->process_id = sqlite3_column_int64(q, 0);
	t->index = (uint32_t)query_uint(q, 1);
	t->tid = (uint32_t)query_uint(q, 2);
	t->accesses = query_uint(q, 3);
	t->loads = query_uint(q, 4);
	t->stores = query_uint(q, 5);
	t->instructions = query_uint(q, 6);
}

static const struct query thread_query = {
	"SELECT process_id, idx, tid, accesses, loads, stores, instructions FROM thread"
	" WHERE ?1 < 0 OR process_id = ?1 ORDER BY process_id, idx",
	sizeof(struct store_thread),
	fill_thread,
};

static void fill_module(struct store *s, sqlite3_stmt *q, void *item)
{
	struct store_module *m = item;

	m->id = sqlite3_column_int64(q, 0);
	m->process_id = sqlite3_column_int64(q, 1);
	m->path = text_or(query_text(s, q, 2), "");
	m->build_id = query_text(s, q, 3);
	m->start = query_uint(q, 4);
	m->end = query_uint(q, 5);
	m->file_offset = query_uint(q, 6);
	m->mapped_at = query_uint(q, 7);
	m->unmapped_at = sqlite3_column_type(q, 8) == SQLITE_NULL ? UINT64_MAX : query_uint(q, 8);
}

static const struct query module_query = {
	"SELECT id, process_id, path, build_id, start, end, file_offset, mapped_at, unmapped_at"
	" FROM module WHERE ?1 < 0 OR process_id = ?1 ORDER BY process_id, id",
	sizeof(struct store_module),
	fill_module,
};

static void fill_window(struct store *s, sqlite3_stmt *q, void *item)
{
	struct store_window *w = item;

	(void)s;
	w->process_id = sqlite3_column_int64(q, 0);
	w->number = (uint32_t)query_uint(q, 1);
	w->start = query_uint(q, 2);
	w->length = query_uint(q, 3);
	w->stands_for = query_uint(q, 4);
	w->samples = query_uint(q, 5);
	w->footprint_pages = query_uint(q, 6);
}

static const struct query window_query = {
	"SELECT process_id, number, start, length, stands_for, samples, footprint_pages"
	" FROM window WHERE ?1 < 0 OR process_id = ?1 ORDER BY process_id, number",
	sizeof(struct store_window),
	fill_window,
};

static void fill_access(sqlite3_stmt *q, int column, struct store_access *a)
{
	a->location = query_id(q, column);
	a->address = query_uint(q, column + 1);
	a->size = (uint32_t)query_uint(q, column + 2);
	a->kind = (uint16_t)query_uint(q, column + 3);
	a->thread = (uint16_t)query_uint(q, column + 4);
}

static void fill_sample(struct store *s, sqlite3_stmt *q, void *item)
{
	struct store_sample *x = item;

	(void)s;
	x->process_id = sqlite3_column_int64(q, 0);
	x->window = (uint32_t)query_uint(q, 1);
	x->status = (uint32_t)query_uint(q, 2);
	x->position = query_uint(q, 3);
	x->distance = query_uint(q, 4);
	x->line = query_uint(q, 5);
	fill_access(q, 6, &x->begin);
	fill_access(q, 11, &x->end);
}

static const struct query sample_query = {
	"SELECT process_id, window, status, position, distance, line, begin_location,"
	" begin_address, begin_size, begin_kind, begin_thread, end_location, end_address,"
	" end_size, end_kind, end_thread"
	" FROM sample WHERE ?1 < 0 OR process_id = ?1 ORDER BY process_id, window, id",
	sizeof(struct store_sample),
	fill_sample,
};

static void fill_message(struct store *s, sqlite3_stmt *q, void *item)
{
	struct store_message *m = item;

	m->process_id = query_id(q, 0);
	m->time_ns = query_uint(q, 1);
	m->text = text_or(query_text(s, q, 2), "");
}

static const struct query message_query = {
	"SELECT process_id, time_ns, text FROM message ORDER BY rowid",
	sizeof(struct store_message),
	fill_message,
};

int store_read_processes(struct store *s, struct store_process **items, size_t *count,
			 struct err *err)
{
	return query_all(s, &process_query, STORE_ALL, (void **)items, count, err);
}

int store_read_threads(struct store *s, int64_t process, struct store_thread **items, size_t *count,
		       struct err *err)
{
	return query_all(s, &thread_query, process, (void **)items, count, err);
}

int store_read_modules(struct store *s, int64_t process, struct store_module **items, size_t *count,
		       struct err *err)
{
	return query_all(s, &module_query, process, (void **)items, count, err);
}

int store_read_windows(struct store *s, int64_t process, struct store_window **items, size_t *count,
		       struct err *err)
{
	return query_all(s, &window_query, process, (void **)items, count, err);
}

int store_read_samples(struct store *s, int64_t process, struct store_sample **items, size_t *count,
		       struct err *err)
{
	return query_all(s, &sample_query, process, (void **)items, count, err);
}

int store_read_messages(struct store *s, struct store_message **items, size_t *count,
			struct err *err)
{
	return query_all(s, &message_query, STORE_ALL, (void **)items, count, err);
}
