/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of /proc and their text; see proc.h. */
#include "engine/core/proc.h"

#include <errno.h>
#include <fcntl.h>

#include "channel/sys.h"
#include "engine/core/util.h"

const char *text_behind(const char *s, const char *prefix)
{
	while (*prefix)
		if (*s++ != *prefix++)
			return NULL;
	return s;
}

const char *text_decimal(const char *p, uint64_t *value)
{
	for (*value = 0; *p >= '0' && *p <= '9'; p++)
		*value = *value * 10 + (uint64_t)(*p - '0');
	return p;
}

const char *text_hexadecimal(const char *p, uint64_t *value)
{
	for (*value = 0;; p++) {
		if (*p >= '0' && *p <= '9')
			*value = *value << 4 | (uint64_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			*value = *value << 4 | (uint64_t)(*p - 'a' + 10);
		else
			return p;
	}
}

static char *append(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	*to = 0;
	return to;
}

static char *append_number(char *to, uint64_t v)
{
	char digits[20];
	uint32_t n = 0;

	do
		digits[n++] = (char)('0' + v % 10);
	while ((v /= 10) != 0);
	while (n)
		*to++ = digits[--n];
	*to = 0;
	return to;
}

void proc_path(char path[PROC_PATH_BYTES], uint64_t pid, const char *file)
{
	append(append(append_number(append(path, "/proc/"), pid), "/"), file);
}

uint32_t proc_read(const char *path, char *text, uint32_t room)
{
	long fd = sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), got;

	text[0] = 0;
	if (sys_failed(fd))
		return 0;
	got = sys3(SYS_read, fd, text, room - 1);
	sys1(SYS_close, fd);
	if (got <= 0)
		return 0;
	text[got] = 0;
	return (uint32_t)got;
}

uint32_t proc_read_of_task(uint32_t tid, const char *file, char *text, uint32_t room)
{
	char path[PROC_PATH_BYTES];

	/* not in /proc/self/task: the thread may be one of a process that shares the memory */
	proc_path(path, tid, file);
	return proc_read(path, text, room);
}

long proc_name_of_fd(long fd, char *name, uint64_t room)
{
	char path[PROC_PATH_BYTES];
	long n;

	append_number(append(path, "/proc/self/fd/"), fd < 0 ? 0 : (uint64_t)fd);
	n = fd < 0 ? -EBADF : sys3(SYS_readlink, path, name, room - 1);
	name[n > 0 ? n : 0] = 0;
	return n;
}

#define FIELDS_BEFORE_NAME 5
#define LINES_BYTES	   4096u
#define STAT_BYTES	   128u

char proc_state_in(const char *stat)
{
	/* the name is in parentheses, and may contain some */
	const char *end = 0;

	for (const char *p = stat; *p; p++)
		if (*p == ')')
			end = p;
	return end && end[1] && end[2] ? end[2] : 'X';
}

bool proc_is_gone(uint32_t tid)
{
	char text[STAT_BYTES], state;

	if (sys2(SYS_tkill, tid, 0) == -ESRCH)
		return true;
	if (!proc_read_of_task(tid, "stat", text, sizeof text))
		return false;
	state = proc_state_in(text);
	return state == 'Z' || state == 'X';
}

/* Reads a line "start-end rwxp offset device inode name". False: it is none. */
static bool read_mapping(const char *p, struct proc_mapping *m)
{
	p = text_hexadecimal(p, &m->start);
	if (*p != '-')
		return false;
	p = text_hexadecimal(p + 1, &m->end);
	for (int field = 1; field <= FIELDS_BEFORE_NAME && *p; field++) {
		for (; *p && *p != ' '; p++) {
			m->writable |= field == 2 && *p == 'w';
			m->private |= field == 2 && *p == 'p';
		}
		while (*p == ' ')
			p++;
	}
	m->kernels = *p == '[' || text_behind(p, "/[aio]");
	return true;
}

/*
 * Calls `look` for the complete lines of the text, until it returns true. Returns the bytes of
 * these lines.
 */
static uint64_t look_through(char *text, uint64_t bytes,
			     bool (*look)(const struct proc_mapping *m, void *with), void *with,
			     bool *ended)
{
	uint64_t line = 0;

	for (uint64_t i = 0; i < bytes && !*ended; i++) {
		struct proc_mapping m = {0};

		if (text[i] != '\n')
			continue;
		text[i] = 0;
		*ended = read_mapping(text + line, &m) && look(&m, with);
		line = i + 1;
	}
	return line;
}

bool proc_mappings(bool (*look)(const struct proc_mapping *m, void *with), void *with)
{
	char text[LINES_BYTES];
	uint64_t have = 0, done;
	bool ended = false;
	long fd, r = 0;

	fd = sys4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	if (sys_failed(fd))
		return false;
	while (!ended && (r = sys3(SYS_read, fd, text + have, sizeof text - have)) > 0) {
		have += (uint64_t)r;
		done = look_through(text, have, look, with, &ended);
		if (!done && have == sizeof text) /* drop the end of a very long name */
			have -= LINES_BYTES / 2;
		have -= done;
		memmove(text, text + done, have);
	}
	sys1(SYS_close, fd);
	return r >= 0;
}
