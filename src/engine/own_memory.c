/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine's memory among the program's; see own_memory.h. */
#define _GNU_SOURCE
#include "engine/own_memory.h"

#include <fcntl.h>

#include "channel/sys.h"
#include "engine/pages.h"
#include "engine/proc.h"
#include "engine/state.h"
#include "engine/util.h"

#define FIELDS_BEFORE_NAME 5
#define TEXT_BYTES	   4096u

static bool is_all_known(uint64_t start, uint64_t end)
{
	const struct mapping *m;

	for (; start < end; start = m->end)
		if (!(m = mappings_find(start)))
			return false;
	return true;
}

/* The first part of [start, end), which is mapped, that the program has not mapped. */
static bool first_unknown(uint64_t start, uint64_t end, struct own_memory *part)
{
	while (start < end) {
		const struct mapping *m = mappings_after(start);

		if (!m || m->start >= end) {
			*part = (struct own_memory){start, end};
			return true;
		}
		if (m->start > start && !m->stack) { /* stacks have grown down meanwhile */
			*part = (struct own_memory){start, m->start};
			return true;
		}
		start = m->end;
	}
	return false;
}

/* What the kernel has mapped for the program has such a name: [stack], [heap], [vdso], /[aio]. */
static bool is_kernels(const char *p)
{
	for (int i = 0; i < FIELDS_BEFORE_NAME; i++) {
		while (*p && *p != ' ')
			p++;
		while (*p == ' ')
			p++;
	}
	return *p == '[' || text_behind(p, "/[aio]");
}

/* A line of maps. True: part of it, within [start, end), is the engine's. */
static bool look_at(const char *line, uint64_t start, uint64_t end, struct own_memory *part)
{
	uint64_t first, behind;
	const char *p = text_hexadecimal(line, &first);

	if (*p != '-')
		return false;
	text_hexadecimal(p + 1, &behind);
	first = first > start ? first : start;
	behind = behind < end ? behind : end;
	return first < behind && !is_kernels(line) && first_unknown(first, behind, part);
}

/* Whole lines of the text, up to the one that tells. Returns the bytes that were looked at. */
static uint64_t look_through(char *text, uint64_t bytes, uint64_t start, uint64_t end,
			     struct own_memory *part, bool *found)
{
	uint64_t line = 0;

	for (uint64_t i = 0; i < bytes && !*found; i++) {
		if (text[i] != '\n')
			continue;
		text[i] = 0;
		*found = look_at(text + line, start, end, part);
		line = i + 1;
	}
	return line;
}

bool own_memory_in(uint64_t start, uint64_t end, struct own_memory *part)
{
	char text[TEXT_BYTES];
	uint64_t have = 0, done;
	bool found = false;
	long fd, r;

	if (engine.quiet || is_all_known(start, end))
		return false;
	fd = sys4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	if (sys_failed(fd))
		return false;
	while (!found && (r = sys3(SYS_read, fd, text + have, sizeof text - have)) > 0) {
		have += (uint64_t)r;
		done = look_through(text, have, start, end, part, &found);
		if (!done && have == sizeof text) /* the rest of so long a name tells nothing */
			have -= TEXT_BYTES / 2;
		have -= done;
		memmove(text, text + done, have);
	}
	sys1(SYS_close, fd);
	return found;
}
