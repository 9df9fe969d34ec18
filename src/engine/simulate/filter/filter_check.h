/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the filter variant: how to see that an access does not straddle two lines, with as little
 * code as will do.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_CHECK_H
#define DWELL_ENGINE_SIMULATE_FILTER_CHECK_H

#include "engine/decode/decode.h"

#define FILTER_STACK_ALIGN 8u

/* How it is known that an access does not straddle. */
enum filter_check {
	CHECK_NONE,    /* it cannot */
	CHECK_BASE,    /* its base register is aligned, and its displacement is */
	CHECK_ADDRESS, /* its address is aligned */
	CHECK_ENDS,    /* it may often not be aligned: see whether both ends lie in a line */
	CHECK_ENGINE,  /* let the engine see */
};

/* Is its address that of a register and a displacement? Is it a number that does not change? */
bool filter_is_base_only(const struct mem_op *m);
bool filter_is_fixed(const struct mem_op *m);

/* stack_is_aligned: the stack pointer is a multiple of FILTER_STACK_ALIGN. */
enum filter_check filter_check_of(const struct insn *in, const struct mem_op *m,
				  bool stack_is_aligned);

/*
 * Does the instruction move the stack pointer by a number that is known, or leave it alone? *by is
 * that number, else 0.
 */
bool filter_moves_stack(const struct insn *in, int64_t *by);
/* Does the instruction leave the stack pointer a multiple of FILTER_STACK_ALIGN, if it was one? */
bool filter_keeps_stack(const struct insn *in);

#endif
