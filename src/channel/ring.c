/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The byte ring of a process slot; see ring.h for the rules. */
#include "channel/ring.h"

void ring_of_slot(struct ring *r, void *channel, uint64_t slot_bytes, uint64_t ring_bytes,
		  uint32_t index)
{
	uint8_t *base = (uint8_t *)channel + CHANNEL_HEADER_BYTES + (uint64_t)index * slot_bytes;

	r->slot = (struct channel_slot *)(void *)base;
	r->data = base + CHANNEL_SLOT_HEADER_BYTES;
	r->bytes = ring_bytes;
}

uint64_t ring_used(const struct ring *r)
{
	return __atomic_load_n(&r->slot->write_pos, __ATOMIC_ACQUIRE) -
	       __atomic_load_n(&r->slot->read_pos, __ATOMIC_ACQUIRE);
}

void *ring_reserve(struct ring *r, uint32_t bytes)
{
	uint64_t write = __atomic_load_n(&r->slot->write_pos, __ATOMIC_RELAXED);
	uint64_t used = write - __atomic_load_n(&r->slot->read_pos, __ATOMIC_ACQUIRE);
	uint64_t at = write & (r->bytes - 1);
	uint64_t to_end = r->bytes - at;

	if (used > r->bytes)
		return 0; /* the reader's position is invalid: treat as full */
	if (bytes <= to_end)
		return r->bytes - used >= bytes ? r->data + at : 0;
	if (r->bytes - used < to_end + bytes)
		return 0;
	struct record_header *pad = (struct record_header *)(void *)(r->data + at);

	pad->type = RECORD_PAD;
	pad->bytes = (uint32_t)to_end;
	__atomic_store_n(&r->slot->write_pos, write + to_end, __ATOMIC_RELEASE);
	return r->data;
}

void ring_commit(struct ring *r, uint32_t bytes)
{
	uint64_t write = __atomic_load_n(&r->slot->write_pos, __ATOMIC_RELAXED);

	__atomic_store_n(&r->slot->write_pos, write + bytes, __ATOMIC_RELEASE);
}

int64_t ring_peek(struct ring *r, void *buf, uint32_t room)
{
	for (;;) {
		uint64_t read = __atomic_load_n(&r->slot->read_pos, __ATOMIC_RELAXED);
		uint64_t used = __atomic_load_n(&r->slot->write_pos, __ATOMIC_ACQUIRE) - read;
		uint64_t at = read & (r->bytes - 1);

		if (used == 0)
			return 0;
		if (used > r->bytes || used < sizeof(struct record_header) || (at & 7))
			return -1;
		const volatile struct record_header *h =
			(const volatile struct record_header *)(void *)(r->data + at);
		uint32_t type = h->type, bytes = h->bytes;

		if (bytes < sizeof *h || (bytes & 7) || bytes > used || bytes > r->bytes - at)
			return -1;
		if (type == RECORD_PAD) {
			ring_consume(r, bytes);
			continue;
		}
		if (bytes > room)
			return -1;
		__builtin_memcpy(buf, r->data + at, bytes);
		/*
		 * The ring's header may have changed since the check: restore the checked values.
		 */
		((struct record_header *)buf)->type = type;
		((struct record_header *)buf)->bytes = bytes;
		return bytes;
	}
}

void ring_consume(struct ring *r, uint64_t bytes)
{
	uint64_t read = __atomic_load_n(&r->slot->read_pos, __ATOMIC_RELAXED);

	__atomic_store_n(&r->slot->read_pos, read + bytes, __ATOMIC_RELEASE);
}
