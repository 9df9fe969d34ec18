/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of glibc's malloc; without effect on others. */
#include "base/heap.h"

#include <malloc.h>

#define LARGE \
	(512  \
	 << 10) /* bytes; smaller ones are made and freed too often to ask the system each time */

void heap_return_large_blocks(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGE);
}

void heap_use_one_arena(void)
{
	mallopt(M_ARENA_MAX, 1);
}
