/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growing text, and paths as text; accesses no files. */
#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void text_release(struct text *t)
{
	free(t->items);
	*t = (struct text){0};
}

void text_add_bytes(struct text *t, const char *s, size_t bytes)
{
	if (!array_reserve_in((void **)&t->items, &t->room, t->count + bytes + 1, 1)) {
		t->failed = true;
		return;
	}
	memcpy(t->items + t->count, s, bytes);
	t->count += bytes;
	t->items[t->count] = '\0';
}

void text_add(struct text *t, const char *s)
{
	text_add_bytes(t, s, strlen(s));
}

void text_addf(struct text *t, const char *fmt, ...)
{
	va_list args, again;
	int n;

	va_start(args, fmt);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (n < 0 || !array_reserve_in((void **)&t->items, &t->room, t->count + (size_t)n + 1, 1)) {
		t->failed = true;
	} else {
		vsnprintf(t->items + t->count, (size_t)n + 1, fmt, again);
		t->count += (size_t)n;
	}
	va_end(again);
}

/* Over-long forms, surrogates and values beyond U+10FFFF are invalid. */
size_t text_character(const char *text, size_t room)
{
	const unsigned char *s = (const unsigned char *)text;
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t bytes, i;
	uint32_t c;

	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f ? 1 : 0;
	bytes = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4 || bytes > room)
		return 0;
	c = s[0] & (0xffu >> (bytes + 1));
	for (i = 1; i < bytes; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[bytes] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || c < 0xa0)
		return 0;
	return bytes;
}

void text_add_printable(struct text *t, const char *s, size_t bytes)
{
	while (bytes > 0) {
		size_t n = text_character(s, bytes);

		if (n > 0)
			text_add_bytes(t, s, n);
		else
			text_addf(t, "\\x%02x", (unsigned char)*s);
		n = n > 0 ? n : 1;
		s += n;
		bytes -= n;
	}
}

int text_read_line(struct text *t, FILE *in, size_t most)
{
	int c = EOF;

	t->count = 0;
	text_add_bytes(t, "", 0); /* an empty line must not be NULL */
	if (t->failed)
		return -1;
	while (t->count <= most && (c = getc_unlocked(in)) != EOF && c != '\n') {
		if (!array_reserve_in((void **)&t->items, &t->room, t->count + 2, 1))
			return -1;
		t->items[t->count++] = (char)c;
	}
	t->items[t->count] = '\0';
	if (t->count > most || (c == EOF && ferror(in)))
		return -1;
	return c != EOF || t->count > 0;
}

const char *text_get(const struct text *t)
{
	return t->items != NULL ? t->items : "";
}

const char *path_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Returns the start of the last component of the n bytes at `path`. */
static size_t last_component(const char *path, size_t n)
{
	while (n > 0 && path[n - 1] != '/')
		n--;
	return n;
}

/* Tell whether the n bytes at path end in a component that ".." removes. */
static bool can_go_up(const char *path, size_t n, bool absolute)
{
	size_t start = last_component(path, n);

	if (n == start)
		return absolute; /* "/.." is "/" */
	return !(n - start == 2 && memcmp(path + start, "..", 2) == 0);
}

void path_tidy(char *path)
{
	bool absolute = path[0] == '/';
	size_t root = absolute ? 1 : 0, out = root;
	const char *s = path + root;

	while (*s != '\0') {
		size_t n = strcspn(s, "/");

		if (n == 0 || (n == 1 && s[0] == '.')) {
			/* nothing to copy */
		} else if (n == 2 && memcmp(s, "..", 2) == 0 && (absolute || out > 0) &&
			   can_go_up(path, out, absolute)) {
			out = last_component(path, out);
			if (out > root)
				out--;
		} else {
			if (out > root)
				path[out++] = '/';
			memmove(path + out, s, n);
			out += n;
		}
		s += n;
		if (*s == '/')
			s++;
	}
	path[out] = '\0';
}
