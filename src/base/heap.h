/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How malloc treats freed memory. */
#ifndef DWELL_BASE_HEAP_H
#define DWELL_BASE_HEAP_H

/*
 * From now on, freeing a large block returns its pages to the system. By default malloc keeps them
 * after the first free: a growing table leaves holes as large as itself, 16 MB for a compiler.
 */
void heap_return_large_blocks(void);

/*
 * For a process that works in one thread, but not in its first: the other arenas grow by a page at
 * a time, with a system call for each. Call it before there are threads.
 */
void heap_use_one_arena(void);

#endif
