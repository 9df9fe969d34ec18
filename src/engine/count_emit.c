/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting and checking. A segment adds its four counts in one vector add
 * (flags untouched). A check compares the count with the thread's limit; every
 * cycle of control flow holds one, because every backward or indirect transfer
 * has one in its segment. It stands where the status flags are dead if there
 * is such a place.
 */
#include "engine/job.h"

/* Without AVX-512 the counters live in memory; rax is borrowed. */
static void count_in_memory(struct job *j, struct tally t)
{
	const uint16_t lane[4] = { t.accesses, t.loads, t.stores, t.instructions };

	emit_store_gs(&j->o, RAX, T_SPILL4);
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
	uint8_t *constant;

	if (!engine_vector_counter) {
		count_in_memory(j, t);
		return;
	}
	constant = cache_counts_constant(j->arena, t);
	if (!constant)
		j->failed = true;
	else
		emit_add_counts(&j->o, constant);
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

static bool transfers_backward(const struct insn *in)
{
	switch (in->kind) {
	case INSN_JCC:
	case INSN_JMP:
	case INSN_LOOP:
	case INSN_XBEGIN:
		return in->target <= in->pc;
	case INSN_JMP_IND:
		return true;
	default:
		return false;
	}
}

/*
 * Calls and the returns that match them only lead forward: contract each pair,
 * and what is left of a cycle has another transfer in it (or grows the stack
 * until that ends). A return to an address that code stored by itself (a
 * retpoline, push and ret) is a jump like any other.
 */
static bool return_may_jump(const struct job *j)
{
	int pushed = 0;

	for (uint32_t i = j->first; i + 1 < j->end; i++)
		for (uint32_t k = 0; k < j->in[i].mem_count; k++) {
			const struct mem_op *m = &j->in[i].mem[k];

			if (m->base != RSP || m->index != NOREG)
				continue;
			if (m->kind == ACCESS_LOAD)
				pushed--;
			else
				pushed++;
		}
	return pushed > 0;
}

/* The instruction of the segment to check in front of, or -1 when it needs no check. */
int job_check_position(const struct job *j)
{
	const struct insn *last = &j->in[j->end - 1];

	if (last->kind == INSN_RET ? !return_may_jump(j) : !transfers_backward(last))
		return -1;
	int second = (int)j->first;

	for (uint32_t i = j->end; i-- > j->first;) {
		enum flags_state state = job_flags_state(j, i);

		if (state == FLAGS_DEAD)
			return (int)i;
		if (state == FLAGS_DEAD_UNLESS_FAULT)
			second = (int)i;
	}
	return second;
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

/* A cold path that puts flags and rax right before the exit's stub. */
static uint8_t *restoring_stub(struct job *j, const uint8_t *stub)
{
	struct out o;

	j->arena->cold -= 24;
	o.p = j->arena->cold;
	job_restore_flags(&o);
	emit_jump(&o, stub);
	return j->arena->cold;
}

static void compare_limit(struct job *j, bool rax_free)
{
	if (engine_vector_counter) {
		emit_compare_limit_changes_flags(&j->o);
		return;
	}
	if (!rax_free)
		emit_store_gs(&j->o, RAX, T_SPILL4);
	emit_load_gs(&j->o, RAX, T_COUNTERS);
	emit_cmp_gs_changes_flags(&j->o, RAX, T_LIMIT);
	if (!rax_free)
		emit_load_gs(&j->o, RAX, T_SPILL4);
}

/* Leave before in[i] when the limit is reached. */
void job_check(struct job *j, uint32_t i)
{
	bool dead = job_flags_state(j, i) != FLAGS_LIVE;
	struct code_exit *e = cache_new_exit(j->arena, j->block, EXIT_CHECK, j->in[i].pc);
	const uint8_t *stub;

	if (!e) {
		j->failed = true;
		return;
	}
	e->after = i == j->first ? j->after[0] : j->after[i - j->first];
	stub = e->stub;
	if (!dead) {
		job_save_flags(j);
		/* The comparison without a vector counter needs rax: keep the flags on top. */
		if (!engine_vector_counter)
			emit_store_gs(&j->o, RAX, T_SPILL3);
		stub = restoring_stub(j, e->stub);
	}
	compare_limit(j, !dead);
	if (!dead && !engine_vector_counter)
		emit_load_gs(&j->o, RAX, T_SPILL3);
	emit_bytes(&j->o, (const uint8_t[]){ 0x0f, 0x83 }, 2); /* jae */
	emit_u32(&j->o, (uint32_t)(stub - (j->o.p + 4)));
	if (!dead)
		job_restore_flags(&j->o);
	e->resume = j->o.p;
}
