/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes files completely or not at all; see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

#define MOST_LINKS 40 /* as many as the kernel follows */

static int cannot(const char *path, int why, struct err *err)
{
	if (why == EFBIG)
		return err_set(err,
			       "cannot write '%s': the limit of file sizes (ulimit -f) is reached",
			       path);
	return err_set(err, "cannot write '%s': %s", path, strerror(why));
}

/* Write and close. Returns 0, or an errno. */
static int write_all(int fd, const char *bytes, size_t count)
{
	int why = 0;

	while (count > 0 && why == 0) {
		ssize_t n = write(fd, bytes, count);

		if (n < 0 && errno != EINTR)
			why = errno;
		if (n > 0) {
			bytes += n;
			count -= (size_t)n;
		}
	}
	if (close(fd) != 0 && why == 0)
		why = errno;
	return why;
}

static int write_in_place(const char *path, const char *bytes, size_t count, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	int why = fd < 0 ? errno : write_all(fd, bytes, count);

	return why == 0 ? 0 : cannot(path, why, err);
}

/*
 * Write a file in the folder of `path`, then rename it. `was`: the existing file, or none, for its
 * mode.
 */
static int write_beside(const char *path, const struct stat *was, const char *bytes, size_t count,
			struct err *err)
{
	struct text beside = {0};
	int fd, why = 0;

	text_addf(&beside, "%s.part%ld", path, (long)getpid());
	fd = open(text_get(&beside), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		  was != NULL ? was->st_mode & 0777 : 0666);
	if (fd < 0) {
		/* The folder allows no new file, but the existing one may be writable. */
		text_release(&beside);
		return write_in_place(path, bytes, count, err);
	}
	if (was != NULL && fchmod(fd, was->st_mode & 07777) != 0)
		why = errno;
	if (why == 0)
		why = write_all(fd, bytes, count);
	else
		close(fd);
	if (why == 0 && rename(text_get(&beside), path) != 0)
		why = errno;
	if (why != 0)
		unlink(text_get(&beside));
	text_release(&beside);
	return why == 0 ? 0 : cannot(path, why, err);
}

int file_replace(const char *path, const char *bytes, size_t count, struct err *err)
{
	struct stat st;
	char *real;
	int status;

	if (stat(path, &st) != 0)
		return errno == ENOENT ? write_beside(path, NULL, bytes, count, err)
				       : cannot(path, errno, err);
	if (!S_ISREG(st.st_mode) || access(path, W_OK) != 0)
		return write_in_place(path, bytes, count, err);
	real = realpath(path, NULL); /* links stay links */
	if (real == NULL)
		return cannot(path, errno, err);
	status = write_beside(real, &st, bytes, count, err);
	free(real);
	return status;
}

/* What the link `path` names, seen from where `path` is seen, or NULL. */
static char *read_link(const char *path)
{
	char to[PATH_MAX];
	ssize_t n = readlink(path, to, sizeof(to));
	const char *slash = strrchr(path, '/');
	char *joined = NULL;

	if (n < 0)
		return NULL;
	if (n == (ssize_t)sizeof(to)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	if (slash == NULL || to[0] == '/')
		return strndup(to, (size_t)n);
	if (asprintf(&joined, "%.*s/%.*s", (int)(slash - path), path, (int)n, to) < 0)
		return NULL;
	return joined;
}

char *file_follow_links(const char *path)
{
	char *name = strdup(path), *next;

	for (int i = 0; i < MOST_LINKS && name != NULL; i++) {
		next = read_link(name);
		if (next == NULL && (errno == EINVAL || errno == ENOENT))
			return name;
		free(name);
		name = next;
	}
	free(name);
	errno = name != NULL ? ELOOP : errno;
	return NULL;
}
