/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines that one thread watches: a small hash of lines behind a filter of
 * one bit per slot, which tells at once that most accesses touch none of them.
 */
#ifndef DWELL_ENGINE_WATCHES_H
#define DWELL_ENGINE_WATCHES_H

#include "engine/state.h"

#define MAX_WATCHES 2048u
#define WATCH_SLOTS 16384u
#define WATCH_CHAINS (WATCH_SLOTS / 16)

struct watch {
	struct record_access begin;
	uint64_t line;
	uint64_t begin_at;   /* thread accesses */
	uint64_t process_at; /* process accesses */
	uint16_t next;	     /* in its hash chain, + 1 */
	uint16_t slot;
};

struct watch_set {
	uint32_t window;      /* that its samples belong to */
	uint32_t count;
	uint64_t next_sample; /* thread access to sample next */
	uint16_t free;	      /* list of unused watches, + 1 */
	uint16_t used;
	uint64_t bits[WATCH_SLOTS / 64]; /* slots with a watch: 2 KB that stay in the first cache */
	uint8_t filter[WATCH_SLOTS];	 /* watches per slot of the line's hash */
	uint16_t chain[WATCH_CHAINS];
	struct watch watch[MAX_WATCHES];
};

static inline uint32_t watch_slot(uint64_t line)
{
	return (uint32_t)line & (WATCH_SLOTS - 1);
}

/* Might the line be watched? Mostly not, and then this is all it costs. */
static inline uint64_t watch_maybe(const struct watch_set *ws, uint64_t line)
{
	uint32_t slot = watch_slot(line);

	return ws->bits[slot / 64] >> (slot & 63) & 1;
}

/* Watch nothing; samples from now on belong to `window`. */
void watches_clear(struct watch_set *ws, uint32_t window);
/* Watch a line that is not watched; NULL when there are too many. The caller fills in the rest. */
struct watch *watch_add(struct watch_set *ws, uint64_t line);
/* Unlink and return the watch of a line, or NULL. It stays readable until the next add. */
struct watch *watch_take(struct watch_set *ws, uint64_t line);

#endif
