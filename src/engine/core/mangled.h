/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions as users write them, and as compilers of C++ and Rust put them into symbol
 * tables. Pure.
 */
#ifndef DWELL_ENGINE_CORE_MANGLED_H
#define DWELL_ENGINE_CORE_MANGLED_H

#include <stdbool.h>
#include <stdint.h>

/* Move *s behind `prefix`, if *s begins with it. Returns whether it does. */
bool mangled_skip(const char **s, const char *prefix);

/* Length of the first part of a name, up to "::" or the end. */
uint32_t mangled_part_length(const char *name);

/*
 * Write the name without template arguments and parameters, as reports show it: "grid::total" for
 * "grid<double>::total(int)". The result is cut to `room` bytes, its 0 included. Names of operators
 * are unchanged.
 */
void mangled_plain(const char *name, char *to, uint32_t room);

/*
 * Does the plain name mean the function with this symbol, regardless of template arguments and
 * parameters? The symbol follows the Itanium C++ ABI, or Rust's older scheme, and has plain parts
 * only. "class::class" is a constructor, "class::~class" the destructor.
 */
bool mangled_means(const char *plain, const char *symbol);

#endif
