/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions that make a variable number of accesses: counted element by element. */
#ifndef DWELL_ENGINE_RUN_ELEMENTS_H
#define DWELL_ENGINE_RUN_ELEMENTS_H

#include "engine/decode/decode.h"

/*
 * A string instruction with REP has run (or was interrupted); rcx_before as it began. `segment`:
 * in a simulation its trailer.
 */
void elements_rep(struct thread *t, const struct insn *in, uint64_t rcx_before, uint32_t segment);
/* A gather or scatter is about to run. The target's vector state is live. */
void elements_vector(struct thread *t, const struct insn *in, uint32_t segment);
/* It has not run after all, and will come again: as if elements_vector had not been called. */
void elements_undo(struct thread *t);
/*
 * It has faulted. What it did is done, and the mask of it clear: only that counts, and when it
 * comes again, the rest. The target's vector state is live.
 */
void elements_faulted(struct thread *t);
/* In a forked child: nobody is inside. */
void elements_forked(void);

/* What a string instruction, gather or scatter at t->rip touches next. Returns how many. */
#define ELEMENTS_MOST 32
struct element {
	uint64_t address;
	uint32_t bytes;
	bool stores;
};
uint32_t elements_next(struct thread *t, const struct insn *in, struct element out[ELEMENTS_MOST]);

#endif
