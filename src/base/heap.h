/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What malloc does with memory that is given back. */
#ifndef DWELL_BASE_HEAP_H
#define DWELL_BASE_HEAP_H

/*
 * From now on the pages of large blocks go back to the system when these are freed. By itself
 * malloc keeps them after the first one: a table that doubles leaves its size in holes, of 16 MB
 * for a compiler.
 */
void heap_return_large_blocks(void);

#endif
