/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creates a profile file with an empty schema; an existing file is moved aside or refused. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "store/private.h"

/* A database and the files that SQLite leaves beside it when its writer dies. */
static const char *const side_files[] = {"", "-wal", "-shm", "-journal"};

#define OWNER_ONLY (S_IRUSR | S_IWUSR)

#define SIDE_FILE_COUNT (sizeof(side_files) / sizeof(side_files[0]))

/*
 * Returns the process that writes the profile, or 0. A profile that is being written must not be
 * moved: its writer would lose the write-ahead log.
 */
static int64_t writer_of(const char *path)
{
	struct store *s;
	struct err ignored;
	int64_t pid;

	if (store_open_unchecked(path, &s, &ignored) != 0)
		return 0;
	pid = store_writer(s);
	store_close(s);
	return pid;
}

static int move_aside(const char *path, struct err *err)
{
	struct text from = {0}, to = {0};
	struct store_file_info info;
	enum store_file_kind kind;
	int status = -1;
	size_t i;

	text_addf(&to, "%s.old", path);
	kind = store_file_look(text_get(&to), &info);
	if (kind != FILE_MISSING && kind != FILE_EMPTY && kind != FILE_PROFILE) {
		err_set(err, "'%s' exists and is no Dwell profile: not replacing it",
			text_get(&to));
		goto out;
	}
	for (i = 0; i < SIDE_FILE_COUNT; i++) {
		from.count = to.count = 0;
		text_addf(&from, "%s%s", path, side_files[i]);
		text_addf(&to, "%s.old%s", path, side_files[i]);
		/* Remove an old log first: SQLite would replay it into the newer file. */
		unlink(text_get(&to));
		if (rename(text_get(&from), text_get(&to)) != 0 && errno != ENOENT) {
			err_set(err, "cannot rename '%s' to '%s': %s", text_get(&from),
				text_get(&to), strerror(errno));
			goto out;
		}
		chmod(text_get(&to), OWNER_ONLY);
	}
	status = 0;
out:
	text_release(&from);
	text_release(&to);
	return status;
}

/* Move the previous profile back, as the new file could not be created. */
static void move_back(const char *path)
{
	struct text from = {0}, to = {0};

	for (size_t i = 0; i < SIDE_FILE_COUNT; i++) {
		from.count = to.count = 0;
		text_addf(&from, "%s.old%s", path, side_files[i]);
		text_addf(&to, "%s%s", path, side_files[i]);
		rename(text_get(&from), text_get(&to));
	}
	text_release(&from);
	text_release(&to);
}

/* Make room for a new file at `path`. *moved: an existing profile was moved aside. */
static int make_way(const char *path, bool *moved, struct err *err)
{
	struct store_file_info info;
	int64_t pid;

	*moved = false;
	switch (store_file_look(path, &info)) {
	case FILE_MISSING:
	case FILE_EMPTY:
		return 0;
	case FILE_DIRECTORY:
		return err_set(err, "cannot write profile '%s': it is a directory", path);
	case FILE_SPECIAL:
		return err_set(err, "cannot write profile '%s': it is not a regular file", path);
	case FILE_UNREADABLE:
		return err_set(err, "cannot write profile '%s': %s", path, strerror(errno));
	case FILE_PROFILE:
		pid = writer_of(path);
		if (pid != 0)
			return err_set(err,
				       "profile '%s' is being written by process %" PRId64
				       ": choose another name with -o",
				       path, pid);
		*moved = true;
		return move_aside(path, err);
	default:
		return err_set(err, "'%s' exists and is no Dwell profile: not replacing it", path);
	}
}

/*
 * Create the file without SQLite: the system's error is clearer. Only the owner may read it, as
 * profiles show what programs do and may hold sources. SQLite's files beside it get the same mode.
 * Returns the descriptor, or -1.
 */
static int touch(const char *path, struct err *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, OWNER_ONLY);

	if (fd < 0)
		return err_set(err, "cannot write profile '%s': %s", path, strerror(errno));
	fchmod(fd, OWNER_ONLY); /* an empty file may have existed, with another mode */
	return fd;
}

