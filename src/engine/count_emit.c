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

/*
 * Are the status flags dead before in[i], as far as the segment itself tells?
 * FLAGS_DEAD_UNLESS_FAULT: an instruction may fault before all are overwritten,
 * and a handler would see them; its return runs the instruction again, which
 * overwrites them.
 */
enum flags_state job_flags_state(const struct job *j, uint32_t i)
{
	enum flags_state dead = FLAGS_DEAD;
	uint8_t live = STATUS_ALL;

	for (; i < j->end; i++) {
		const struct insn *in = &j->in[i];

		if (in->flags_read & live || in->kind == INSN_TRAP || in->kind == INSN_REP)
			return FLAGS_LIVE;
		if (in->mem_count)
			dead = FLAGS_DEAD_UNLESS_FAULT;
		live &= (uint8_t)~in->flags_killed;
		if (!live)
			return dead;
	}
	return FLAGS_LIVE;
}

void job_save_flags(struct job *j)
{
	emit_store_gs(&j->o, RAX, T_SPILL4);
	emit_bytes(&j->o, (const uint8_t[]){ 0x9f, 0x0f, 0x90, 0xc0 }, 4); /* lahf; seto al */
}

void job_restore_flags(struct out *o)
{
	emit_bytes(o, (const uint8_t[]){ 0x04, 0x7f, 0x9e }, 3); /* add al, 0x7f; sahf */
	emit_load_gs(o, RAX, T_SPILL4);
}
