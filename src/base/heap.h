/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How malloc treats freed memory. */
#ifndef DWELL_BASE_HEAP_H
#define DWELL_BASE_HEAP_H

/*
 * From now on, freeing a large block returns its pages to the system. By default malloc keeps them
 * after the first free: a growing table leaves holes as large as itself, 16 MB for a compiler.
 */
void heap_return_large_blocks(void);

#endif
