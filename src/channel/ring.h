/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The byte ring of a process slot, for one writer at a time (the engine has its own lock) and one
 * reader. Records never wrap: a RECORD_PAD fills the end. Freestanding; no allocation, no system
 * call.
 */
#ifndef DWELL_CHANNEL_RING_H
#define DWELL_CHANNEL_RING_H

#include "channel/channel.h"

struct ring {
	struct channel_slot *slot;
	uint8_t *data;
	uint64_t bytes; /* a power of two; each side's own copy, never re-read from shared memory */
};

/* The ring of slot `index` in a mapped channel, whose sizes the caller has checked. */
void ring_of_slot(struct ring *r, void *channel, uint64_t slot_bytes, uint64_t ring_bytes,
		  uint32_t index);

/*
 * Writer: reserve room for a record of `bytes` (a multiple of 8, at most a quarter of the ring).
 * Returns its address, or NULL if the ring is full. The reader sees the record after ring_commit(r,
 * bytes).
 */
void *ring_reserve(struct ring *r, uint32_t bytes);
void ring_commit(struct ring *r, uint32_t bytes);

/* Number of bytes written and not yet read. */
uint64_t ring_used(const struct ring *r);

/*
 * Reader: copy the next whole record into `buf` of `room` bytes, so that the writer cannot change
 * it meanwhile. Returns its size; 0 if there is none; or -1 if the ring has no valid record (the
 * caller then abandons the ring). The record stays until ring_consume(r, size).
 */
int64_t ring_peek(struct ring *r, void *buf, uint32_t room);
void ring_consume(struct ring *r, uint64_t bytes);

#endif
