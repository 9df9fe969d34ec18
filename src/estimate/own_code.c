/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See own_code.h. */
#include "estimate/own_code.h"

#include <string.h>

#include "base/text.h"

/* Beginnings of source files: of Rust's own library; and headers of C and C++, and Go's sources. */
static const char *const rust[] = {"/rustc/", "/rust/deps/", "/usr/src/rustc-", NULL};
static const char *const sources[] = {
	"/usr/include/",      "/usr/local/include/", "/usr/lib/",     "/usr/local/lib/",
	"/usr/local/go/src/", "/usr/share/go-",	     "/usr/libexec/", NULL,
};

/* Beginnings of names of modules. */
static const char *const modules[] = {
	"libc.so",	"libc-2",      "ld-linux",     "ld-2",	     "ld-musl",	 "libm.so",
	"libstdc++.so", "libc++.so",   "libc++abi.so", "libpthread", "libgcc_s", "libgfortran",
	"libjemalloc",	"libtcmalloc", "libmimalloc",  NULL,
};

static bool begins_with_any(const char *s, const char *const *list)
{
	for (; s != NULL && *list != NULL; list++)
		if (strncmp(s, *list, strlen(*list)) == 0)
			return true;
	return false;
}

bool own_code_is_of_rust(const char *file)
{
	return begins_with_any(file, rust);
}

bool own_code_is_module(const char *module)
{
	return module != NULL && begins_with_any(path_basename(module), modules);
}

bool own_code_is_library(const char *file, const char *module)
{
	return own_code_is_of_rust(file) || begins_with_any(file, sources) ||
	       own_code_is_module(module);
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

		if (f->file == NULL ||
		    (!own_code_is_library(f->file, NULL) && !is_accessor(f, last)))
			return f;
	}
	return last;
}
