/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What malloc does with freed memory. */
#ifndef DWELL_BASE_HEAP_H
#define DWELL_BASE_HEAP_H

/*
 * From now on, freeing a large block returns its pages to the system. By default malloc keeps them
 * after the first free: a table that doubles leaves holes of its own size, 16 MB for a compiler.
 */
void heap_return_large_blocks(void);

#endif
