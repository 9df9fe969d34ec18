/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens a file that a process has mapped. Its path may mean another file for us. The process may be
 * in another mount namespace or root. The file may also be deleted, replaced, or in no folder at
 * all (memfd).
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "symbols/private.h"

/* Open without waiting for a pipe or device that replaced the file. */
int symbols_open_regular(const char *path, struct stat *st)
{
	/* A relative name is the target's, which started in our own directory. */
	int fd = path[0] != '[' ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;

	if (fd >= 0 && (fstat(fd, st) != 0 || !S_ISREG(st->st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* A file that is written while it is mapped has no reliable time of change: then it is 0. */
static bool is_unchanged(const struct stat *st, const struct stat *wanted)
{
	return (wanted->st_mtim.tv_sec == 0 && wanted->st_mtim.tv_nsec == 0) ||
	       (st->st_mtim.tv_sec == wanted->st_mtim.tv_sec &&
		st->st_mtim.tv_nsec == wanted->st_mtim.tv_nsec);
}

/* Open the path if it is the mapped file. */
static int open_same(const char *path, const struct stat *wanted)
{
	struct stat st;
	int fd = symbols_open_regular(path, &st);

	if (fd >= 0 && (st.st_dev != wanted->st_dev || st.st_ino != wanted->st_ino ||
			!is_unchanged(&st, wanted))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/*
 * Open the mapping itself. The inode is not compared: some file systems report another one for it.
 */
static int open_mapping(const struct symbols_mapping *m, const struct stat *wanted)
{
	char path[96];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, m->pid,
		 m->start, m->end);
	fd = symbols_open_regular(path, &st);
	if (fd >= 0 && !is_unchanged(&st, wanted)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/*
 * Open a file that the process has open: while it waits for us, the mapped file is still open. For
 * users who may not open the mappings of others.
 */
static int open_descriptor(const struct symbols_mapping *m, const struct stat *wanted)
{
	const struct dirent *e;
	char path[64];
	int fd = -1;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd", m->pid);
	d = opendir(path);
	while (d != NULL && fd < 0 && (e = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd/%.16s", m->pid, e->d_name);
		fd = open_same(path, wanted);
	}
	if (d != NULL)
		closedir(d);
	return fd;
}

int symbols_open_mapped(const struct symbols_mapping *m, const struct stat *wanted)
{
	struct text path = {0};
	int fd = open_same(m->path, wanted);

	if (fd < 0 && m->pid != 0 && m->path[0] == '/') {
		text_addf(&path, "/proc/%" PRIu32 "/root%s", m->pid, m->path);
		fd = open_same(text_get(&path), wanted);
		text_release(&path);
	}
	if (fd < 0 && m->pid != 0)
		fd = open_mapping(m, wanted);
	return fd < 0 && m->pid != 0 ? open_descriptor(m, wanted) : fd;
}
