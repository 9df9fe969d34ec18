/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions as users write them, and as compilers of C++ and Rust put them into symbol
 * tables. Pure.
 */
#ifndef DWELL_ENGINE_CORE_MANGLED_H
#define DWELL_ENGINE_CORE_MANGLED_H

#include <stdbool.h>
#include <stdint.h>

/* Go behind the prefix, if that is what *s begins with. */
bool mangled_skip(const char **s, const char *prefix);

/* How long the part of a name at its beginning is, up to "::" or the end. */
uint32_t mangled_part_length(const char *name);

/*
 * The name without template arguments and parameters, as much of it as has room with its 0:
 * "grid::total" of "grid<double>::total(int)", which is what reports show. Those of operators stay
 * as they are.
 */
void mangled_plain(const char *name, char *to, uint32_t room);

/*
 * Does the plain name mean the function with this symbol: one of the Itanium C++ ABI, or of Rust's
 * older form, made of plain parts, whatever template arguments and parameters it has?
 * "class::class" is a constructor, "class::~class" the destructor.
 */
bool mangled_means(const char *plain, const char *symbol);

#endif
