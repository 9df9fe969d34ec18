/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads /proc/PID/cmdline, see proc(5): a process sets its title by overwriting its arguments. */
#include "collector/title.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

static bool runs_engine(uint32_t pid)
{
	char path[32], exe[PATH_MAX];
	ssize_t bytes;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/exe", pid);
	bytes = readlink(path, exe, sizeof(exe) - 1);
	if (bytes <= 0)
		return false;
	exe[bytes] = '\0';
	return strncmp(path_basename(exe), "dwell-engine", strlen("dwell-engine")) == 0;
}

bool title_read(uint32_t pid, char title[TITLE_BYTES])
{
	char path[32];
	ssize_t bytes;
	int fd;

	if (!runs_engine(pid))
		return false;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bytes = read(fd, title, TITLE_BYTES - 1);
	close(fd);
	/* Cut the rest of the old arguments, which the process filled with blanks or zeros. */
	while (bytes > 0 && (title[bytes - 1] == '\0' || title[bytes - 1] == ' '))
		bytes--;
	if (bytes <= 0)
		return false;
	for (ssize_t i = 0; i < bytes; i++)
		if (title[i] == '\0')
			title[i] = ' ';
	title[bytes] = '\0';
	return true;
}
