/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the dynamic linker knows of thread-local variables: where each file's lie from the thread
 * pointer. It is read from the linker's list of files, as debuggers do: _r_debug is the list, and
 * for libthread_db the C library says where in its elements the offset is. Of other C libraries
 * nothing is known.
 */
#ifndef DWELL_ENGINE_UNWIND_LOADER_MAP_H
#define DWELL_ENGINE_UNWIND_LOADER_MAP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Look for these symbols in a file's .dynsym. It is mapped at `bytes`, and its code at [start,
 * end). The file may be cut short: callers guard against the fault.
 */
void loader_map_look(const uint8_t *bytes, uint64_t size, uint64_t bias, uint64_t start,
		     uint64_t end, bool is_interpreter);

/* Is pc in the dynamic linker? And in it or in the C library? Need no lock. */
bool loader_map_is_linker(uint64_t pc);
bool loader_map_is_library(uint64_t pc);

/*
 * How far below each thread's pointer lie the variables of the file of that bias? *offset 0: in a
 * place of its own for each thread, made when it is first used. False: it is not known.
 */
bool loader_map_offset(uint64_t bias, uint64_t *offset);

/* A number that changes with those offsets; 0: none is known. */
uint64_t loader_map_sum(void);

#endif
