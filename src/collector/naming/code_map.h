/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of one process over time: where and when each file was mapped, and the code locations in
 * its samples. Time is the number of accesses of the process, the clock of samples.
 */
#ifndef DWELL_COLLECTOR_NAMING_CODE_MAP_H
#define DWELL_COLLECTOR_NAMING_CODE_MAP_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

/* The module number that means "no module". */
#define CODE_NO_MODULE	 ((UINT32_C(1) << CODE_MODULE_BITS) - 1)
#define CODE_MODULE_BITS 17
/* modules of a process over the run; its engine tracks 4096 at a time */
#define CODE_MAX_MODULES 16384u
#define CODE_SOLE_BITS	 15

struct code_module {
	int64_t id; /* in the store */
	int file;   /* in the symbols */
	uint64_t start, end, file_offset;
	/* The first and the last time; UINT64_MAX: still mapped. Between, see struct code_time. */
	uint64_t mapped_at, unmapped_at;
};

/* A module was mapped from one time to another. */
struct code_time {
	uint64_t from, to; /* UINT64_MAX: still mapped */
	uint32_t module;   /* index */
};

/* The distance, in accesses, from the position to [from, to); 0: it is inside. */
static inline uint64_t code_time_away(uint64_t from, uint64_t to, uint64_t position)
{
	if (position < from)
		return from - position;
	return position < to ? 0 : position - to + 1;
}

/*
 * The locations in 64 bytes of code of one module: a simulated compiler has half a million, ten in
 * a line. Their ids are stored together, in order of pc.
 */
struct code_line {
	uint64_t number : 58; /* address / 64 */
	uint64_t is_used : 1; /* else: a free entry */
	uint64_t starts;      /* one bit per pc that is a location */
	/* index of the first id; the array has a power of two, at least CODE_LEAST_IDS */
	uint32_t ids;
	uint32_t module : CODE_MODULE_BITS; /* or CODE_NO_MODULE */
	/*
	 * No other module overlaps the line, as checked among this many modules; 0: not known.
	 */
	uint32_t sole : CODE_SOLE_BITS;
};

static_assert(sizeof(struct code_line) == 24, "small");

#define CODE_LEAST_IDS 4u
#define CODE_ID_ROOMS  5 /* size classes: 4, 8, 16, 32, 64 */

struct code_map {
	struct {
		struct code_module *items;
		size_t count, room;
	} modules;
	struct map by_what; /* hash of a module -> its index */
	struct {
		struct code_time *items; /* by `from` */
		size_t count, room;
	} times;
	/*
	 * A hash table by number, with linear probing. Lines with the same number differ in their
	 * module.
	 */
	struct code_line *lines;
	size_t line_count, line_room; /* room: 0 or a power of two; a quarter is free */
	struct {
		uint32_t *items;
		size_t count, room;
	} ids;
	/*
	 * Free arrays of each size class: index + 1 of the first, 0 for none. Its first item links
	 * to the next.
	 */
	uint32_t free_ids[CODE_ID_ROOMS];
	size_t location_count;
};

struct record_module;
struct symbols;

/* Read a module from its record, and open its file. Returns 0, or -1 when memory ran out. */
int code_module_read(struct code_module *m, struct symbols *s, const struct record_module *rec);

void code_map_release(struct code_map *c);
/* Release the locations only. */
void code_map_forget_locations(struct code_map *c);

/*
 * Returns the index of the new module, or CODE_NO_MODULE when memory ran out or there are too many.
 */
size_t code_map_add_module(struct code_map *c, const struct code_module *m);

enum code_mapped {
	CODE_NO_MEMORY,
	CODE_TOO_MANY, /* a new module, beyond CODE_MAX_MODULES */
	CODE_IS_MAPPED,
	CODE_AGAIN, /* mapped at the same place before */
	CODE_NEW,
};

/*
 * The module is mapped now; *index is its number. A file mapped repeatedly at one address stays one
 * module, which bounds their number.
 */
enum code_mapped code_map_map(struct code_map *c, const struct code_module *m, size_t *index);

/* The module is unmapped. */
void code_map_unmap(struct code_map *c, size_t index, uint64_t position);

/*
 * The module at pc at `position`. If there was none, the nearest in time: records and counts are
 * not in exact order.
 */
size_t code_map_find_module(const struct code_map *c, uint64_t pc, uint64_t position);

/*
 * The id of the location of pc at `position`. *module is its module, or CODE_NO_MODULE. If *is_new,
 * the location was just added, and the caller must set its id. Returns NULL when memory ran out;
 * the pointer is valid until the next call.
 */
uint32_t *code_map_locate(struct code_map *c, uint64_t pc, uint64_t position, size_t *module,
			  int *is_new);

/* Prefetch the pc's entry of the table, before code_map_locate. */
void code_map_prefetch(const struct code_map *c, uint64_t pc);

#endif
