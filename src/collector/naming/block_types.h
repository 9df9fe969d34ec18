/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds what the blocks of sites hold, from the code that calls the allocator. */
#ifndef DWELL_COLLECTOR_NAMING_BLOCK_TYPES_H
#define DWELL_COLLECTOR_NAMING_BLOCK_TYPES_H

#include "collector/naming/naming.h"
#include "collector/naming/sites.h"

/*
 * Find the types of all sites, and write those that are known. Call it when all names are known. It
 * reads debug information, a fraction of a millisecond for each call of an allocator. Returns -1
 * with *err.
 */
int block_types_find(struct sites *s, struct naming *n, struct symbols *symbols,
		     struct store *store, struct err *err);

#endif
