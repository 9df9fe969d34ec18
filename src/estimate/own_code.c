/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See own_code.h. */
#include "estimate/own_code.h"

#include <string.h>

/* Beginnings of source files: headers of C and C++, and the sources of Rust and Go. */
static const char *const libraries[] = {
	"/usr/include/",  "/usr/local/include/", "/usr/lib/",	    "/usr/local/lib/",
	"/rustc/",	  "/rust/deps/",	 "/usr/src/rustc-", "/usr/local/go/src/",
	"/usr/share/go-", "/usr/libexec/",
};

/* Tell whether a source file belongs to a compiler, a standard library, or the system. */
static bool is_library(const char *file)
{
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (strncmp(file, libraries[i], strlen(libraries[i])) == 0)
			return true;
	return false;
}

static bool ends_with(const char *s, const char *end)
{
	const size_t length = strlen(s), tail = strlen(end);

	return length >= tail && strcmp(s + length - tail, end) == 0;
}

/* In C, inlined functions of headers stand for fields and macros: nobody looks for them. */
static bool is_accessor(const struct store_frame *f, const struct store_frame *around)
{
	return f != around && around->file != NULL && ends_with(around->file, ".c") &&
	       ends_with(f->file, ".h");
}

const struct store_frame *own_code_frame(const struct store_location *l)
{
	const struct store_frame *last = l->frame_count > 0 ? &l->frames[l->frame_count - 1] : NULL;

	for (uint32_t i = 0; i < l->frame_count; i++) {
		const struct store_frame *f = &l->frames[i];

		if (f->file == NULL || (!is_library(f->file) && !is_accessor(f, last)))
			return f;
	}
	return last;
}
