/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing rows: prepared statements, bound in the order of the columns in schema.sql. */
#include <assert.h>
#include <string.h>

#include "store/private.h"
#include "store/samples.h"

/* A window with more samples becomes several rows, so that memory stays flat. */
#define BATCH_BYTES ((size_t)48 << 10)

static const char *const statement_sql[STATEMENT_COUNT] = {
	[PUT_META] = "REPLACE INTO meta(key, value) VALUES(?,?)",
	[PUT_PROCESS] = "REPLACE INTO process(id, pid, parent_id, cause, exe, command, start_ns,"
			" end_ns, state, exit_status, accesses, loads, stores, instructions,"
			" rep_iterations, vector_elements, watch_accesses, translate_cycles,"
			" scan_cycles, engine_bytes, footprint_pages, lost_records)"
			" VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[PUT_THREAD] = "REPLACE INTO thread(process_id, idx, tid, accesses, loads, stores,"
		       " instructions) VALUES(?,?,?,?,?,?,?)",
	[PUT_MODULE] = "REPLACE INTO module(id, process_id, path, build_id, start, end,"
		       " file_offset, mapped_at, unmapped_at) VALUES(?,?,?,?,?,?,?,?,?)",
	[PUT_WINDOW] = "REPLACE INTO window(process_id, number, start, length, stands_for,"
		       " samples, footprint_pages) VALUES(?,?,?,?,?,?,?)",
	[PUT_BATCH] = "INSERT INTO sample_batch(first_id, process_id, window, resolved, censored,"
		      " dangling, list) VALUES(?,?,?,?,?,?,?)",
	[PUT_MESSAGE] = "INSERT INTO message(process_id, time_ns, text) VALUES(?,?,?)",
	[PUT_SOURCE] = "REPLACE INTO source(path, text) VALUES(?,?)",
	[PUT_LOCATION] = "REPLACE INTO location(id, process_id, pc, module_id, module_address)"
			 " VALUES(?,?,?,?,?)",
	[PUT_FRAME] = "REPLACE INTO frame(location_id, depth, function, file, line)"
		      " VALUES(?,?,?,?,?)",
};

/* A row being filled: values go to the next column each. */
struct row {
	struct store *s;
	sqlite3_stmt *q; /* NULL: the store has failed */
	int column;
};

/* Remember the failure: the disk does not get emptier because we try again for each row. */
static int remember(struct store *s, struct err *err)
{
	if (!s->failed) {
		s->failed = true;
		store_fail(s, "write", &s->failure);
	}
	if (err != NULL)
		*err = s->failure;
	return -1;
}

static int run_out(struct store *s, struct err *err)
{
	if (!s->failed)
		err_set(&s->failure, "out of memory");
	s->failed = true;
	return remember(s, err);
}

static struct row row_begin(struct store *s, enum store_statement which)
{
	struct row r = {.s = s};

	if (s->failed)
		return r;
	if (!s->in_transaction) {
		if (sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK) {
			remember(s, NULL);
			return r;
		}
		s->in_transaction = true;
	}
	if (s->statements[which] == NULL &&
	    sqlite3_prepare_v3(s->db, statement_sql[which], -1, SQLITE_PREPARE_PERSISTENT,
			       &s->statements[which], NULL) != SQLITE_OK) {
		remember(s, NULL);
		return r;
	}
	r.q = s->statements[which];
	return r;
}

static void put_int(struct row *r, int64_t v)
{
	if (r->q != NULL)
		sqlite3_bind_int64(r->q, ++r->column, v);
}

/* Addresses and counts: SQLite's integers are signed, the bits are kept. */
static void put(struct row *r, uint64_t v)
{
	put_int(r, (int64_t)v);
}

static void put_null(struct row *r)
{
	if (r->q != NULL)
		sqlite3_bind_null(r->q, ++r->column);
}

/* The text must live until row_end. */
static void put_text(struct row *r, const char *text)
{
	if (r->q != NULL)
		sqlite3_bind_text(r->q, ++r->column, text, -1, SQLITE_STATIC);
}

static void put_id(struct row *r, int64_t id)
{
	if (id == STORE_NONE)
		put_null(r);
	else
		put_int(r, id);
}

static int row_end(struct row *r, struct err *err)
{
	int code;

	if (r->q == NULL)
		return remember(r->s, err);
	assert(r->column == sqlite3_bind_parameter_count(r->q));
	code = sqlite3_step(r->q);
	if (code != SQLITE_DONE)
		remember(r->s, err);
	sqlite3_reset(r->q);
	return code == SQLITE_DONE ? 0 : -1;
}

int store_put_meta_text(struct store *s, const char *key, const char *text, struct err *err)
{
	struct row r = row_begin(s, PUT_META);

	put_text(&r, key);
	put_text(&r, text);
	return row_end(&r, err);
}

int store_put_meta_int(struct store *s, const char *key, int64_t value, struct err *err)
{
	struct row r = row_begin(s, PUT_META);

	put_text(&r, key);
	put_int(&r, value);
	return row_end(&r, err);
}

int store_put_process(struct store *s, const struct store_process *p, struct err *err)
{
	struct row r = row_begin(s, PUT_PROCESS);

	put_int(&r, p->id);
	put(&r, p->pid);
	put_id(&r, p->parent_id);
	put_text(&r, p->cause);
	put_text(&r, p->exe);
	put_text(&r, p->command);
	put(&r, p->start_ns);
	if (p->end_ns != 0)
		put(&r, p->end_ns);
	else
		put_null(&r);
	put_text(&r, p->state);
	put_id(&r, p->exit_status);
	put(&r, p->accesses);
	put(&r, p->loads);
	put(&r, p->stores);
	put(&r, p->instructions);
	put(&r, p->rep_iterations);
	put(&r, p->vector_elements);
	put(&r, p->watch_accesses);
	put(&r, p->translate_cycles);
	put(&r, p->scan_cycles);
	put(&r, p->engine_bytes);
	put(&r, p->footprint_pages);
	put(&r, p->lost_records);
	return row_end(&r, err);
}

int store_put_thread(struct store *s, const struct store_thread *t, struct err *err)
{
	struct row r = row_begin(s, PUT_THREAD);

	put_int(&r, t->process_id);
	put(&r, t->index);
	put(&r, t->tid);
	put(&r, t->accesses);
	put(&r, t->loads);
	put(&r, t->stores);
	put(&r, t->instructions);
	return row_end(&r, err);
}

int store_put_module(struct store *s, const struct store_module *m, struct err *err)
{
	struct row r = row_begin(s, PUT_MODULE);

	put_int(&r, m->id);
	put_int(&r, m->process_id);
	put_text(&r, m->path);
	put_text(&r, m->build_id);
	put(&r, m->start);
	put(&r, m->end);
	put(&r, m->file_offset);
	put(&r, m->mapped_at);
	if (m->unmapped_at != UINT64_MAX)
		put(&r, m->unmapped_at);
	else
		put_null(&r);
	return row_end(&r, err);
}

int store_put_window(struct store *s, const struct store_window *w, struct err *err)
{
	struct row r = row_begin(s, PUT_WINDOW);

	put_int(&r, w->process_id);
	put(&r, w->number);
	put(&r, w->start);
	put(&r, w->length);
	put(&r, w->stands_for);
	put(&r, w->samples);
	put(&r, w->footprint_pages);
	return row_end(&r, err);
}

/* Write the samples gathered so far, if there are any. */
static int put_batch(struct store *s, struct err *err)
{
	struct store_batch *b = &s->batch;
	struct row r;
	size_t i;
	int status;

	if (b->count == 0)
		return 0;
	samples_end(&b->list);
	if (b->list.failed)
		return run_out(s, err);
	r = row_begin(s, PUT_BATCH);
	put(&r, b->first_id);
	put_int(&r, b->process_id);
	put(&r, b->window);
	for (i = 0; i < sizeof(b->by_status) / sizeof(b->by_status[0]); i++)
		put(&r, b->by_status[i]);
	put_text(&r, text_get(&b->list));
	status = row_end(&r, err);
	b->first_id += b->count;
	b->count = b->list.count = 0;
	memset(b->by_status, 0, sizeof(b->by_status));
	return status;
}

int store_put_sample(struct store *s, const struct store_sample *x, struct err *err)
{
	struct store_batch *b = &s->batch;

	if (s->failed)
		return remember(s, err);
	if ((b->process_id != x->process_id || b->window != x->window ||
	     b->list.count > BATCH_BYTES) &&
	    put_batch(s, err) != 0)
		return -1;
	b->process_id = x->process_id;
	b->window = x->window;
	samples_add(&b->list, x);
	if (b->list.failed)
		return run_out(s, err);
	assert(x->status < sizeof(b->by_status) / sizeof(b->by_status[0]));
	b->by_status[x->status]++;
	b->count++;
	return 0;
}

int store_put_message(struct store *s, const struct store_message *m, struct err *err)
{
	struct row r = row_begin(s, PUT_MESSAGE);

	put_id(&r, m->process_id);
	put(&r, m->time_ns);
	put_text(&r, m->text);
	return row_end(&r, err);
}

int store_put_source(struct store *s, const char *path, const char *text, struct err *err)
{
	struct row r = row_begin(s, PUT_SOURCE);

	put_text(&r, path);
	put_text(&r, text);
	return row_end(&r, err);
}

int store_put_location(struct store *s, const struct store_location *l, struct err *err)
{
	struct row r = row_begin(s, PUT_LOCATION);

	put_int(&r, l->id);
	put_int(&r, l->process_id);
	put(&r, l->pc);
	put_id(&r, l->module_id);
	put(&r, l->module_address);
	return row_end(&r, err);
}

int store_put_frame(struct store *s, int64_t location, uint32_t depth, const struct store_frame *f,
		    struct err *err)
{
	struct row r = row_begin(s, PUT_FRAME);

	put_int(&r, location);
	put(&r, depth);
	put_text(&r, f->function);
	put_text(&r, f->file);
	if (f->line != 0)
		put(&r, f->line);
	else
		put_null(&r);
	return row_end(&r, err);
}

int store_commit(struct store *s, struct err *err)
{
	if (s->failed)
		return remember(s, err);
	if (put_batch(s, err) != 0)
		return -1;
	if (!s->in_transaction)
		return 0;
	if (sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		return remember(s, err);
	s->in_transaction = false;
	return 0;
}

int store_finish(struct store *s, struct err *err)
{
	if (store_put_meta_text(s, "state", "complete", err) != 0 || store_commit(s, err) != 0)
		return -1;
	/* A reader that has the file open keeps us in WAL mode: then that is how it stays. */
	sqlite3_busy_timeout(s->db, 0);
	sqlite3_exec(s->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
	return 0;
}
