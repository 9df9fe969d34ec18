/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of a source file: the profile's own copy, or the file where it was compiled. */
#ifndef DWELL_VIEWS_LISTING_SOURCE_H
#define DWELL_VIEWS_LISTING_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "store/store_read.h"
#include "views/table.h"

struct source {
	char *text; /* cut into lines, each ended by a NUL */
	char **lines;
	size_t count;
	int64_t changed; /* unix seconds of the file's last change; 0 for a copy in the profile */
};

/*
 * Find `path` in the profile, then on disk, then `other` (as typed by the user; may be NULL) on
 * disk. Fails with a sentence if there is none. Release with source_release.
 */
int source_load(struct source *s, struct store *store, const char *path, const char *other,
		struct err *err);
void source_release(struct source *s);

/* Add a line to `notes`, once, if the file loaded for `path` is newer than the run. */
void source_note_change(const struct source *s, struct store *store, const char *path,
			struct text *notes);

/* Line `number`, from 1; NULL after the end. */
const char *source_line(const struct source *s, uint32_t number);

/*
 * Add one line of code with a line end, with tabs expanded, and cut to the display's width minus
 * `used`.
 */
void source_put_code(struct text *out, const char *code, size_t used, const struct display *d);

#endif
