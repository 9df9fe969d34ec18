/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses that wait while blocks change; see waiting.h. */
#include "engine/data/waiting.h"

#include "engine/core/upward.h"

struct block_log *waiting_log(const struct thread *t)
{
	return t->variant == VARIANT_STREAM ? t->block_log : 0;
}

bool waiting_has_misses(const struct thread *t)
{
	return t->variant == VARIANT_FILTER && engine_counts_data();
}

void waiting_look(const struct thread *t, uint64_t start, uint64_t end)
{
	if (waiting_has_misses(t))
		upward.look_at_misses(start, end, false);
}

void waiting_look_before_call(const struct thread *t, uint64_t start, uint64_t end)
{
	if (waiting_has_misses(t))
		upward.look_at_misses(start, end, true);
}

bool waiting_settle(struct thread *t, uint32_t changes)
{
	const struct block_log *l = waiting_log(t);

	if (t->variant != VARIANT_STREAM || (l && block_log_has_room(l, changes)))
		return false;
	upward.look_at_accesses(t);
	return true;
}

static void note(const struct thread *t, const struct block_info *b, uint64_t at, bool came)
{
	struct block_log *l = waiting_log(t);

	if (l && block_log_has_room(l, 1))
		block_log_add(l, at, b, came);
}

void waiting_note_gone(const struct thread *t, const struct block_info *b)
{
	note(t, b, thread_accesses(t), false);
}

void waiting_note_come(const struct thread *t, const struct block_info *b, uint64_t at)
{
	note(t, b, at, true);
}

void waiting_call_begins(struct thread *t, struct alloc_call *c)
{
	c->began = thread_accesses(t);
	if (waiting_has_misses(t))
		upward.allocation_begins();
}

void waiting_call_returns(const struct thread *t, uint64_t start, uint64_t bytes)
{
	if (waiting_has_misses(t))
		upward.allocation_returns(start, bytes);
}
