/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recognizes files of the formats that export writes. */
#include "export/formats.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A line of folded stacks: names, a blank, and a whole number. */
static bool is_folded(const char *line, size_t count)
{
	size_t i = count;

	while (i > 0 && is_digit(line[i - 1]))
		i--;
	return i < count && i >= 2 && line[i - 1] == ' ';
}

/* All lines must be; the last one may be cut. */
static bool are_folded(const char *bytes, size_t count)
{
	const char *end = bytes + count, *line = bytes, *next;

	if (memchr(bytes, '\n', count) == NULL)
		return false;
	for (; (next = memchr(line, '\n', (size_t)(end - line))) != NULL; line = next + 1)
		if (!is_folded(line, (size_t)(next - line)))
			return false;
	return true;
}

bool export_is_of_format(const struct export_format *f, const char *bytes, size_t count)
{
	size_t length = f->mark != NULL ? strlen(f->mark) : 0;

	if (f->mark == NULL)
		return are_folded(bytes, count);
	return count >= f->mark_at + length && memcmp(bytes + f->mark_at, f->mark, length) == 0;
}
