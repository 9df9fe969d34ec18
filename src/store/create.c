/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creates a profile file with an empty schema; new_file.h says how it comes to its name. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/new_file.h"
#include "store/private.h"

/* What a connection to a part needs. Nobody else looks there, so no file beside it is needed. */
#define SET_UP_PART \
	"PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA journal_mode = MEMORY;"

/*
 * What a connection needs to a profile that can be read while it grows. Each page is written with
 * one call to the log, and later from there to the file. After 2 MB the log starts again from its
 * beginning.
 */
#define SET_UP_LOG                                                                               \
	"PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 256;" \
	"PRAGMA journal_mode = WAL;"

/* Make the schema. Pages are large because rows are (write_lists.c). */
static int set_up(struct store *s, struct err *err)
{
	char *sql = sqlite3_mprintf("PRAGMA page_size = 8192;" SET_UP_PART "BEGIN IMMEDIATE;"
				    "PRAGMA application_id = %u;"
				    "PRAGMA user_version = %u;"
				    "%s"
				    "COMMIT;",
				    STORE_APPLICATION_ID, STORE_SCHEMA_VERSION, store_schema);
	int status;

	if (sql == NULL)
		return err_set(err, "out of memory");
	status = store_exec(s, sql, "write", err);
	sqlite3_free(sql);
	if (status == 0)
		status = store_put_meta_text(s, "state", "running", err);
	if (status == 0)
		status = store_put_meta_int(s, "collector_pid", getpid(), err);
	return status == 0 ? store_commit(s, err) : -1;
}

