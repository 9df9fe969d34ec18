/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the functions at a location is the user's: inlined code of libraries is not. */
#ifndef DWELL_ESTIMATE_OWN_CODE_H
#define DWELL_ESTIMATE_OWN_CODE_H

#include <stdbool.h>

#include "store/store_read.h"

/*
 * Tell whether code belongs to a standard library, a compiler, or the system, by its source file or
 * the path of its module. Both may be NULL.
 */
bool own_code_is_library(const char *file, const char *module);
/* Parts of it: the source is Rust's own; the module is a library of the system. */
bool own_code_is_of_rust(const char *file);
bool own_code_is_module(const char *module);

/*
 * The innermost function at the location whose source is neither a library's nor a header of C; if
 * all are, the one that is not inlined. NULL: the location has no functions.
 */
const struct store_frame *own_code_frame(const struct store_location *l);

#endif
