/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions that make a variable number of accesses: counted element by element. */
#ifndef DWELL_ENGINE_RUN_ELEMENTS_H
#define DWELL_ENGINE_RUN_ELEMENTS_H

#include "engine/decode/decode.h"

/*
 * Count a string instruction with REP that has run or was interrupted; rcx_before: RCX before it.
 * `segment`: its trailer, in a simulation.
 */
void elements_rep(struct thread *t, const struct insn *in, uint64_t rcx_before, uint32_t segment);
/* Count a gather or scatter that is about to run. The target's vector state is live. */
void elements_vector(struct thread *t, const struct insn *in, uint32_t segment);
/*
 * Undo the counts of elements_vector: the instruction has to wait, and leaves the code once more
 * before it runs. The caches that have seen it do not see it again, unless a signal's handler comes
 * first, which may never return.
 */
void elements_put_off(struct thread *t);
/*
 * Count only the completed elements of a gather or scatter that faulted. It has cleared their mask
 * bits; its next execution counts the rest. The target's vector state is live.
 */
void elements_faulted(struct thread *t);
/* Reset in a forked child: no thread is in this code. */
void elements_forked(void);

/* List what a string instruction, gather or scatter at t->rip touches next. Returns the number. */
#define ELEMENTS_MOST 32
struct element {
	uint64_t address;
	uint32_t bytes;
	bool stores;
};
uint32_t elements_next(struct thread *t, const struct insn *in, struct element out[ELEMENTS_MOST]);

#endif
