/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads' buffers of stream entries; see buffers.h. */
#include "engine/buffers.h"

#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/call_stack.h"
#include "engine/nested.h"
#include "engine/pages.h"
#include "engine/stack_distance.h"
#include "engine/util.h"
#include "engine/watches.h"

/* What a window's rest will probably need: this part of it is left on top, and so much at least. */
#define ROOM_PART  16u
#define ROOM_LEAST 256u

static bool need_watches(struct thread *t, uint32_t line_shift)
{
	struct watch_set *w = pages_get(round_up(sizeof *w, PAGE));

	if (!w)
		return false;
	if (engine.config.nested_one_in)
		w->nested = pages_get(round_up(sizeof *w->nested, PAGE));
	w->stack = pages_get(round_up(sizeof *w->stack, PAGE));
	if (engine.config.paths)
		w->calls = pages_get(round_up(sizeof *w->calls, PAGE));
	if ((engine.config.nested_one_in && !w->nested) || !w->stack ||
	    (engine.config.paths && !w->calls))
		return false; /* profiling ends: what was had is not worth giving back */
	watches_clear(w, line_shift);
	t->watches = w;
	return true;
}

bool buffers_need(struct thread *t, bool has_windows, uint32_t line_shift)
{
	if (!t->buf_memory) {
		t->buf_memory = pages_get(BUFFER_ENTRIES * 8 + PAGE);
		if (!t->buf_memory)
			return false;
		t->buf_start = t->buf_memory;
		t->buf_end = t->buf_memory + BUFFER_ENTRIES;
		/* The scan may read on there, but segments cannot write. */
		sys3(SYS_mprotect, t->buf_end, PAGE, PROT_READ);
	}
	return t->watches || !has_windows || need_watches(t, line_shift);
}

void buffers_empty(struct thread *t, uint64_t left)
{
	uint64_t room = BUFFER_ENTRIES;

	if (left && left < BUFFER_ENTRIES) {
		room = left * t->entries_of_1024 / 1024;
		room = round_up(room + room / ROOM_PART + ROOM_LEAST, ROOM_LEAST);
	}
	t->buf_start = room < BUFFER_ENTRIES ? t->buf_end - room : t->buf_memory;
	t->buf = t->buf_start;
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
