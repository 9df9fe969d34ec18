/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which segments add to the counters. A segment that ends in a branch forward or in nothing leaves
 * what it has to be counted to those behind it, see owed.h. All others add what is owed so far:
 * where the thread goes on is owed nothing, or what others owe there already. Those with a branch
 * back add in any case, because adding is also what stops a thread, see poll.h: no way round is
 * without one of them.
 *
 * A call is a segment of its own, because of each there is to be one copy only (begin_segment); it
 * is counted by the segment before it.
 */
#include "engine/codecache/code_options.h"
#include "engine/codecache/poll.h"
#include "engine/translate/job.h"

static const struct owed nothing;

static bool add_up(struct owed *sum, struct owed a, struct tally t)
{
	const int lane[4] = {a.accesses + t.accesses, a.loads + t.loads, a.stores + t.stores,
			     a.instructions + t.instructions};

	if (lane[0] > INT8_MAX || lane[1] > INT8_MAX || lane[2] > INT8_MAX || lane[3] > INT8_MAX)
		return false;
	*sum = (struct owed){(int8_t)lane[0], (int8_t)lane[1], (int8_t)lane[2], (int8_t)lane[3]};
	return true;
}

/* A call is counted before it is reached. */
static struct owed before_call(const struct insn *in)
{
	return (struct owed){(int8_t) - (in->loads + in->stores + in->modifies), (int8_t)-in->loads,
			     (int8_t)-in->stores, -1};
}

static void meet(struct job *j, uint64_t pc, struct owed owed)
{
	if (j->meetings < MAX_INSNS)
		j->meeting[j->meetings++] = (struct meeting){pc, owed};
}

/* What is owed where pc begins, if that is decided. */
static bool is_decided(const struct job *j, uint64_t pc, struct owed *owed)
{
	const struct block *b;

	if (pc == j->block->pc) {
		*owed = j->block->owed;
		return true;
	}
	for (uint32_t i = 0; i < j->meetings; i++)
		if (j->meeting[i].pc == pc) {
			*owed = j->meeting[i].owed;
			return true;
		}
	b = cache_find(pc, j->gear);
	if (!b || b->arena != j->block->arena)
		return false;
	*owed = b->owed;
	return true;
}

void job_owe_block(struct job *j, struct owed owed)
{
	j->owed = j->block->owed = owed;
	j->meetings = 0;
	for (uint32_t i = 0; i + 1 < j->insns; i++)
		if (insn_is_call(&j->in[i]))
			meet(j, j->in[i + 1].pc, nothing);
}

/*
 * Where the thread goes on if it does so behind the segment; does it go through an entry or to
 * other code?
 */
static bool passes_on(const struct job *j, uint64_t *pc)
{
	const struct insn *last = &j->in[j->end - 1];

	if (insn_ends_block(last) || insn_is_call(last))
		return false;
	if (j->end < j->insns) {
		*pc = j->in[j->end].pc;
		return j->in[j->end].entry;
	}
	*pc = last->kind == INSN_JMP_INTO ? last->target : last->pc + last->length;
	return true;
}

/* `open`: what will be owed behind the segment if it does not add. */
static void owe_branch(struct job *j, const struct insn *in, struct owed open)
{
	const bool back = in->target <= in->pc;

	if (is_decided(j, in->target, &j->left)) {
		j->adds = back || !owed_is_same(open, j->left);
	} else if (!back && in->kind != INSN_JMP) {
		meet(j, in->target, open);
		j->left = open;
		j->adds = false;
	}
}

void job_owe_segment(struct job *j)
{
	const struct insn *last = &j->in[j->end - 1];
	struct owed open;
	uint64_t pc;

	j->left = nothing;
	j->adds = true;
	if (!j->variant->defers || !code_options.owes || j->block->checked || poll_is_crowded() ||
	    !add_up(&open, j->owed, j->after[0]))
		return;
	switch (last->kind) {
	case INSN_JCC:
	case INSN_LOOP:
	case INSN_JMP:
		owe_branch(j, last, open);
		break;
	case INSN_PLAIN:
	case INSN_JMP_INTO:
	case INSN_RDGSBASE:
		if (passes_on(j, &pc) && is_decided(j, pc, &j->left))
			;
		else if (j->end < j->insns && insn_is_call(&j->in[j->end]))
			j->left = before_call(&j->in[j->end]);
		else
			j->left = open;
		j->adds = !owed_is_same(open, j->left);
		break;
	default:
		j->adds = !insn_is_call(last) || !owed_is_nothing(open);
		break;
	}
}

void job_owe_behind(struct job *j)
{
	struct owed there;
	uint64_t pc;

	if (j->variant->defers && passes_on(j, &pc) && is_decided(j, pc, &there) &&
	    !owed_is_same(j->left, there)) {
		job_count_difference(j, j->left, there);
		j->left = there;
	}
	j->owed = j->left;
}
