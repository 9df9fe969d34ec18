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
	/* When it was mapped, in accesses of the process; UINT64_MAX: it still is. */
	uint64_t from, to;
	/*
	 * In the store: the same each time that the file is mapped there, as its variables lie at
	 * the same addresses.
	 */
	int64_t image;
	uint32_t first;	 /* the first range of the image */
	uint32_t module; /* in the code map */
	int file;
	bool is_local; /* a thread's copy of the file's thread-local variables */
};

/* One bit for each byte of a page of the process: each may be a variable. */
struct data_page {
	uint64_t bits[64];
};

/*
 * The touched pages. If a large array is touched, bits stay in the caches; a map of all addresses
 * would not.
 */
struct data_touched {
	struct data_page *items;
	size_t count, room;
	struct map by_page; /* by range and page */
	size_t bits;	    /* bits set in all pages */
};

/* Bytes of a file's thread-local variables that were touched in some copy, none told which. */
struct data_local {
	int file;
	uint64_t offset;
};

struct data_locals {
	struct data_local *items;
	size_t count, room;
};

/* Empty when all zero. */
struct data_map {
	struct data_range *items; /* in the order of their beginnings */
	size_t count, room;
	uint64_t low, high; /* over all ranges */
	struct data_touched touched;
	struct map written; /* variables already in the store; used by data_names.c */
	struct data_locals locals;
};

void data_map_release(struct data_map *d);

/*
 * The module was mapped at `position`; `index` is its number in the code map. If its data is new
 * there, its image has the id *next_image, which is incremented. Returns -1 when memory ran out.
 */
int data_map_add(struct data_map *d, struct symbols *symbols, const struct code_module *m,
		 size_t index, uint64_t position, int64_t *next_image);
void data_map_remove(struct data_map *d, size_t module, uint64_t position);

/*
 * A thread has its copy of the file's thread-local variables at [low, high). Returns -1 when memory
 * ran out.
 */
int data_map_add_locals(struct data_map *d, int64_t process, int file, uint64_t low, uint64_t high,
			uint64_t position, struct data_names *names, int64_t *next_image);
/*
 * The process touched that byte of each copy of the file's thread-local variables, also of those
 * that come later. *image, *address: where it is in one of them; 0: there is none yet. Returns -1
 * when memory ran out.
 */
int data_map_touch_locals(struct data_map *d, int64_t process, int file, uint64_t offset,
			  struct data_names *names, int64_t *image, uint64_t *address);
/* Copy the parent's copies of variables to a forked child. Returns -1 when memory ran out. */
int data_map_inherit_locals(struct data_map *child, const struct data_map *parent,
			    int64_t *next_image);

/*
 * The process touched the address at `position`. `is_placed`: in a known site, so only if it was
 * mapped exactly then, it is a file's. *image: that of the file whose data lay there, or 0. If it
 * is touched for the first time, it becomes a question in `names`. Returns -1 when memory ran out.
 */
int data_map_touch(struct data_map *d, int64_t process, uint64_t address, uint64_t position,
		   bool is_placed, struct data_names *names, int64_t *image);

/* The image at the address then, or 0, without a touch. */
int64_t data_map_find(const struct data_map *d, uint64_t address, uint64_t position,
		      bool is_placed);

#endif
