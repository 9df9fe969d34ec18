/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout of the tables with lists: the position of each number of an item, such as a sample, a
 * follow, or a location.
 */
#ifndef DWELL_STORE_LISTS_H
#define DWELL_STORE_LISTS_H

#include <assert.h>

#include "store/numbers.h"
#include "store/private.h"

/*
 * The numbers of an access, in the order of the views. The address is relative to a base among the
 * item's other numbers; the block is relative to the address: see schema.sql.
 */
enum {
	ACCESS_LOCATION,
	ACCESS_ADDRESS,
	ACCESS_SIZE,
	ACCESS_KIND,
	ACCESS_THREAD,
	ACCESS_SITE,
	ACCESS_BLOCK,
	ACCESS_PATH,
	ACCESS_NUMBERS,
};

void access_to_numbers(const struct store_access *a, uint64_t base,
		       int64_t numbers[ACCESS_NUMBERS]);
struct store_access access_from_numbers(const int64_t numbers[ACCESS_NUMBERS], uint64_t base);

/* The numbers of a sample, in the order of the view; without a reuse they end before SAMPLE_END. */
enum {
	SAMPLE_STATUS,
	SAMPLE_POSITION,
	SAMPLE_DISTANCE,
	SAMPLE_LINE,
	SAMPLE_BEGIN,
	SAMPLE_END = SAMPLE_BEGIN + ACCESS_NUMBERS,
	SAMPLE_NUMBERS = SAMPLE_END + ACCESS_NUMBERS,
};

/* Those of a follow; if its line was not touched, they end before FOLLOW_END. */
enum {
	FOLLOW_WINDOW,
	FOLLOW_POSITION,
	FOLLOW_THREAD,
	FOLLOW_STATUS,
	FOLLOW_WATCHED,
	FOLLOW_END_POSITION,
	FOLLOW_END,
	FOLLOW_NUMBERS = FOLLOW_END + ACCESS_NUMBERS,
};

enum {
	ARRIVAL_WINDOW,
	ARRIVAL_WEIGHT,
	ARRIVAL_POSITION,
	ARRIVAL_END,
	ARRIVAL_NUMBERS = ARRIVAL_END + ACCESS_NUMBERS,
};

/* Those of a sample with stack distances: for each line size the distance, or -1, and the lines. */
enum {
	STACK_WINDOW,
	STACK_POSITION,
	STACK_OF,
	STACK_NUMBERS = STACK_OF + 2 * STORE_STACK_SIZES,
};

/* Those of a multi-size sample; the numbers of its events follow. */
enum {
	NESTED_WINDOW,
	NESTED_FOLLOWED,
	NESTED_STATUS,
	NESTED_POSITION,
	NESTED_POINT,
	NESTED_WATCHED,
	NESTED_OPEN,
	NESTED_WEIGHT,
	NESTED_BEGIN,
	NESTED_EVENTS = NESTED_BEGIN + ACCESS_NUMBERS,
};
enum {
	EVENT_SIZES,
	EVENT_WEIGHT,
	EVENT_DISTANCE,
	EVENT_END,
	EVENT_NUMBERS = EVENT_END + ACCESS_NUMBERS,
};

static_assert(NESTED_EVENTS + STORE_MAX_EVENTS * EVENT_NUMBERS <= NUMBERS_MAX,
	      "such a sample is one inner array");

/* Those of a location; without a module they end before LOCATION_MODULE. */
enum {
	LOCATION_PROCESS,
	LOCATION_PC,
	LOCATION_MODULE,
	LOCATION_ADDRESS,
	LOCATION_NUMBERS,
};

/* Those of a call path: its process, then the locations of the calls. */
enum {
	PATH_PROCESS,
	PATH_LOCATIONS,
	PATH_NUMBERS = PATH_LOCATIONS + STORE_MAX_PATH,
};

/* Those of an event profile, see events.h; costs and arcs end with the values of their events. */
enum {
	NODE_PROCESS,
	NODE_THREAD,
	NODE_PLACE,
	NODE_OBJECT,
	NODE_CALLER,
	NODE_NUMBERS,
};
enum {
	COST_NODE,
	COST_LOCATION,
	COST_VALUES,
};
enum {
	ARC_CALLER,
	ARC_LOCATION,
	ARC_CALLEE,
	ARC_KIND,
	ARC_CALLS,
	ARC_VALUES,
};
enum {
	JUMP_NODE,
	JUMP_FROM,
	JUMP_TO,
	JUMP_CONDITIONAL,
	JUMP_EXECUTED,
	JUMP_TAKEN,
	JUMP_NUMBERS,
};

/*
 * Add an item with this id to the batch. If the id is not the next one, the batch is written first.
 */
int lists_add(struct store *s, enum store_statement which, struct store_batch *b, int64_t id,
	      const int64_t *numbers, size_t count, struct err *err);

/* The id of the place, written if new. */
int lists_find_place(struct store *s, const struct store_frame *f, int64_t *id, struct err *err);

/* Write all batches. */
int lists_flush(struct store *s, struct err *err);

/* An item while a list is read. */
struct list_item {
	int64_t keys[2]; /* from the query, common to all items of the row */
	int64_t index;	 /* in the row */
	struct numbers numbers;
};

typedef int list_function(void *context, const struct list_item *item, struct err *err);

/*
 * Call `take` for each item of all lists in the query's result, until it returns -1. The query's
 * columns are the list and up to two keys; its parameter 1, if any, is `process`.
 */
int lists_read(struct store *s, const char *sql, int64_t process, list_function *take,
	       void *context, struct err *err);

/* A row of the table place. */
struct place {
	int64_t id;
	struct store_frame frame;
};

/* All places, sorted by id; the caller frees the array. */
int places_read(struct store *s, struct place **items, size_t *count, struct err *err);
const struct store_frame *places_find(const struct place *items, size_t count, int64_t id);

/* Set the counts of follows in each process; `processes` is sorted by id. */
int lists_count_follows(struct store *s, struct store_process *processes, size_t count,
			struct err *err);

#endif
