/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of one process over time: which file was mapped where when, and the
 * code locations that its samples mention. Time is the number of accesses that the process has
 * made, since that is the clock samples carry.
 */
#ifndef DWELL_COLLECTOR_CODE_MAP_H
#define DWELL_COLLECTOR_CODE_MAP_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a location. There are fewer modules than this. */
#define CODE_NO_MODULE ((UINT32_C(1) << CODE_MODULE_BITS) - 1)
#define CODE_MODULE_BITS 17
#define CODE_SOLE_BITS	 15

struct code_module {
	int64_t id; /* in the store */
	int file;   /* in the symbols */
	uint64_t start, end, file_offset;
	uint64_t mapped_at, unmapped_at; /* UINT64_MAX: it stays */
};

/* Four to a cache line: a simulated compiler has a million. */
struct code_location {
	int64_t pc : 57; /* as addresses are, with the sign above */
	uint64_t is_used : 1; /* or a free place */
	uint64_t id : 32;     /* in the store */
	uint64_t module : CODE_MODULE_BITS; /* or CODE_NO_MODULE */
	/* Of the first so many modules, no other one covers pc, at whatever time; 0: it is not known. */
	uint64_t sole : CODE_SOLE_BITS;
};

static_assert(sizeof(struct code_location) == 16, "four to a cache line");

struct code_map {
	struct {
		struct code_module *items;
		size_t count, room;
	} modules;
	/* A hash table by pc, with linear probing; of one pc there may be several, in different modules. */
	struct code_location *locations;
	size_t location_count, location_room; /* room: a power of two, or 0; a quarter is free */
};

void code_map_release(struct code_map *c);
/* The locations alone. */
void code_map_forget_locations(struct code_map *c);

/* Returns the new module's index, or CODE_NO_MODULE when memory ran out or there are too many. */
size_t code_map_add_module(struct code_map *c, const struct code_module *m);

/* Whether the same file is mapped there already and still is. */
int code_map_has_module(const struct code_map *c, const struct code_module *m);

/*
 * The module that held pc at `position`; when none did, for the order of records
 * and counts is not exact to the access, the one that was there last before, or first after.
 */
size_t code_map_find_module(const struct code_map *c, uint64_t pc, uint64_t position);

/*
 * The location of pc at `position`. *is_new tells whether it was made just now and wants an id.
 * Returns NULL when memory ran out; the pointer is valid until the next call.
 */
struct code_location *code_map_locate(struct code_map *c, uint64_t pc, uint64_t position,
				      int *is_new);

/* Have the pc's place in the table on its way to the cache, before it is asked for. */
void code_map_prefetch(const struct code_map *c, uint64_t pc);

#endif
