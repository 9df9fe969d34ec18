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
		upward.look_at_misses(start, end);
}

bool waiting_settle(struct thread *t, uint32_t changes)
{
	const struct block_log *l = waiting_log(t);

	if (t->variant != VARIANT_STREAM || (l && block_log_has_room(l, changes)))
		return false;
	upward.look_at_accesses(t);
	return true;
}

void waiting_note(const struct thread *t, const struct block_info *b, bool came)
{
	struct block_log *l = waiting_log(t);

	if (l && block_log_has_room(l, 1))
		block_log_add(l, thread_accesses(t), b, came);
}
