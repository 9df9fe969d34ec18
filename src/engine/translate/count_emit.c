/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting: a segment adds its four counts in one vector add (two in the filter variant without
 * AVX-512), which changes no flag. In the stream variant with AVX-512 this also reserves its
 * entries (lanes.h). Reading the tally also lets others stop the thread, see poll.h.
 */
#include "engine/codecache/poll.h"
#include "engine/core/lanes.h"
#include "engine/translate/job.h"

/* The addends of the counter register's lanes, see lanes.h. */
static uint32_t tally_for(const struct job *j, struct tally t)
{
	uint64_t modifies = t.accesses - t.loads - t.stores;
	uint64_t plain[4] = {t.accesses + j->deferred.accesses - (uint64_t)j->left.accesses,
			     t.loads + j->deferred.loads - (uint64_t)j->left.loads,
			     t.stores + j->deferred.stores - (uint64_t)j->left.stores,
			     t.instructions + j->deferred.instructions -
				     (uint64_t)j->left.instructions};
	uint64_t placed[4] = {j->desc ? 8 * (j->entries + 1) : 0, t.accesses,
			      t.loads | (uint64_t)t.stores << 32, t.instructions};
	uint64_t timed[4] = {2, 2, plain[1] | plain[2] << 32,
			     plain[3] | modifies << LANES_MODIFIES};

	if (j->variant->is_timed)
		return poll_tally(timed);
	if (engine_vector_counter != COUNTER_YMM31)
		lanes_pack(plain);
	return poll_tally(lanes_hold_place(j->variant_id) ? placed : plain);
}

void job_count_segment(struct job *j)
{
	struct tally t = j->after[0];
	uint32_t tally;

	job_defer_segment(j);
	if (!j->adds)
		return;
	tally = tally_for(j, t);

	if (!tally)
		j->failed = true;
	else if (engine_vector_counter == COUNTER_YMM31)
		emit_add_counts(&j->o, tally);
	else if (engine_vector_counter == COUNTER_XMM15)
		emit_add_packed(&j->o, tally);
	else
		emit_add_sse(&j->o, tally);
	/* the second addition must not fault: the first one would be done again */
	if (tally && j->variant->is_timed && engine_vector_counter == COUNTER_SSE)
		emit_add_sse_at(&j->o, 14, poll_address(tally) + 16);
}

void job_count_difference(struct job *j, struct deferred here, struct deferred there)
{
	if (!poll_emit_difference(&j->o, here, there))
		j->failed = true;
}

/* ---- Code of the target that uses the counter register ---- */

bool job_touches_counter(const struct insn *in)
{
	return engine_vector_counter == COUNTER_YMM31	? in->touches_31
	       : engine_vector_counter == COUNTER_XMM15 ? in->touches_15
							: in->touches_13;
}

/*
 * Few programs use register 31. Loops that use all sixteen registers use xmm15 here and there: they
 * have it from a segment's first instruction that uses it to the last.
 */
bool job_wants_counter(const struct job *j, uint32_t i)
{
	if (j->variant->is_timed)
		return false;
	if (engine_vector_counter == COUNTER_YMM31)
		return job_touches_counter(&j->in[i]);
	while (i < j->end && !job_touches_counter(&j->in[i]))
		i++;
	return i < j->end;
}

/*
 * Unused upper halves stay unused: the full register is loaded only for code that names ymm15; or,
 * with flags and rax saved, if the upper half is not 0.
 */
#define LOAD_15_BYTES 10u

static void load_state_15(struct out *o)
{
	emit_store_gs(o, RAX, T_SPILL4);
	emit_bytes(o, (const uint8_t[]){0x9f, 0x0f, 0x90, 0xc0}, 4); /* lahf; seto al */
	emit_jump_unless_0(o, T_APP31 + 16, 12 + LOAD_15_BYTES + 2);
	emit_jump_unless_0(o, T_APP31 + 24, LOAD_15_BYTES + 2);
	emit_load_15(o, false, T_APP31);
	emit_bytes(o, (const uint8_t[]){0xeb, LOAD_15_BYTES}, 2);
	emit_load_15(o, true, T_APP31);
	emit_bytes(o, (const uint8_t[]){0x04, 0x7f, 0x9e}, 3); /* add al, 0x7f; sahf */
	emit_load_gs(o, RAX, T_SPILL4);
}

static void give_15(struct job *j, uint32_t i)
{
	bool full = false, state = false;

	for (uint32_t k = i; k < j->end; k++) {
		full |= j->in[k].full_15;
		state |= j->in[k].state_15;
	}
	j->gave_half = !full;
	emit_store_imm32_gs(&j->o, T_USED31, 1);
	emit_store_15(&j->o, false, T_COUNTERS);
	if (state)
		load_state_15(&j->o);
	else
		emit_load_15(&j->o, full, T_APP31);
}

static void take_15(struct job *j)
{
	emit_store_15(&j->o, !j->gave_half, T_APP31);
	emit_load_15(&j->o, false, T_COUNTERS);
}

/* xmm13 to 15: a handler of faults expects that they are the target's together. */
static void give_sse(struct out *o)
{
	emit_store_imm32_gs(o, T_USED31, 1);
	emit_store_sse(o, 15, T_COUNTERS);
	emit_store_sse(o, 14, T_COUNTERS + 16);
	emit_load_sse(o, 15, T_APP31);
	emit_load_sse(o, 14, T_APP31 + 16);
	emit_load_sse(o, 13, T_APP31 + 32);
}

static void take_sse(struct out *o)
{
	emit_store_sse(o, 15, T_APP31);
	emit_store_sse(o, 14, T_APP31 + 16);
	emit_store_sse(o, 13, T_APP31 + 32);
	emit_load_sse(o, 15, T_COUNTERS);
	emit_load_sse(o, 14, T_COUNTERS + 16);
}

void job_give_counter(struct job *j, uint32_t i)
{
	if (j->is_given || !job_touches_counter(&j->in[i]))
		return;
	if (engine_vector_counter == COUNTER_YMM31)
		emit_give_31(&j->o);
	else if (engine_vector_counter == COUNTER_XMM15)
		give_15(j, i);
	else
		give_sse(&j->o);
	j->is_given = true;
}

void job_take_counter(struct job *j)
{
	if (!j->is_given)
		return;
	if (engine_vector_counter == COUNTER_YMM31)
		emit_take_31(&j->o);
	else if (engine_vector_counter == COUNTER_XMM15)
		take_15(j);
	else
		take_sse(&j->o);
	j->is_given = false;
}

void job_follow_counter(struct job *j, uint32_t i)
{
	const struct insn *in = &j->in[i];

	if (engine_vector_counter != COUNTER_XMM15 ||
	    !(in->clears_upper || (in->clears_15 && j->is_given && j->gave_half)))
		return;
	emit_clear_gs(&j->o, T_APP31 + 16);
	emit_clear_gs(&j->o, T_APP31 + 24);
}
