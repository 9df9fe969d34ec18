/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking for functions by name in an ELF file, inside the target: no libc, nothing kept. */
#ifndef DWELL_ENGINE_CORE_ELF_SEARCH_H
#define DWELL_ENGINE_CORE_ELF_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Calls `found` with each function of .symtab and .dynsym that is defined in the file and that
 * `name` means (see below; template arguments and parameters in it are passed over), and where it
 * begins in the file. A function may be told twice. A file that cannot be read, or is damaged, has
 * none.
 */
void elf_search(const char *path, const char *name,
		void (*found)(void *context, uint64_t file_offset), void *context);

/* The same without the names of Fortran. */
void elf_search_c(const char *path, const char *name,
		  void (*found)(void *context, uint64_t file_offset), void *context);

/*
 * Does `name`, as a user writes it, mean the function with this symbol? It does if they are the
 * same, up to what the compiler adds to specialised copies (".isra.0") and versions ("@@V"); in C++
 * and Rust if it is the function's plain name, see mangled.h: "f", "space::class::f".
 */
bool elf_name_means(const char *name, const char *symbol);

/*
 * The same for Fortran: "sweep", "module::procedure". Asked where a file has nothing else of that
 * name.
 */
bool elf_name_means_fortran(const char *name, const char *symbol);

#endif
