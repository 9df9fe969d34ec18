/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions: their parts, and which function a user means. */
#ifndef DWELL_BASE_NAMES_H
#define DWELL_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* The class or namespace of a demangled name: "std::vector<int>" for its push_back; "" for none. */
void name_class(const char *function, struct text *out);

/*
 * The name as in the source, without result type, arguments of functions and templates, and ABI
 * tags: "ns::cls::sum" for "double ns::cls<int>::sum<long>[abi:cxx11](int) const".
 */
void name_plain(const char *function, struct text *out);

/*
 * Tell whether a user's `name` means this function, or the function of this parallel region. `name`
 * may be the whole name, the name without arguments, the plain name, or the part of one after "::".
 */
bool name_is_meant(const char *function, const char *name);

/*
 * Tell whether the function is a library's internal name for `name`, or its variant for a
 * processor: "__GI___libc_malloc" for "malloc", "__strcmp_evex" for "strcmp". False for equal
 * names.
 */
bool name_is_variant(const char *function, const char *name);

#endif
