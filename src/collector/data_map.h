/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The variables of one process that its samples touched. While it runs only addresses are kept,
 * one for 8 bytes, of those that lie in a file's segments; names are asked for when the run has
 * ended, in order of address, and each variable is written once.
 */
#ifndef DWELL_COLLECTOR_DATA_MAP_H
#define DWELL_COLLECTOR_DATA_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "collector/code_map.h"
#include "store/store.h"
#include "symbols/symbols.h"

struct data_range {
	uint64_t low, high; /* addresses in the process that the file's segments take */
	uint64_t bias;	    /* of these over the file's */
	uint32_t module;    /* in the code map */
	int file;
	bool is_gone; /* unmapped: nothing new is touched there */
};

/* All zero is an empty one. */
struct data_map {
	struct data_range *items;
	size_t count, room;
	uint64_t low, high; /* of all ranges */
	struct map touched; /* range and granule */
};

void data_map_release(struct data_map *d);

/* The module was mapped; `index` is its own in the code map. Returns -1 when memory ran out. */
int data_map_add(struct data_map *d, const struct symbols *symbols, const struct code_module *m,
		 size_t index);
void data_map_remove(struct data_map *d, size_t index);

/* A sample touched the address. Returns -1 when memory ran out. */
int data_map_touch(struct data_map *d, uint64_t address);

/* Find and write the process's variables, which are numbered on from *next_id. */
int data_map_finish(struct data_map *d, int64_t process, struct symbols *symbols,
		    struct store *store, int64_t *next_id, struct err *err);

#endif
