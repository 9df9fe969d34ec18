/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which segments add to the counters. A segment that ends in a forward branch, or falls through,
 * defers its counts to those behind it, see deferred.h. All others add what is deferred so far. At
 * the thread's next code nothing is deferred then, or what other paths already defer there.
 * Segments with a backward branch always add, because adding is also what stops a thread (poll.h),
 * and each loop contains one.
 *
 * A call is a segment of its own, because there should be only one copy of it (begin_segment). The
 * segment before counts it.
 */
#include "engine/codecache/code_options.h"
#include "engine/codecache/poll.h"
#include "engine/translate/job.h"

static const struct deferred nothing;

static bool add_up(struct deferred *sum, struct deferred a, struct tally t)
{
	const int lane[4] = {a.accesses + t.accesses, a.loads + t.loads, a.stores + t.stores,
			     a.instructions + t.instructions};

	if (lane[0] > INT8_MAX || lane[1] > INT8_MAX || lane[2] > INT8_MAX || lane[3] > INT8_MAX)
		return false;
	*sum = (struct deferred){(int8_t)lane[0], (int8_t)lane[1], (int8_t)lane[2],
				 (int8_t)lane[3]};
	return true;
}

/* A call is counted before it is reached. */
static struct deferred before_call(const struct insn *in)
{
	return (struct deferred){(int8_t) - (in->loads + in->stores + in->modifies),
				 (int8_t)-in->loads, (int8_t)-in->stores, -1};
}

static void meet(struct job *j, uint64_t pc, struct deferred deferred)
{
	if (j->meetings < MAX_INSNS)
		j->meeting[j->meetings++] = (struct meeting){pc, deferred};
}

/* The counts deferred at pc, if that is decided. */
static bool is_decided(const struct job *j, uint64_t pc, struct deferred *deferred)
{
	const struct block *b;

	if (pc == j->block->pc) {
		*deferred = j->block->deferred;
		return true;
	}
	for (uint32_t i = 0; i < j->meetings; i++)
		if (j->meeting[i].pc == pc) {
			*deferred = j->meeting[i].deferred;
			return true;
		}
	b = cache_find(pc, j->variant_id);
	if (!b || b->arena != j->block->arena)
		return false;
	*deferred = b->deferred;
	return true;
}

void job_defer_block(struct job *j, struct deferred deferred)
{
	j->deferred = j->block->deferred = deferred;
	j->meetings = 0;
	for (uint32_t i = 0; i + 1 < j->insns; i++)
		if (insn_is_call(&j->in[i]))
			meet(j, j->in[i + 1].pc, nothing);
}

/* Does the thread pass from the segment's end to an entry, or to other code? Sets *pc to it. */
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

/* `open`: the counts deferred behind the segment if it does not add. */
static void defer_branch(struct job *j, const struct insn *in, struct deferred open)
{
	const bool back = in->target <= in->pc;

	if (is_decided(j, in->target, &j->left)) {
		j->adds = back || !deferred_is_same(open, j->left);
	} else if (!back && in->kind != INSN_JMP) {
		meet(j, in->target, open);
		j->left = open;
		j->adds = false;
	}
}

void job_defer_segment(struct job *j)
{
	const struct insn *last = &j->in[j->end - 1];
	struct deferred open;
	uint64_t pc;

	j->left = nothing;
	j->adds = true;
	if (!j->variant->defers || !code_options.defers || j->block->checked || poll_is_crowded() ||
	    !add_up(&open, j->deferred, j->after[0]))
		return;
	switch (last->kind) {
	case INSN_JCC:
	case INSN_LOOP:
	case INSN_JMP:
		defer_branch(j, last, open);
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
		j->adds = !deferred_is_same(open, j->left);
		break;
	default:
		j->adds = !insn_is_call(last) || !deferred_is_nothing(open);
		break;
	}
}

void job_defer_behind(struct job *j)
{
	struct deferred there;
	uint64_t pc;

	if (j->variant->defers && passes_on(j, &pc) && is_decided(j, pc, &there) &&
	    !deferred_is_same(j->left, there)) {
		job_count_difference(j, j->left, there);
		j->left = there;
	}
	j->deferred = j->left;
}
