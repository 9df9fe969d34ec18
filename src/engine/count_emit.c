/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting: a segment adds its four counts in one vector add, flags untouched, and in the stream
 * gear the room of its entries (lanes.h).
 * Reading the tally is also what lets others stop the thread, see poll.h.
 */
#include "engine/job.h"
#include "engine/lanes.h"
#include "engine/poll.h"

/* Without AVX-512 the counters live in memory; rax is borrowed. */
static void count_in_memory(struct job *j, struct tally t, uint32_t tally)
{
	const uint16_t lane[4] = { t.accesses, t.loads, t.stores, t.instructions };

	emit_store_gs(&j->o, RAX, T_SPILL4);
	emit_load_gs(&j->o, RAX, tally); /* stops a thread that was called */
	for (uint32_t i = 0; i < 4; i++) {
		if (!lane[i])
			continue;
		emit_load_gs(&j->o, RAX, T_COUNTERS + 8 * i);
		emit_lea(&j->o, RAX, RAX, lane[i]);
		emit_store_gs(&j->o, RAX, T_COUNTERS + 8 * i);
	}
	emit_load_gs(&j->o, RAX, T_SPILL4);
}

/* What the lanes of the counter register get, see lanes.h. */
static uint32_t tally_for(const struct job *j, struct tally t)
{
	uint64_t modifies = t.accesses - t.loads - t.stores;
	uint64_t plain[4] = { t.accesses + j->owed.accesses - (uint64_t)j->left.accesses,
			      t.loads + j->owed.loads - (uint64_t)j->left.loads,
			      t.stores + j->owed.stores - (uint64_t)j->left.stores,
			      t.instructions + j->owed.instructions - (uint64_t)j->left.instructions };
	uint64_t placed[4] = { j->desc ? 8 * (j->entries + 1) : 0, t.accesses,
			       t.loads | (uint64_t)t.stores << 32, t.instructions };
	uint64_t timed[4] = { 2, 2, plain[1] | plain[2] << 32,
			      plain[3] | modifies << LANES_MODIFIES };

	if (j->gear == GEAR_FILTER)
		return poll_tally(timed);
	return poll_tally(lanes_hold_place(j->gear) ? placed : plain);
}

void job_count_segment(struct job *j)
{
	struct tally t = j->after[0];
	uint32_t tally;

	job_owe_segment(j);
	if (!j->adds)
		return;
	tally = tally_for(j, t);

	if (!tally)
		j->failed = true;
	else if (engine_vector_counter)
		emit_add_counts(&j->o, tally);
	else
		count_in_memory(j, t, tally);
}

void job_count_difference(struct job *j, struct owed here, struct owed there)
{
	if (!poll_emit_difference(&j->o, here, there))
		j->failed = true;
}
