/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of one process over time: where and when each file was mapped, and the code locations in
 * its samples. Time is the process's number of accesses, since that is the clock of samples.
 */
#ifndef DWELL_COLLECTOR_NAMING_CODE_MAP_H
#define DWELL_COLLECTOR_NAMING_CODE_MAP_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

/* The module of a location in no module. */
#define CODE_NO_MODULE	 ((UINT32_C(1) << CODE_MODULE_BITS) - 1)
#define CODE_MODULE_BITS 17
/* modules of a process over the run; its engine tracks 4096 at a time */
#define CODE_MAX_MODULES 16384u
#define CODE_SOLE_BITS	 15

struct code_module {
	int64_t id; /* in the store */
	int file;   /* in the symbols */
	uint64_t start, end, file_offset;
	uint64_t mapped_at, unmapped_at; /* UINT64_MAX: it stays */
};

/*
 * The locations in 64 bytes of code and one module: a simulated compiler has half a million
 * locations, ten to a line. Their ids stand side by side, in order of pc.
 */
struct code_line {
	uint64_t number : 58; /* of the line: its address / 64 */
	uint64_t is_used : 1; /* or a free place */
	uint64_t starts;      /* a bit for each pc that is a location */
	/* where theirs begin; the room is a power of two, at least CODE_LEAST_IDS */
	uint32_t ids;
	uint32_t module : CODE_MODULE_BITS; /* or CODE_NO_MODULE */
	/*
	 * Among this many first modules, no other one ever covers a part of the line; 0: not known.
	 */
	uint32_t sole : CODE_SOLE_BITS;
};

static_assert(sizeof(struct code_line) == 24, "small");

#define CODE_LEAST_IDS 4u
#define CODE_ID_ROOMS  5 /* 4, 8, 16, 32, 64 */

struct code_map {
	struct {
		struct code_module *items;
		size_t count, room;
	} modules;
	struct map by_what; /* hash of a module -> its index */
	/*
	 * A hash table by number, with linear probing; of one number there may be several, in
	 * different modules.
	 */
	struct code_line *lines;
	size_t line_count, line_room; /* room: a power of two, or 0; a quarter is free */
	struct {
		uint32_t *items;
		size_t count, room;
	} ids;
	/*
	 * + 1, by how much room it is, 0: there is none; its first item is the next one of its
	 * kind.
	 */
	uint32_t free_ids[CODE_ID_ROOMS];
	size_t location_count;
};

struct code_location {
	uint64_t pc;
	uint32_t id;
	uint32_t module; /* or CODE_NO_MODULE */
};

struct record_module;
struct symbols;

/* The module that a record describes; its file is opened. Returns 0, or -1 when memory ran out. */
int code_module_read(struct code_module *m, struct symbols *s, const struct record_module *rec);

void code_map_release(struct code_map *c);
/* The locations alone. */
void code_map_forget_locations(struct code_map *c);

/* Returns the new module's index, or CODE_NO_MODULE when memory ran out or there are too many. */
size_t code_map_add_module(struct code_map *c, const struct code_module *m);

enum code_mapped {
	CODE_NO_MEMORY,
	CODE_TOO_MANY, /* CODE_MAX_MODULES, and this is another one */
	CODE_IS_MAPPED,
	CODE_AGAIN, /* it was mapped at the same place before */
	CODE_NEW,
};

/*
 * The module is mapped now, at *index. A file mapped repeatedly at one place stays one module,
 * which bounds their number.
 */
enum code_mapped code_map_map(struct code_map *c, const struct code_module *m, size_t *index);

/*
 * The module that held pc at `position`. If none did, the last one before, or the first after: the
 * order of records and counts is not exact to the access.
 */
size_t code_map_find_module(const struct code_map *c, uint64_t pc, uint64_t position);

/*
 * The id, which is the caller's to choose, of the location of pc at `position`; *module is the one
 * that it is in, or CODE_NO_MODULE. *is_new tells whether it was made just now and wants an id.
 * Returns NULL when memory ran out; the pointer is valid until the next call.
 */
uint32_t *code_map_locate(struct code_map *c, uint64_t pc, uint64_t position, size_t *module,
			  int *is_new);

/* All locations, in any order; there is room for c->location_count. */
void code_map_list(const struct code_map *c, struct code_location *list);

/* Prefetch the pc's entry of the table, before code_map_locate. */
void code_map_prefetch(const struct code_map *c, uint64_t pc);

#endif
