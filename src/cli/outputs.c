/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps outputs off files that must not be replaced; see outputs.h. */
#include "cli/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/* As much of a file as tells its format. */
#define HEAD_BYTES 4096

/* Each profile, and each other SQLite database, begins so. */
#define PROFILE_MARK "SQLite format 3"

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int refuse_input(const char *input, struct err *err)
{
	return err_set(err, "'%s' is read and cannot be the output, too: name another file with -o",
		       input);
}

/* The name of what a profile at `output` would replace a second time, or NULL. */
static char *name_older(const char *output)
{
	char *path = file_follow_links(output), *name = NULL;

	if (path != NULL && access(path, F_OK) == 0 && asprintf(&name, "%s.old", path) < 0)
		name = NULL;
	free(path);
	return name;
}

int outputs_check_profile(const char *output, const char *const *inputs, size_t count,
			  struct err *err)
{
	char *older = name_older(output);
	int status = 0;

	for (size_t i = 0; i < count && status == 0; i++) {
		if (is_same_file(inputs[i], output))
			status = refuse_input(inputs[i], err);
		else if (older != NULL && is_same_file(inputs[i], older))
			status = err_set(err,
					 "'%s' is read, and '%s' would replace it: name another "
					 "file with -o",
					 inputs[i], output);
	}
	free(older);
	return status;
}

/* Read the first bytes of a regular file. Returns their number: 0 if it may be replaced. */
static size_t read_head(const char *path, char head[HEAD_BYTES])
{
	struct stat st;
	ssize_t n = 0;
	int fd;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd >= 0) {
		n = pread(fd, head, HEAD_BYTES, 0);
		close(fd);
	}
	/* What cannot be read is of no known format. */
	return n > 0 ? (size_t)n : 1;
}

int outputs_check_export(const char *output, const char *input, const struct export_format *f,
			 bool is_forced, struct err *err)
{
	char head[HEAD_BYTES] = {0};
	size_t count;

	if (is_same_file(input, output))
		return refuse_input(input, err);
	count = read_head(output, head);
	if (count == 0)
		return 0;
	if (count > strlen(PROFILE_MARK) && memcmp(head, PROFILE_MARK, strlen(PROFILE_MARK)) == 0)
		return err_set(err, "'%s' is a profile or another database: not replacing it",
			       output);
	if (is_forced || export_is_of_format(f, head, count))
		return 0;
	return err_set(err,
		       "'%s' exists and is no %s file by dwell: not replacing it without --force",
		       output, f->name);
}
