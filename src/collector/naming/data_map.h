/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a process has mapped the files whose data its samples touch. A bit for each 8 bytes records
 * whether they were touched, so that each variable is looked up once (data_names.h).
 */
#ifndef DWELL_COLLECTOR_NAMING_DATA_MAP_H
#define DWELL_COLLECTOR_NAMING_DATA_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "collector/naming/code_map.h"
#include "collector/naming/data_names.h"
#include "symbols/symbols.h"

struct data_range {
	uint64_t low, high; /* addresses in the process, over all segments of the file */
	uint64_t bias;	    /* process address minus file address */
	uint32_t module;    /* in the code map */
	int file;
	bool is_gone;  /* unmapped: cannot be touched any more */
	bool is_local; /* a thread's copy of the file's thread-local variables */
};

/* One bit for each 8 bytes of a page of the process. */
struct data_page {
	uint64_t bits[8];
};

/*
 * The touched pages. If a large array is touched, bits stay in the caches; a map of all granules
 * would not.
 */
struct data_touched {
	struct data_page *items;
	size_t count, room;
	struct map by_page; /* by range and page */
	size_t bits;	    /* bits set in all pages */
};

/* Empty when all zero. */
struct data_map {
	struct data_range *items;
	size_t count, room;
	uint64_t low, high;		/* over all ranges */
	uint64_t local_low, local_high; /* over the ranges of thread-local variables */
	struct data_touched touched;
	struct map written; /* variables already in the store; used by data_names.c */
};

void data_map_release(struct data_map *d);

/* The module was mapped; `index` is its number in the code map. Returns -1 when memory ran out. */
int data_map_add(struct data_map *d, struct symbols *symbols, const struct code_module *m,
		 size_t index);
/* The module is mapped again at the same address. Returns false if its data is not in the map. */
bool data_map_again(struct data_map *d, size_t module);
void data_map_remove(struct data_map *d, size_t index);

/*
 * A thread has its copy of the file's thread-local variables at [low, high). Returns -1 when memory
 * ran out.
 */
int data_map_add_locals(struct data_map *d, int file, uint64_t low, uint64_t high);
/* Copy the parent's copies of variables to a forked child. Returns -1 when memory ran out. */
int data_map_inherit_locals(struct data_map *child, const struct data_map *parent);

/* Tell whether the address is in a file's data, or in a thread's copy of it. */
bool data_map_holds(const struct data_map *d, uint64_t address);

/*
 * A sample of the process touched the address: if new, it becomes a question in `names`. Returns -1
 * when memory ran out.
 */
int data_map_touch(struct data_map *d, int64_t process, uint64_t address, struct data_names *names);

#endif
