/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes room for a new profile without losing another one; see new_file.h. */
#include "store/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "store/private.h"

#define OWNER_ONLY (S_IRUSR | S_IWUSR)

/* A database and the files that SQLite leaves beside it when its writer dies. */
static const char *const side_files[] = {"", "-wal", "-shm", "-journal"};

#define SIDE_FILE_COUNT (sizeof(side_files) / sizeof(side_files[0]))

/* Names tried for a part: others are those of dead processes with our number. */
#define MOST_PARTS 1000

/* Another run needs some milliseconds to take a place. Then its profile is there, and locked. */
#define WAIT_NS	   2000000
#define MOST_WAITS 1000

/* Some pages of the log and some of the file. */
#define RESERVE_BYTES (256 << 10)

/* ---- Names ---- */

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_file(int fd, const char *name)
{
	struct stat open, named;

	return fstat(fd, &open) == 0 && lstat(name, &named) == 0 && is_same(&open, &named);
}

/* Rename, unless the new name is taken: errno is EEXIST then. */
static int rename_if_free(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/* This file system, or kernel, has no such call. */
	if (link(from, to) != 0)
		return -1;
	return unlink(from);
}

static void add_name(struct text *t, const char *path, const char *suffix, const char *side)
{
	t->count = 0;
	text_addf(t, "%s%s%s", path, suffix, side);
}

/* Rename a database and its side files, from PATH.a to PATH.b. Returns 0, or an errno. */
static int rename_all(const char *path, const char *a, const char *b)
{
	struct text from = {0}, to = {0};
	int why = 0;

	/* The log first: without it, the file would lack rows; alone, a log is nothing. */
	for (size_t i = SIDE_FILE_COUNT; i-- > 0 && why == 0;) {
		add_name(&from, path, a, side_files[i]);
		add_name(&to, path, b, side_files[i]);
		if (rename(text_get(&from), text_get(&to)) != 0 && errno != ENOENT)
			why = errno;
	}
	text_release(&from);
	text_release(&to);
	return why;
}

static void unlink_all(const char *path, const char *suffix)
{
	struct text name = {0};

	for (size_t i = 0; i < SIDE_FILE_COUNT; i++) {
		add_name(&name, path, suffix, side_files[i]);
		unlink(text_get(&name));
	}
	text_release(&name);
}

/* The suffix of what lay at PATH.old. */
static const char *older(char suffix[32])
{
	snprintf(suffix, 32, ".older%ld", (long)getpid());
	return suffix;
}

/* ---- What lies at a place ---- */

/*
 * The process that writes the profile, or 0. A profile that is being written must not be moved: its
 * writer would lose the write-ahead log.
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

int new_file_refuse_writer(const char *name, int64_t pid, struct err *err)
{
	return err_set(err,
		       "profile '%s' is being written by process %" PRId64
		       ": choose another name with -o",
		       name, pid);
}

/* Check that a file of this kind may be replaced by a profile, as it is kept or empty. */
static int judge(const struct new_file *p, enum store_file_kind kind, struct err *err)
{
	switch (kind) {
	case FILE_MISSING:
	case FILE_EMPTY:
	case FILE_PROFILE:
		return 0;
	case FILE_DIRECTORY:
		return err_set(err, "cannot write profile '%s': it is a directory", p->asked);
	case FILE_SPECIAL:
		return err_set(err, "cannot write profile '%s': it is not a regular file",
			       p->asked);
	case FILE_UNREADABLE:
		return err_set(err, "cannot write profile '%s': %s", p->asked, strerror(errno));
	default:
		return err_set(err, "'%s' exists and is no Dwell profile: not replacing it",
			       p->asked);
	}
}

/* Check that PATH.old may become something else. *kind: what it is. */
static int judge_older(const char *name, enum store_file_kind *kind, struct err *err)
{
	struct store_file_info info;

	*kind = store_file_look(name, &info);
	if (*kind == FILE_MISSING || *kind == FILE_EMPTY || *kind == FILE_PROFILE)
		return 0;
	return err_set(err, "'%s' exists and is no Dwell profile: not replacing it", name);
}

/* The same before any work is done; new_file_publish has the last word. */
static int look(const struct new_file *p, struct err *err)
{
	struct store_file_info info;
	enum store_file_kind kind = store_file_look(p->path, &info);
	struct text name = {0};
	int64_t pid;
	int status;

	if (judge(p, kind, err) != 0)
		return -1;
	if (kind != FILE_PROFILE)
		return 0;
	pid = writer_of(p->path);
	if (pid != 0)
		return new_file_refuse_writer(p->asked, pid, err);
	add_name(&name, p->path, ".old", "");
	status = judge_older(text_get(&name), &kind, err);
	text_release(&name);
	return status;
}

