/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by reading and writing: the connection, its errors, the interned strings. */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/new_file.h"
#include "store/private.h"

/* Offsets in SQLite's file header; all numbers are big-endian. */
enum {
	HEADER_BYTES = 100,
	AT_PAGE_BYTES = 16,
	AT_PAGE_COUNT = 28,
	AT_USER_VERSION = 60,
	AT_APPLICATION_ID = 68,
};

/*
 * One thread uses a store at a time; other threads may have their own. The calls fail if other code
 * has already started SQLite: then writes only cost more.
 */
static void configure(void)
{
	sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

void store_configure(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, configure);
}

struct store *store_wrap(sqlite3 *db, const char *path, struct err *err)
{
	struct store *s = calloc(1, sizeof(*s));

	if (s != NULL)
		s->path = strdup(path);
	if (s == NULL || s->path == NULL) {
		free(s);
		sqlite3_close(db);
		err_set(err, "out of memory");
		return NULL;
	}
	s->db = db;
	s->fd = -1;
	s->samples.first_id = 1;
	s->far.items.first_id = 1;
	s->stack_distances.first_id = 1;
	s->nested.first_id = 1;
	return s;
}

void store_close(struct store *s)
{
	size_t i;

	if (s == NULL)
		return;
	for (i = 0; i < STATEMENT_COUNT; i++)
		sqlite3_finalize(s->statements[i]);
	sqlite3_close(s->db);
	if (s->fd >= 0)
		close(s->fd);
	if (s->new_file != NULL && s->new_file->part != NULL)
		new_file_undo(s->new_file);
	store_free_new_file(s->new_file);
	text_release(&s->accesses.list);
	free(s->access_kinds.items);
	map_release(&s->access_kinds.by_hash);
	text_release(&s->samples.list);
	text_release(&s->far.items.list);
	text_release(&s->stack_distances.list);
	text_release(&s->nested.list);
	text_release(&s->paths.list);
	text_release(&s->locations.list);
	text_release(&s->names.list);
	text_release(&s->nodes.list);
	text_release(&s->costs.list);
	text_release(&s->arcs.list);
	text_release(&s->jumps.list);
	map_release(&s->object_by_name);
	free(s->places.items);
	map_release(&s->place_by_hash);
	map_release(&s->interned);
	arena_release(&s->strings);
	free(s->path);
	free(s);
}

/* For failed writes, SQLite does not always keep the system's error. */
static bool has_file_limit(void)
{
	struct rlimit l;

	return getrlimit(RLIMIT_FSIZE, &l) == 0 && l.rlim_cur != RLIM_INFINITY;
}

/* Nor does it report a lack of descriptors. */
static bool has_descriptor(void)
{
	int fd = open("/", O_PATH | O_CLOEXEC);

	if (fd < 0)
		return errno != EMFILE;
	close(fd);
	return true;
}

const char *store_write_failure(sqlite3 *db)
{
	int code = sqlite3_errcode(db), why = sqlite3_system_errno(db);

	if ((code & 0xff) == SQLITE_FULL)
		return "the disk is full";
	if ((code & 0xff) != SQLITE_IOERR && (code & 0xff) != SQLITE_CANTOPEN)
		return sqlite3_errmsg(db);
	if (why == EMFILE || !has_descriptor())
		return "too many open files (ulimit -n)";
	if (why == EFBIG || (why != ENOSPC && has_file_limit()))
		return "the limit of file sizes (ulimit -f) is reached";
	return why != 0 ? strerror(why) : sqlite3_errmsg(db);
}

int store_fail(struct store *s, const char *doing, struct err *err)
{
	int code = sqlite3_errcode(s->db);

	s->write_failed |= strcmp(doing, "write") == 0;
	if (s->write_failed && s->why[0] == '\0')
		snprintf(s->why, sizeof(s->why), "%s", store_write_failure(s->db));
	switch (code) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return err_set(err, "profile '%s' is truncated or damaged", s->path);
	case SQLITE_READONLY:
		return err_set(err, "cannot %s profile '%s': it is read-only", doing, s->path);
	default:
		return err_set(err, "cannot %s profile '%s': %s", doing, s->path,
			       store_write_failure(s->db));
	}
}

bool store_write_failed(const struct store *s)
{
	return s->write_failed;
}

int store_exec(struct store *s, const char *sql, const char *doing, struct err *err)
{
	if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return store_fail(s, doing, err);
	return 0;
}

static uint32_t big_endian(const unsigned char *p, size_t bytes)
{
	uint32_t n = 0;

	while (bytes-- > 0)
		n = n << 8 | *p++;
	return n;
}

static enum store_file_kind judge_header(const unsigned char *h, struct store_file_info *info)
{
	uint32_t page_bytes = big_endian(h + AT_PAGE_BYTES, 2);

	if (memcmp(h, "SQLite format 3", 16) != 0)
		return FILE_OTHER;
	if (big_endian(h + AT_APPLICATION_ID, 4) != STORE_APPLICATION_ID)
		return FILE_SQLITE;
	info->header_bytes =
		(uint64_t)big_endian(h + AT_PAGE_COUNT, 4) * (page_bytes == 1 ? 65536 : page_bytes);
	info->version = big_endian(h + AT_USER_VERSION, 4);
	return FILE_PROFILE;
}

enum store_file_kind store_file_look(const char *path, struct store_file_info *info)
{
	enum store_file_kind kind = FILE_OTHER;
	unsigned char header[HEADER_BYTES];
	struct stat st;
	ssize_t n;
	int fd;

	*info = (struct store_file_info){0};
	if (stat(path, &st) != 0)
		return errno == ENOENT ? FILE_MISSING : FILE_UNREADABLE;
	if (S_ISDIR(st.st_mode))
		return FILE_DIRECTORY;
	if (!S_ISREG(st.st_mode))
		return FILE_SPECIAL;
	info->bytes = (uint64_t)st.st_size;
	if (st.st_size == 0)
		return FILE_EMPTY;
	/*
	 * Closing this descriptor would drop SQLite's locks, so look before SQLite opens the file.
	 */
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return FILE_UNREADABLE;
	n = pread(fd, header, sizeof(header), 0);
	if (n < 0)
		kind = FILE_UNREADABLE;
	else if (n == (ssize_t)sizeof(header))
		kind = judge_header(header, info);
	close(fd);
	return kind;
}

static uint64_t hash_text(const char *s)
{
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

	while (*s != '\0')
		h = (h ^ (unsigned char)*s++) * 0x100000001b3u;
	return h;
}

const char *store_intern(struct store *s, const char *text)
{
	uint64_t hash, known;
	char *copy;

	if (text == NULL)
		return NULL;
	hash = hash_text(text);
	if (map_get(&s->interned, hash, &known) &&
	    strcmp((const char *)(uintptr_t)known, text) == 0)
		return (const char *)(uintptr_t)known;
	copy = arena_strdup(&s->strings, text);
	if (copy != NULL)
		map_set(&s->interned, hash, (uintptr_t)copy); /* a failure costs only memory */
	return copy;
}
