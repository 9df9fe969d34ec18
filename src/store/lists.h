/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout of the tables with lists: the position of each number of an item, such as a sample or
 * a location.
 */
#ifndef DWELL_STORE_LISTS_H
#define DWELL_STORE_LISTS_H

#include <assert.h>

#include "store/numbers.h"
#include "store/private.h"

/*
 * The numbers of an access: see sample_batch in schema.sql. All are 0 for no access, whose location
 * is STORE_NONE.
 */
enum {
	ACCESS_ID, /* of its kind, in access_batch */
	ACCESS_ADDRESS,
	ACCESS_BLOCK,
	ACCESS_NUMBERS,
};

/* Those of a kind of access: location, size, kind, thread, site, path, an address, image. */
#define ACCESS_KIND_NUMBERS 8

/*
 * The address and the block are relative to those of `first`, the item's first access; for this
 * itself (`first` is NULL) to its kind's. Writes the kind, if it is new. A failure is noted in the
 * store.
 */
void access_to_numbers(struct store *s, const struct store_access *a,
		       const struct store_access *first, int64_t numbers[ACCESS_NUMBERS]);

/* Read all kinds of accesses, once; then access_from_numbers returns false for one of no kind. */
int accesses_read(struct store *s, struct err *err);
bool access_from_numbers(const struct store *s, const int64_t numbers[ACCESS_NUMBERS],
			 const struct store_access *first, struct store_access *a);

/* The touches between two of a line, a byte for each class: not negative. */
void touches_from_number(int64_t number, uint8_t touches[STORE_TOUCH_CLASSES]);

/*
 * The numbers of a sample; without a reuse they end before SAMPLE_END, without touches in between
 * before SAMPLE_TOUCHES.
 */
enum {
	SAMPLE_WINDOW,
	SAMPLE_STATUS,
	SAMPLE_POSITION,
	SAMPLE_DISTANCE,
	SAMPLE_BEGIN,
	SAMPLE_PLACE = SAMPLE_BEGIN + ACCESS_NUMBERS, /* in the line */
	SAMPLE_END,
	SAMPLE_TOUCHES = SAMPLE_END + ACCESS_NUMBERS,
	SAMPLE_NUMBERS,
};

/*
 * Those of a far reuse; for each size from the smallest to the largest at which it is far, three
 * more follow.
 */
enum {
	FAR_WINDOW,
	FAR_POSITION,
	FAR_BASE, /* the longest distance */
	FAR_END,
	FAR_BEGIN = FAR_END + ACCESS_NUMBERS,
	FAR_SMALLEST = FAR_BEGIN + ACCESS_NUMBERS,
	FAR_OF,
};
enum {
	FAR_WEIGHT, /* its number in the row's weights, from 1; 0: not far */
	FAR_NEARER, /* base + 1 - distance; 0: a first touch */
	FAR_LINES,
	FAR_NUMBERS,
};

static_assert(FAR_OF + STORE_FAR_SIZES * FAR_NUMBERS <= NUMBERS_MAX, "it is one inner array");

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
	NESTED_STATUS,
	NESTED_POSITION,
	NESTED_WATCHED,
	NESTED_OPEN,
	NESTED_WEIGHT,
	NESTED_BEGIN,
	NESTED_POINT = NESTED_BEGIN + ACCESS_NUMBERS,
	NESTED_EVENTS,
};
enum {
	EVENT_SIZES,
	EVENT_WEIGHT,
	EVENT_DISTANCE,
	EVENT_END,
	EVENT_TOUCHES = EVENT_END + ACCESS_NUMBERS,
	EVENT_NUMBERS,
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

#define LIST_KEYS 3

/* An item while a list is read. */
struct list_item {
	/* From the query, common to all items of the row. */
	int64_t keys[LIST_KEYS];
	const char *text;
	int64_t index; /* in the row */
	struct numbers numbers;
};

typedef int list_function(void *context, const struct list_item *item, struct err *err);

/*
 * Call `take` for each item of all lists in the query's result, until it returns -1. The query's
 * columns are the list, up to LIST_KEYS keys, and a text, if it has all of these; its parameter 1,
 * if any, is `process`.
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

#endif