enum hold {
	HELD,	/* it is ours to move */
	BUSY,	/* another process writes or moves it */
	CHANGED /* the name stands for another file now */
};

/*
 * Open a file and take the writer's lock. *fd: the file, or -1 where it may not be written; then
 * only a writer is noticed.
 */
static enum hold hold(const char *name, int *fd)
{
	*fd = open(name, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
	if (*fd < 0)
		return errno == ENOENT ? CHANGED : writer_of(name) == 0 ? HELD : BUSY;
	if (!writer_lock(*fd))
		return BUSY;
	return is_file(*fd, name) ? HELD : CHANGED;
}

static void let_go(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* ---- Making way ---- */

/* PATH.old becomes PATH.older<pid>. */
static int move_older(struct new_file *p, struct err *err)
{
	struct text name = {0};
	enum store_file_kind kind;
	char suffix[32];
	int fd = -1, status, why;

	add_name(&name, p->path, ".old", "");
	status = judge_older(text_get(&name), &kind, err);
	if (status == 0 && kind != FILE_MISSING && hold(text_get(&name), &fd) == BUSY)
		status = err_set(err,
				 "'%s' is being written, and would be replaced by what '%s' "
				 "holds now: choose another name with -o",
				 text_get(&name), p->asked);
	if (status == 0) {
		why = rename_all(p->path, ".old", older(suffix));
		if (why != 0) {
			rename_all(p->path, older(suffix), ".old");
			status = err_set(err, "cannot rename '%s': %s", text_get(&name),
					 strerror(why));
		}
		p->has_older = status == 0 && kind != FILE_MISSING;
	}
	let_go(fd);
	text_release(&name);
	return status;
}

static void put_older_back(struct new_file *p)
{
	char suffix[32];

	if (p->has_older)
		rename_all(p->path, older(suffix), ".old");
	p->has_older = false;
}

/* What lies at PATH becomes PATH.old. */
static int move_aside(struct new_file *p, struct err *err)
{
	struct text name = {0};
	int why;

	if (move_older(p, err) != 0)
		return -1;
	why = rename_all(p->path, "", ".old");
	if (why == 0) {
		p->has_moved = true;
		/* Profiles of earlier versions were readable for others. */
		add_name(&name, p->path, ".old", "");
		chmod(text_get(&name), OWNER_ONLY);
		text_release(&name);
		return 0;
	}
	rename_all(p->path, ".old", "");
	put_older_back(p);
	return err_set(err, "cannot rename '%s' to '%s.old': %s", p->asked, p->path, strerror(why));
}

/* Undo move_aside, unless another file has taken the place meanwhile. */
static void move_back(struct new_file *p)
{
	struct text from = {0};

	if (p->has_moved) {
		add_name(&from, p->path, ".old", "");
		if (rename_if_free(text_get(&from), p->path) == 0)
			rename_all(p->path, ".old", "");
		text_release(&from);
		p->has_moved = false;
	}
	put_older_back(p);
}

/*
 * A log without its database: the database was moved or removed. SQLite would play it into the new
 * one.
 */
static void put_orphans_aside(const struct new_file *p)
{
	struct text from = {0}, to = {0};

	for (size_t i = 1; i < SIDE_FILE_COUNT; i++) {
		add_name(&from, p->path, "", side_files[i]);
		add_name(&to, p->path, side_files[i], ".old");
		rename(text_get(&from), text_get(&to));
	}
	text_release(&from);
	text_release(&to);
}

/* ---- Publishing ---- */

enum outcome { DONE, AGAIN, REFUSED };

static enum outcome fail_to_name(const struct new_file *p, struct err *err)
{
	err_set(err, "cannot write profile '%s': %s", p->asked, strerror(errno));
	return REFUSED;
}

/* Give the part a name that nothing has. */
static enum outcome name_part(struct new_file *p, struct err *err)
{
	put_orphans_aside(p);
	if (rename_if_free(p->part, p->path) == 0)
		return DONE;
	return errno == EEXIST ? AGAIN : fail_to_name(p, err);
}

/* Replace the file at PATH, whose lock is held. */
static enum outcome replace_held(struct new_file *p, struct err *err)
{
	struct store_file_info info;
	enum store_file_kind kind = store_file_look(p->path, &info);
	enum outcome outcome;

	if (judge(p, kind, err) != 0)
		return REFUSED;
	if (kind == FILE_MISSING)
		return AGAIN;
	if (kind == FILE_EMPTY)
		return rename(p->part, p->path) == 0 ? DONE : fail_to_name(p, err);
	if (move_aside(p, err) != 0)
		return REFUSED;
	outcome = name_part(p, err);
	if (outcome != DONE)
		move_back(p);
	return outcome;
}

static enum outcome try_to_publish(struct new_file *p, struct err *err)
{
	struct store_file_info info;
	enum store_file_kind kind = store_file_look(p->path, &info);
	enum outcome outcome = AGAIN;
	int64_t pid;
	int fd;

	if (judge(p, kind, err) != 0)
		return REFUSED;
	if (kind == FILE_MISSING)
		return name_part(p, err);
	switch (hold(p->path, &fd)) {
	case HELD:
		outcome = replace_held(p, err);
		break;
	case BUSY:
		pid = writer_of(p->path);
		if (pid != 0) {
			new_file_refuse_writer(p->asked, pid, err);
			outcome = REFUSED;
		}
		break;
	case CHANGED:
		break;
	}
	let_go(fd);
	return outcome;
}

int new_file_publish(struct new_file *p, struct err *err)
{
	const struct timespec pause = {0, WAIT_NS};

	for (int i = 0; i < MOST_WAITS; i++) {
		switch (try_to_publish(p, err)) {
		case DONE:
			free(p->part);
			p->part = NULL;
			return 0;
		case REFUSED:
			return -1;
		case AGAIN:
			nanosleep(&pause, NULL);
		}
	}
	return err_set(err,
		       "another process writes or moves the profile '%s': choose another name "
		       "with -o",
		       p->asked);
}

/* ---- The part ---- */

static int make_part(struct new_file *p, struct err *err)
{
	struct text name = {0};

	for (int i = 0; i < MOST_PARTS && p->fd < 0; i++) {
		name.count = 0;
		text_addf(&name, "%s.part%ld", p->path, (long)getpid());
		if (i > 0)
			text_addf(&name, ".%d", i);
		p->fd = open(text_get(&name), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY,
			     OWNER_ONLY);
		if (p->fd < 0 && errno != EEXIST)
			break;
	}
	if (p->fd >= 0)
		p->part = strdup(text_get(&name));
	else
		err_set(err, "cannot write profile '%s': %s", p->asked, strerror(errno));
	if (p->fd >= 0 && p->part == NULL)
		err_set(err, "out of memory");
	text_release(&name);
	if (p->part == NULL)
		return -1;
	fchmod(p->fd, OWNER_ONLY); /* whatever the umask is */
	writer_lock(p->fd);
	return 0;
}

/* A file system may be unable to do it: then a full disk is told on stderr only. */
static void make_reserve(struct new_file *p)
{
	char *copy = strdup(p->path), *slash = copy != NULL ? strrchr(copy, '/') : NULL;
	const char *folder = slash == NULL ? "." : slash == copy ? "/" : copy;

	if (copy == NULL)
		return;
	if (slash != NULL && slash != copy)
		*slash = '\0';
	p->reserve = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, OWNER_ONLY);
	if (p->reserve >= 0 && fallocate(p->reserve, 0, 0, RESERVE_BYTES) != 0)
		new_file_use_reserve(p);
	free(copy);
}

int new_file_begin(struct new_file *p, const char *path, struct err *err)
{
	*p = (struct new_file){.fd = -1, .reserve = -1};
	p->asked = strdup(path);
	p->path = file_follow_links(path);
	if (p->asked == NULL || p->path == NULL) {
		err_set(err, "cannot write profile '%s': %s", path, strerror(errno));
		new_file_release(p);
		return -1;
	}
	if (look(p, err) != 0 || make_part(p, err) != 0) {
		new_file_release(p);
		return -1;
	}
	make_reserve(p);
	return 0;
}

const char *new_file_name(const struct new_file *p)
{
	return p->part != NULL ? p->part : p->path;
}

bool new_file_is_ours(const struct new_file *p)
{
	return p->fd >= 0 && is_file(p->fd, new_file_name(p));
}

bool new_file_is_at(const struct new_file *p, const char *name)
{
	struct stat open, named;

	return fstat(p->fd, &open) == 0 && stat(name, &named) == 0 && is_same(&open, &named);
}

void new_file_keep(struct new_file *p)
{
	char suffix[32];

	if (p->has_older)
		unlink_all(p->path, older(suffix));
	p->has_moved = p->has_older = false;
}

void new_file_undo(struct new_file *p)
{
	if (new_file_is_ours(p))
		unlink_all(new_file_name(p), "");
	move_back(p);
}

void new_file_use_reserve(struct new_file *p)
{
	if (p->reserve >= 0)
		close(p->reserve);
	p->reserve = -1;
}

void new_file_release(struct new_file *p)
{
	new_file_use_reserve(p);
	if (p->fd >= 0)
		close(p->fd);
	free(p->asked);
	free(p->path);
	free(p->part);
	*p = (struct new_file){.fd = -1, .reserve = -1};
}
