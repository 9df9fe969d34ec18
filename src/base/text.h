/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that grows, and small functions on strings. */
#ifndef DWELL_BASE_TEXT_H
#define DWELL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* All zero is an empty text. */
struct text {
	char *items;  /* NUL-ended; NULL before anything was added */
	size_t count; /* without the NUL */
	size_t room;
	bool failed; /* memory ran out: later additions are missing */
};

void text_release(struct text *t);
void text_add(struct text *t, const char *s);
void text_add_bytes(struct text *t, const char *s, size_t bytes);
void text_addf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Append valid UTF-8 without control characters; other bytes are written as \xNN. For text from
 * other programs that goes to a terminal or into JSON.
 */
void text_add_printable(struct text *t, const char *s, size_t bytes);

/*
 * The length of the UTF-8 character at `text`, which has `room` bytes (at least 1); 0 if it is
 * invalid or a control character.
 */
size_t text_character(const char *text, size_t room);

/*
 * Replace *t by the next line of a file, without its line end. Returns 1; 0 at the end of the file;
 * -1 if it cannot be read (ferror), has more than `most` bytes, or memory ran out. The limit bounds
 * memory for files without line ends, such as /dev/zero.
 */
int text_read_line(struct text *t, FILE *in, size_t most);

/* The text so far, "" if empty; owned by t and valid until it changes. */
const char *text_get(const struct text *t);

/* The part of a path after its last slash; points into path. */
const char *path_basename(const char *path);

/* Remove "/./", "//" and "name/.." from a path, in place; symbolic links are not resolved. */
void path_tidy(char *path);

#endif
