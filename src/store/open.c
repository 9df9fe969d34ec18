/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens a profile for reading; each fault of a file has its own error. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "store/private.h"

/*
 * Checking all pages of larger files takes noticeable time; their damage is found when it is read.
 */
#define CHECK_BYTES ((uint64_t)64 << 20)

static bool has_log(const char *path)
{
	struct text name = {0};
	bool there;

	text_addf(&name, "%s-wal", path);
	there = access(text_get(&name), F_OK) == 0;
	text_release(&name);
	return there;
}

/*
 * Tell whether the file is shorter than its header says. That is normal while a run's log is
 * written back: the header goes first, then its pages. SQLite handles it.
 */
static bool is_cut(const char *path, struct store_file_info *info)
{
	if (info->bytes >= info->header_bytes || has_log(path))
		return false;
	/* The run may have ended, and removed its log, in between. */
	return store_file_look(path, info) != FILE_PROFILE || info->bytes < info->header_bytes;
}

static int judge_file(const char *path, struct store_file_info *info, struct err *err)
{
	enum store_file_kind kind = store_file_look(path, info);

	switch (kind) {
	case FILE_MISSING:
		return err_set(err,
			       "no profile '%s': make one with 'dwell record', or name another",
			       path);
	case FILE_UNREADABLE:
		return err_set(err, "cannot read profile '%s': %s", path, strerror(errno));
	case FILE_DIRECTORY:
		return err_set(err, "'%s' is a directory, not a profile", path);
	case FILE_SPECIAL:
		return err_set(err, "'%s' is not a regular file", path);
	case FILE_EMPTY:
		return err_set(err, "'%s' is empty, not a profile", path);
	case FILE_OTHER:
		return err_set(err, "'%s' is not a Dwell profile", path);
	case FILE_SQLITE:
		return err_set(err, "'%s' is an SQLite database, but not a Dwell profile", path);
	case FILE_PROFILE:
		break;
	}
	if (info->version > STORE_SCHEMA_VERSION)
		return err_set(err,
			       "profile '%s' was written by a newer version of dwell "
			       "(its format is %u, this one knows %u)",
			       path, info->version, STORE_SCHEMA_VERSION);
	if (info->version < STORE_SCHEMA_VERSION)
		return err_set(err,
			       "profile '%s' was written by an older version of dwell "
			       "(its format is %u, this one knows %u): record it again",
			       path, info->version, STORE_SCHEMA_VERSION);
	if (is_cut(path, info))
		return err_set(err, "profile '%s' is truncated or damaged", path);
	return 0;
}

/* Add a path, with the characters escaped that are special in SQLite's URIs. */
static void add_uri_path(struct text *uri, const char *path)
{
	for (; *path != '\0'; path++) {
		if (strchr("%?#", *path) != NULL)
			text_addf(uri, "%%%02X", (unsigned char)*path);
		else
			text_add_bytes(uri, path, 1);
	}
}

/*
 * A profile whose writer died is in WAL mode and needs files beside it, which a read-only directory
 * forbids. If there is no log, it is read without them.
 */
static int open_db(const char *path, const char *mode, sqlite3 **db)
{
	struct text uri = {0};
	int code;

	text_add(&uri, "file:");
	if (path[0] != '/')
		text_add(&uri, "./");
	add_uri_path(&uri, path);
	text_add(&uri, mode);
	code = uri.failed ? SQLITE_NOMEM
			  : sqlite3_open_v2(text_get(&uri), db,
					    SQLITE_OPEN_READONLY | SQLITE_OPEN_URI |
						    SQLITE_OPEN_NOMUTEX,
					    NULL);
	text_release(&uri);
	if (code == SQLITE_OK) {
		schema_protect(*db);
		sqlite3_busy_timeout(*db, 2000);
		code = sqlite3_exec(*db, "BEGIN; SELECT count(*) FROM sqlite_schema;", NULL, NULL,
				    NULL);
	}
	return code;
}

/* quick_check returns one row "ok", or rows with errors. */
static int check_pages(struct store *s, struct err *err)
{
	sqlite3_stmt *q = NULL;
	int good = 0;

	if (sqlite3_prepare_v2(s->db, "PRAGMA quick_check(1)", -1, &q, NULL) == SQLITE_OK &&
	    sqlite3_step(q) == SQLITE_ROW)
		good = strcmp((const char *)sqlite3_column_text(q, 0), "ok") == 0;
	sqlite3_finalize(q);
	if (!good)
		return err_set(err, "profile '%s' is truncated or damaged", s->path);
	return 0;
}

static int open_judged(const char *path, bool is_checked, struct store **out, struct err *err)
{
	sqlite3 *db = NULL;
	struct store *s;
	int code, fd;

	store_configure();
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	code = open_db(path, "?mode=ro", &db);
	if ((code == SQLITE_CANTOPEN || code == SQLITE_READONLY) && !has_log(path)) {
		sqlite3_close(db);
		db = NULL;
		code = open_db(path, "?mode=ro&immutable=1", &db);
	}
	s = db != NULL ? store_wrap(db, path, err) : NULL;
	if (s == NULL) {
		if (fd >= 0)
			close(fd);
		return err_set(err, "out of memory");
	}
	s->fd = fd;
	if (code != SQLITE_OK)
		store_fail(s, "read", err);
	else if (!schema_is_ours(db))
		err_set(err, "profile '%s' is damaged: its tables are not those of a profile",
			path);
	else if (!is_checked || check_pages(s, err) == 0) {
		*out = s;
		return 0;
	}
	store_close(s);
	return -1;
}

int store_open_readonly(const char *path, struct store **out, struct err *err)
{
	struct store_file_info info;

	return judge_file(path, &info, err) == 0
		       ? open_judged(path, info.bytes <= CHECK_BYTES, out, err)
		       : -1;
}

int store_open_unchecked(const char *path, struct store **out, struct err *err)
{
	struct store_file_info info;

	return judge_file(path, &info, err) == 0 ? open_judged(path, false, out, err) : -1;
}
