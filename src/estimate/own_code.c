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

const struct store_frame *own_code_frame(const struct store_location *l)
{
	for (uint32_t i = 0; i < l->frame_count; i++)
		if (l->frames[i].file == NULL || !is_library(l->frames[i].file))
			return &l->frames[i];
	return l->frame_count > 0 ? &l->frames[l->frame_count - 1] : NULL;
}