/*
 * Pages are large because rows are (write_lists.c), and each page is written with one call to the
 * log, and later from there to the file. After 2 MB the log starts again from its beginning.
 */
static int set_up(struct store *s, struct err *err)
{
	char *sql = sqlite3_mprintf("PRAGMA page_size = 8192;"
				    "PRAGMA wal_autocheckpoint = 256;"
				    "PRAGMA synchronous = OFF;"
				    "PRAGMA temp_store = MEMORY;"
				    "PRAGMA journal_mode = MEMORY;"
				    "BEGIN IMMEDIATE;"
				    "PRAGMA application_id = %u;"
				    "PRAGMA user_version = %u;"
				    "%s"
				    "COMMIT;"
				    "PRAGMA journal_mode = WAL;",
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

/* Open a connection to an existing file. */
static sqlite3 *open_db(const char *path, struct err *err)
{
	sqlite3 *db = NULL;

	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
	    SQLITE_OK) {
		err_set(err, "cannot write profile '%s': %s", path,
			db != NULL ? store_write_failure(db) : "out of memory");
		sqlite3_close(db);
		return NULL;
	}
	/* Wait for readers, which hold up a commit only briefly. */
	sqlite3_busy_timeout(db, 2000);
	return db;
}

/* Remove the new file, and restore the previous one. */
static void undo(const char *path, bool moved)
{
	store_remove(path);
	if (moved)
		move_back(path);
}

/* Create the file; nothing is in the way. */
static int create(const char *path, struct store **out, struct err *err)
{
	struct store *s;
	sqlite3 *db;
	int fd = touch(path, err);

	if (fd < 0)
		return -1;
	writer_lock(fd);
	db = open_db(path, err);
	s = db != NULL ? store_wrap(db, path, err) : NULL;
	if (s == NULL) {
		close(fd);
		return -1;
	}
	s->fd = fd;
	if (set_up(s, err) != 0) {
		store_close(s);
		return -1;
	}
	*out = s;
	return 0;
}

int store_create(const char *path, struct store **out, struct err *err)
{
	bool moved;

	store_configure();
	if (make_way(path, &moved, err) != 0)
		return -1;
	if (create(path, out, err) != 0) {
		undo(path, moved);
		return -1;
	}
	(*out)->has_moved = moved;
	return 0;
}

void store_abandon(struct store *s)
{
	bool moved;
	char *path;

	if (s == NULL)
		return;
	path = s->path;
	moved = s->has_moved;
	s->path = NULL;
	store_close(s);
	undo(path, moved);
	free(path);
}

void store_remove(const char *path)
{
	struct text name = {0};
	size_t i;

	for (i = 0; i < SIDE_FILE_COUNT; i++) {
		name.count = 0;
		text_addf(&name, "%s%s", path, side_files[i]);
		unlink(text_get(&name));
	}
	text_release(&name);
}

int store_copy(struct store *s, const char *path, struct err *err)
{
	sqlite3_backup *copy;
	sqlite3 *db;
	int status = -1, fd;
	bool moved;

	if (make_way(path, &moved, err) != 0)
		return -1;
	fd = touch(path, err);
	db = fd >= 0 ? open_db(path, err) : NULL;
	if (fd >= 0)
		close(fd);
	if (db == NULL) {
		undo(path, moved);
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
		undo(path, moved);
	return status;
}

int store_continue_in(struct store *s, const char *path, struct err *err)
{
	char *name = strdup(path);
	int fd = name != NULL ? touch(path, err) : -1;
	sqlite3 *db = fd >= 0 ? open_db(path, err) : NULL;
	size_t i;

	if (db == NULL) {
		if (name == NULL)
			err_set(err, "out of memory");
		if (fd >= 0)
			close(fd);
		free(name);
		return -1;
	}
	writer_lock(fd);
	s->fd = fd; /* the parent still uses its descriptor */
	/* The parent's connection and statements must not be closed here. */
	for (i = 0; i < STATEMENT_COUNT; i++)
		s->statements[i] = NULL;
	s->db = db;
	s->path = name;
	s->in_transaction = false;
	return store_exec(s, "PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;", "write", err);
}
