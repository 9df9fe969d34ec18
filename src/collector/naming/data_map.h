/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a process has mapped the files whose data its samples touch. A bit for each 8 bytes says
 * whether they were touched, so that their variable is asked for once (data_names.h).
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
	uint64_t low, high; /* addresses in the process that the file's segments take */
	uint64_t bias;	    /* of these over the file's */
	uint32_t module;    /* in the code map */
	int file;
	bool is_gone;  /* unmapped: nothing new is touched there */
	bool is_local; /* a thread's copy of the file's thread-local variables */
};

/* One bit for each 8 bytes of a page of the process's. */
struct data_page {
	uint64_t bits[8];
};

/*
 * The touched pages. Bits stay in the caches when much of a large array is touched; a map of all
 * granules would not.
 */
struct data_touched {
	struct data_page *items;
	size_t count, room;
	struct map by_page; /* range and page */
	size_t bits;	    /* set in all of them */
};

/* All zero is an empty one. */
struct data_map {
	struct data_range *items;
	size_t count, room;
	uint64_t low, high;		/* of all ranges */
	uint64_t local_low, local_high; /* of those of thread-local variables */
	struct data_touched touched;
	struct map written; /* variables that the store has; its users are in data_names.c */
};

void data_map_release(struct data_map *d);

/* The module was mapped; `index` is its own in the code map. Returns -1 when memory ran out. */
int data_map_add(struct data_map *d, struct symbols *symbols, const struct code_module *m,
		 size_t index);
/* The module is mapped again at its old place. Returns false if its data is not in the map. */
bool data_map_again(struct data_map *d, size_t module);
void data_map_remove(struct data_map *d, size_t index);

/*
 * A thread has its copy of the file's thread-local variables at [low, high). Returns -1 when memory
 * ran out.
 */
int data_map_add_locals(struct data_map *d, int file, uint64_t low, uint64_t high);
/* A forked child has its parent's. Returns -1 when memory ran out. */
int data_map_inherit_locals(struct data_map *child, const struct data_map *parent);

/* Does the address lie in a file's data, or a thread's copy of it? */
bool data_map_holds(const struct data_map *d, uint64_t address);

/* A sample of the process touched the address: a new one becomes a question. -1: memory ran out. */
int data_map_touch(struct data_map *d, int64_t process, uint64_t address, struct data_names *names);

#endif
