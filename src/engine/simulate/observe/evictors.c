/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for the last evictor of each line; see counts.h. */
#include "engine/core/util.h"
#include "engine/simulate/observe/counts.h"

#define LEAF_BYTES   (LEAF_LINES * 2 * sizeof(uint32_t))
#define LEAF_RESERVE (1ull << 36)

bool counts_start_evictors(enum bin_cache cache)
{
	struct evictors *e = counts_evictors(cache);

	if (e->directory.base)
		return true;
	if (grow_init_whole(&e->directory, (counts_tables.directory_mask + 1) * sizeof(uint32_t)) !=
		    0 ||
	    grow_init(&e->leaves, LEAF_RESERVE) != 0 || !grow_take(&e->leaves, LEAF_BYTES))
		return false;
	grow_in_large_pages(&e->leaves);
	return true;
}

uint32_t *counts_new_evictor(enum bin_cache cache, uint64_t line)
{
	struct evictors *e = counts_evictors(cache);
	uint32_t *leaf = counts_leaf(cache, line);

	if (!*leaf && grow_take(&e->leaves, LEAF_BYTES))
		*leaf = (uint32_t)(e->leaves.used / LEAF_BYTES - 1);
	return *leaf ? counts_evictor(cache, line) : 0;
}
