/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/self/maps as the program may see it; see maps_view.h. */
#define _GNU_SOURCE
#include "engine/run/syscalls/maps_view.h"

#include <fcntl.h>
#include <stdbool.h>

#include "channel/sys.h"
#include "engine/core/proc.h"
#include "engine/core/util.h"
#include "engine/run/syscalls/syscalls.h"
#include "engine/simulate/state/filter.h"
#include "engine/simulate/state/filter_memory.h"

#define BUFFER_BYTES (64u << 10)

/* Opened by any name: "/proc/PID/maps", or a thread's "/proc/PID/task/TID/maps". */
static bool is_own_maps(const struct thread *t, long fd)
{
	char path[64];
	const char *p, *task;
	uint64_t number;

	if (proc_name_of_fd(fd, path, sizeof path) <= 0 || !(p = text_behind(path, "/proc/")))
		return false;
	p = text_decimal(p, &number);
	if (number != t->process->pid)
		return false;
	if ((task = text_behind(p, "/task/")))
		p = text_decimal(task, &number);
	p = text_behind(p, "/maps");
	return p && !*p;
}

/* "start-end ..." */
static bool is_shown(const char *line)
{
	uint64_t start, end;
	const char *p = text_hexadecimal(line, &start);

	if (*p != '-')
		return true;
	text_hexadecimal(p + 1, &end);
	return !filter_memory_overlaps(start, end);
}

/*
 * Writes the complete lines of text to fd, without hidden ones. Returns the bytes consumed; -1: the
 * write failed.
 */
static long copy_lines(char *text, long bytes, long fd)
{
	long done = 0, kept = 0;

	for (long i = 0; i < bytes; i++) {
		const long line = i + 1 - done;

		if (text[i] != '\n')
			continue;
		if (is_shown(text + done)) {
			memmove(text + kept, text + done, (size_t)line);
			kept += line;
		}
		done = i + 1;
	}
	return kept == 0 || sys3(SYS_write, fd, text, kept) == kept ? done : -1;
}

static bool copy_shown(long from, long to, char *buffer)
{
	long have = 0, r;

	while ((r = sys3(SYS_read, from, buffer + have, BUFFER_BYTES - have)) > 0) {
		char *end = buffer + have + r;
		long whole;

		have = end - buffer;
		if (have == BUFFER_BYTES) /* lines are shorter, but the copy needs an end */
			end[-1] = '\n';
		whole = copy_lines(buffer, have, to);
		if (whole < 0)
			return false;
		have -= whole;
		memmove(buffer, buffer + whole, (size_t)have);
	}
	return r == 0;
}

void maps_view_opened(struct thread *t, long fd)
{
	long view, flags;
	char *buffer;

	if (sys_failed(fd) || !filter_may_count() || !is_own_maps(t, fd))
		return;
	flags = sys2(SYS_fcntl, fd, F_GETFD);
	view = sys2(SYS_memfd_create, "maps", 1 /* MFD_CLOEXEC */);
	buffer = pages_get(BUFFER_BYTES);
	if (!sys_failed(view) && buffer && copy_shown(fd, view, buffer)) {
		sys3(SYS_lseek, view, 0, 0);
		sys3(SYS_dup3, view, fd, flags & FD_CLOEXEC ? O_CLOEXEC : 0);
	} else {
		sys3(SYS_lseek, fd, 0, 0);
	}
	if (buffer)
		pages_put(buffer, BUFFER_BYTES);
	if (!sys_failed(view))
		sys1(SYS_close, view);
}
