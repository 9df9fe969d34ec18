/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads' buffers of stream entries; see buffers.h. */
#include "engine/drive/buffers.h"

#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/codecache/pages.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/data/block_log.h"
#include "engine/drive/collect.h"

/*
 * Room beyond the expected need of a window's rest: this part of it, and at least this many
 * entries.
 */
#define ROOM_PART  16u
#define ROOM_LEAST 256u

/* Used inside windows: 256 KB are still in most L2 caches when they are scanned. */
#define WINDOW_ENTRIES 32768u
#define BUFFER_BYTES   (BUFFER_ENTRIES * 8 + PAGE)
#define CROWD	       64u /* threads; with more, buffers are shared */
#define MOST_UNUSED    64u

/* The free list, linked by the first word of a buffer. */
static uint64_t *unused_buffers;
static uint32_t unused_count; /* of buffers; more than MOST_UNUSED are unmapped */

bool buffers_are_shared(const struct thread *t)
{
	return __atomic_load_n(&t->process->listed, __ATOMIC_RELAXED) > CROWD;
}

uint64_t *buffers_get(void)
{
	uint64_t *b = unused_buffers;

	if (b) {
		unused_buffers = (uint64_t *)(uintptr_t)b[0];
		unused_count--;
		return b;
	}
	b = pages_get(BUFFER_BYTES);
	/* the scan may read beyond the end, but segments cannot write */
	if (b && sys3(SYS_mprotect, b + BUFFER_ENTRIES, PAGE, PROT_READ) != 0) {
		pages_put(b, BUFFER_BYTES);
		return 0;
	}
	return b;
}

static void put_buffer(struct thread *t)
{
	if (!t->buf_memory)
		return;
	if (unused_count >= MOST_UNUSED) {
		pages_put(t->buf_memory, BUFFER_BYTES);
	} else {
		t->buf_memory[0] = (uint64_t)(uintptr_t)unused_buffers;
		unused_buffers = t->buf_memory;
		unused_count++;
	}
	t->buf_memory = t->buf_start = t->buf = t->buf_end = 0;
}

static bool need(struct thread *t)
{
	if (!t->buf_memory) {
		t->buf_memory = buffers_get();
		if (!t->buf_memory)
			return false;
		t->buf = t->buf_start = t->buf_memory;
		t->buf_end = t->buf_memory + BUFFER_ENTRIES;
	}
	return !run_mode->need || run_mode->need(t);
}

bool buffers_need(struct thread *t)
{
	bool has;

	collect_lock();
	has = need(t);
	collect_unlock();
	return has;
}

void buffers_park(struct thread *t)
{
	if (!t->buf_memory || !buffers_are_shared(t))
		return;
	collect_lock();
	put_buffer(t);
	collect_unlock();
}

void buffers_do_without(struct thread *t)
{
	static bool told;

	if (!buffers_are_shared(t) || !run_mode->leaves_out)
		return records_give_up(t->process);
	if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		records_message(t->process,
				"more threads ran in a window than there was memory for: "
				"some were left out");
	t->unsampled = t->tick_due = true;
}

uint64_t *buffers_swap(struct thread *t, uint64_t *memory)
{
	uint64_t *old = t->buf_memory;

	t->buf_memory = t->buf_start = t->buf = memory;
	t->buf_end = memory + BUFFER_ENTRIES;
	return old;
}

void buffers_release(struct thread *t)
{
	put_buffer(t);
}

void buffers_forked(void)
{
	unused_buffers = 0;
	unused_count = 0;
}

void buffers_empty(struct thread *t, uint64_t left)
{
	uint64_t room = run_mode->has_windows ? WINDOW_ENTRIES : BUFFER_ENTRIES, needed = room;

	if (!t->buf_memory) /* the buffer was returned */
		return;
	if (left && left < room) {
		needed = left * t->entries_of_1024 / 1024;
		needed = round_up(needed + needed / ROOM_PART + ROOM_LEAST, ROOM_LEAST);
	}
	room = needed < room ? needed : room;
	t->buf_start = room < BUFFER_ENTRIES ? t->buf_end - room : t->buf_memory;
	t->buf = t->buf_start;
	t->special = 0;
	if (t->block_log)
		t->block_log->count = 0;
}

void buffers_look_at_room(struct thread *t, uint64_t n)
{
	uint64_t used = (uint64_t)(t->buf - t->buf_start);

	if (n >= ROOM_LEAST)
		t->entries_of_1024 = used * 1024 / n;
}

bool buffers_is_full(const struct thread *t, uint64_t address)
{
	return t->buf_end && address - (uint64_t)(uintptr_t)t->buf_end < PAGE;
}
