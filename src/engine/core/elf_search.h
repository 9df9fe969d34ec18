/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Find functions by name in an ELF file, inside the target: no libc, nothing is cached. */
#ifndef DWELL_ENGINE_CORE_ELF_SEARCH_H
#define DWELL_ENGINE_CORE_ELF_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Call `found` with the file offset of each function defined in .symtab or .dynsym that `name`
 * means: see elf_name_means. Template arguments and parameters in `name` are ignored. A function
 * may be reported twice. An unreadable or damaged file has no functions.
 */
void elf_search(const char *path, const char *name,
		void (*found)(void *context, uint64_t file_offset), void *context);

/* The same without Fortran names. */
void elf_search_c(const char *path, const char *name,
		  void (*found)(void *context, uint64_t file_offset), void *context);

/*
 * Does `name`, as a user writes it, mean the function with this symbol? Yes if they are equal but
 * for suffixes of specialised copies (".isra.0") and versions ("@@V"). In C++ and Rust also if
 * `name` is the function's plain name (mangled.h): "f", "space::class::f".
 */
bool elf_name_means(const char *name, const char *symbol);

/*
 * The same for Fortran: "sweep", "module::procedure". Used only if a file has no other function of
 * that name.
 */
bool elf_name_means_fortran(const char *name, const char *symbol);

#endif
