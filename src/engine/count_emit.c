/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting: a segment adds its four counts in one vector add, flags untouched.
 * Reading the tally is also what lets others stop the thread, see poll.h.
 */
#include "engine/job.h"
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

void job_count_segment(struct job *j)
{
	struct tally t = j->after[0];
	uint32_t tally = poll_tally(t);

	if (!tally)
		j->failed = true;
	else if (engine_vector_counter)
		emit_add_counts(&j->o, tally);
	else
		count_in_memory(j, t, tally);
}
