/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the filter variant: the cheapest test that an access does not straddle two lines. */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_CHECK_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_CHECK_H

#include "engine/decode/decode.h"

#define FILTER_STACK_ALIGN 8u

/* How to exclude that an access straddles. */
enum filter_check {
	CHECK_NONE,    /* it cannot */
	CHECK_BASE,    /* test that its base register is aligned, as its displacement is */
	CHECK_ADDRESS, /* test that its address is aligned */
	CHECK_ENDS,    /* often unaligned: test that both ends are on one line */
	CHECK_ENGINE,  /* leave it to the engine */
};

/* Is its address a register and a displacement? Is it constant? */
bool filter_is_base_only(const struct mem_op *m);
bool filter_is_fixed(const struct mem_op *m);

/* stack_is_aligned: the stack pointer is a multiple of FILTER_STACK_ALIGN. */
enum filter_check filter_check_of(const struct insn *in, const struct mem_op *m,
				  bool stack_is_aligned);

/*
 * True: the instruction moves the stack pointer by a known number, or not at all; *by is the
 * number. False: by an unknown number; *by is 0.
 */
bool filter_moves_stack(const struct insn *in, int64_t *by);
/* Does the instruction leave the stack pointer a multiple of FILTER_STACK_ALIGN, if it was one? */
bool filter_keeps_stack(const struct insn *in);

#endif
