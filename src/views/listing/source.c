/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads source files. */
#include "views/listing/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "views/fit.h"

/* More than any source file; but a device or a wrong path may be larger. */
#define MAX_BYTES (64 << 20)
#define TAB_WIDTH 8

/* Read all of fd into NUL-ended memory. Returns NULL with errno on failure. */
static char *read_all(int fd, size_t size)
{
	char *text = malloc(size + 1);
	size_t used = 0;

	if (text == NULL)
		return NULL;
	while (used < size) {
		ssize_t n = read(fd, text + used, size - used);

		if (n < 0) {
			int code = errno;

			free(text);
			errno = code;
			return NULL;
		}
		if (n == 0)
			break;
		used += (size_t)n;
	}
	text[used] = '\0';
	return text;
}

/* Sets errno on failure. */
static int read_file(struct source *s, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), code;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0) {
		errno = EINVAL;
		if (S_ISREG(st.st_mode) && st.st_size <= MAX_BYTES)
			s->text = read_all(fd, (size_t)st.st_size);
		s->changed = st.st_mtime;
	}
	code = errno;
	close(fd);
	errno = code;
	return s->text != NULL ? 0 : -1;
}

static int cut_lines(struct source *s)
{
	size_t count = 1;

	for (const char *c = s->text; *c != '\0'; c++)
		count += *c == '\n';
	s->lines = calloc(count, sizeof(*s->lines));
	if (s->lines == NULL)
		return -1;
	for (char *at = s->text; at != NULL && *at != '\0';) {
		char *end = strchr(at, '\n');

		s->lines[s->count++] = at;
		if (end != NULL)
			*end++ = '\0';
		at = end;
	}
	return 0;
}

int source_load(struct source *s, struct store *store, const char *path, const char *other,
		struct err *err)
{
	const char *copy = store_read_source(store, path);
	int code = ENOMEM;

	*s = (struct source){0};
	if (copy != NULL) {
		s->text = strdup(copy);
	} else if (read_file(s, path) != 0) {
		code = errno;
		if (other != NULL)
			read_file(s, other);
	}
	if (s->text == NULL)
		return err_set(err, "cannot read the source file %s: %s", path, strerror(code));
	if (cut_lines(s) != 0) {
		source_release(s);
		return err_set(err, "not enough memory for the source file %s", path);
	}
	return 0;
}

void source_release(struct source *s)
{
	free(s->text);
	free(s->lines);
	*s = (struct source){0};
}

void source_note_change(const struct source *s, struct store *store, const char *path,
			struct text *notes)
{
	int64_t start = store_meta_int(store, "start_time", 0);
	struct text note = {0};

	if (start <= 0 || s->changed <= start)
		return;
	text_addf(&note, "%s has changed since the run: lines may not fit\n", path);
	if (strstr(text_get(notes), text_get(&note)) == NULL)
		text_add(notes, text_get(&note));
	text_release(&note);
}

const char *source_line(const struct source *s, uint32_t number)
{
	return number >= 1 && number <= s->count ? s->lines[number - 1] : NULL;
}

void source_put_code(struct text *out, const char *code, size_t used, const struct display *d)
{
	size_t column = 0, left, bytes, room = d->width > used ? d->width - used : SIZE_MAX;

	for (left = strlen(code); left > 0 && column < room; code += bytes, left -= bytes) {
		unsigned char c = (unsigned char)*code;

		bytes = 1;

		if (c == '\t') {
			do
				text_add(out, " ");
			while (++column % TAB_WIDTH != 0 && column < room);
			continue;
		}
		bytes = text_character(code, left);
		if (bytes > 0) {
			text_add_bytes(out, code, bytes);
			column++;
		} else {
			/* Terminals would obey control characters. */
			text_addf(out, "\\x%02x", c);
			column += 4;
			bytes = 1;
		}
	}
	text_add(out, "\n");
}
