/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A new profile file: what to do with what is there already, and the empty schema. */
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

/* Files that SQLite keeps beside a database of which a writer died. */
static const char *const side_files[] = {"", "-wal", "-shm", "-journal"};

#define OWNER_ONLY (S_IRUSR | S_IWUSR)

#define SIDE_FILE_COUNT (sizeof(side_files) / sizeof(side_files[0]))

/* Moving a file away that is being written would pull the write-ahead log from under its writer. */
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
		/* An older log beside a newer file would be played into it: remove it first. */
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

/* What was moved aside comes back, since the new file could not be made. */
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

/* Clear the way for a new file at `path`. *moved: a profile was moved aside. */
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
 * Create the file by hand first: the system's reason is clearer than SQLite's. What programs do,
 * and the sources that a profile may hold, are nobody else's to read; SQLite's files beside it get
 * the same mode. Returns the descriptor, or -1.
 */
static int touch(const char *path, struct err *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, OWNER_ONLY);

	if (fd < 0)
		return err_set(err, "cannot write profile '%s': %s", path, strerror(errno));
	fchmod(fd, OWNER_ONLY); /* an empty file was there, perhaps somebody else's */
	return fd;
}

/*
 * Pages are large because rows are, see write_lists.c: each page is written to the log, and from
 * there to the file, with a call each. The log is used again from its start after 2 MB.
 */
static int set_up(struct store *s, struct err *err)
{
	char *sql = sqlite3_mprintf("PRAGMA page_size = 16384;"
				    "PRAGMA wal_autocheckpoint = 128;"
				    "PRAGMA synchronous = OFF;"
				    "PRAGMA temp_store = MEMORY;"
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

/* A connection to a file that is there. */
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
	/* A reader that looks while we commit holds us up for a moment only. */
	sqlite3_busy_timeout(db, 2000);
	return db;
}

/* No profile was made: nothing of it stays, and what was there does. */
static void undo(const char *path, bool moved)
{
	store_remove(path);
	if (moved)
		move_back(path);
}

/* An empty one where there is nothing in the way. */
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
	s->fd = fd; /* the parent's goes with this process */
	/* The parent's connection and its statements are not ours to close. */
	for (i = 0; i < STATEMENT_COUNT; i++)
		s->statements[i] = NULL;
	s->db = db;
	s->path = name;
	s->in_transaction = false;
	return store_exec(s, "PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;", "write", err);
}