/* Open a connection to a new file. */
static sqlite3 *open_db(const struct new_file *p, struct err *err)
{
	sqlite3 *db = NULL;

	if (sqlite3_open_v2(new_file_name(p), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK) {
		err_set(err, "cannot write profile '%s': %s", p->asked,
			db != NULL ? store_write_failure(db) : "out of memory");
		sqlite3_close(db);
		return NULL;
	}
	/* Wait for readers, which hold up a commit only briefly. */
	sqlite3_busy_timeout(db, 2000);
	return db;
}

static struct new_file *make_new_file(const char *path, struct err *err)
{
	struct new_file *p = malloc(sizeof(*p));

	if (p == NULL)
		err_set(err, "out of memory");
	else if (new_file_begin(p, path, err) == 0)
		return p;
	free(p);
	return NULL;
}

void store_free_new_file(struct new_file *p)
{
	if (p == NULL)
		return;
	new_file_release(p);
	free(p);
}

static void undo(struct new_file *p)
{
	new_file_undo(p);
	store_free_new_file(p);
}

/* Returns a store of the file, which it owns then, or NULL. */
static struct store *open_new_file(struct new_file *p, struct err *err)
{
	sqlite3 *db = open_db(p, err);
	struct store *s = db != NULL ? store_wrap(db, p->asked, err) : NULL;

	if (s != NULL)
		s->new_file = p;
	return s;
}

int store_create(const char *path, struct store **out, struct err *err)
{
	struct store *s;
	struct new_file *p;

	store_configure();
	p = make_new_file(path, err);
	if (p == NULL)
		return -1;
	s = open_new_file(p, err);
	if (s == NULL) {
		undo(p);
		return -1;
	}
	if (set_up(s, err) != 0) {
		store_abandon(s);
		return -1;
	}
	*out = s;
	return 0;
}

/* End the connection: statements are prepared again at their next use. */
static void disconnect(struct store *s)
{
	for (size_t i = 0; i < STATEMENT_COUNT; i++) {
		sqlite3_finalize(s->statements[i]);
		s->statements[i] = NULL;
	}
	sqlite3_close(s->db);
	s->db = NULL;
}

int store_publish(struct store *s, struct err *err)
{
	if (store_commit(s, err) != 0)
		return -1;
	disconnect(s);
	if (new_file_publish(s->new_file, err) != 0)
		return -1;
	s->db = open_db(s->new_file, err);
	return s->db != NULL ? store_exec(s, SET_UP_LOG, "write", err) : -1;
}

void store_keep(struct store *s)
{
	new_file_keep(s->new_file);
}

/*
 * The name stands for another file, or for none: another program moved this one, and perhaps made
 * a new one. SQLite would remove the new one's log with its own. So the log stays, and is empty.
 */
static int finish_elsewhere(struct store *s, struct err *err)
{
	int keep = 1;

	sqlite3_file_control(s->db, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
	return store_exec(s, "PRAGMA wal_checkpoint(TRUNCATE)", "write", err);
}

/*
 * Write the log back. If a reader has the file open, it remains in WAL mode. If there is no room,
 * all is in the file and its log together.
 */
static int leave_one_file(struct store *s, struct err *err)
{
	new_file_use_reserve(s->new_file);
	sqlite3_busy_timeout(s->db, 0);
	switch (sqlite3_exec(s->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL)) {
	case SQLITE_FULL:
	case SQLITE_IOERR:
		s->needs_log = s->new_file->part == NULL;
		return s->needs_log ? 0 : store_fail(s, "write", err);
	default:
		return 0;
	}
}

int store_finish(struct store *s, struct err *err)
{
	struct new_file *p = s->new_file;

	if (store_put_meta_text(s, "state", "complete", err) != 0 || store_commit(s, err) != 0)
		return -1;
	if (!new_file_is_ours(p))
		return finish_elsewhere(s, err);
	if (leave_one_file(s, err) != 0)
		return -1;
	if (p->part != NULL) {
		disconnect(s);
		if (new_file_publish(p, err) != 0)
			return -1;
	}
	new_file_keep(p);
	writer_unlock(p->fd);
	return 0;
}

bool store_is_in_place(const struct store *s)
{
	return new_file_is_ours(s->new_file);
}

bool store_needs_log(const struct store *s)
{
	return s->needs_log;
}

void store_cut_off(struct store *s)
{
	const char *why = s->why[0] != '\0' ? s->why : "writing failed";
	char *sql = sqlite3_mprintf("UPDATE process SET state = 'cut off: %q'"
				    " WHERE state = 'running';"
				    "UPDATE meta SET value = 'cut off: %q'"
				    " WHERE key = 'state' AND value = 'running';",
				    why, why);

	new_file_use_reserve(s->new_file);
	if (s->in_transaction)
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	s->in_transaction = false;
	if (sql != NULL)
		sqlite3_exec(s->db, sql, NULL, NULL, NULL);
	sqlite3_free(sql);
}

void store_abandon(struct store *s)
{
	struct new_file *p;

	if (s == NULL)
		return;
	p = s->new_file;
	s->new_file = NULL;
	store_close(s);
	undo(p);
}

/* ---- A copy of a run in progress ---- */

int store_copy(struct store *s, const char *path, struct new_file **out, struct err *err)
{
	sqlite3_backup *copy;
	sqlite3 *db;
	int status = -1;
	struct new_file *p;

	/* Opening and closing our own file would drop SQLite's locks. */
	if (new_file_is_at(s->new_file, path))
		return new_file_refuse_writer(path, getpid(), err);
	p = make_new_file(path, err);
	if (p == NULL)
		return -1;
	db = open_db(p, err);
	if (db == NULL) {
		undo(p);
		return -1;
	}
	sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
	copy = sqlite3_backup_init(db, "main", s->db, "main");
	if (copy != NULL && sqlite3_backup_step(copy, -1) == SQLITE_DONE)
		status = 0;
	if ((copy != NULL && sqlite3_backup_finish(copy) != SQLITE_OK) || status != 0)
		status = err_set(err, "cannot write profile '%s': %s", path,
				 store_write_failure(db));
	sqlite3_close(db);
	if (status != 0)
		undo(p);
	else
		*out = p;
	return status;
}

int store_continue_in(struct store *s, struct new_file *copy, struct err *err)
{
	sqlite3 *db = open_db(copy, err);
	char *name = db != NULL ? strdup(copy->asked) : NULL;

	if (name == NULL) {
		if (db != NULL)
			err_set(err, "out of memory");
		return -1;
	}
	/* The parent's connection, statements and file must not be closed here. */
	for (size_t i = 0; i < STATEMENT_COUNT; i++)
		s->statements[i] = NULL;
	s->db = db;
	s->path = name;
	s->new_file = copy;
	s->in_transaction = false;
	return store_exec(s, "PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;", "write", err);
}

void store_copy_end(struct new_file *copy, bool is_complete)
{
	if (is_complete)
		store_free_new_file(copy);
	else
		undo(copy);
}
