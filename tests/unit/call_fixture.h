/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fixture for the call graph's rules: a new program for each test, and checks of its arcs. */
#ifndef DWELL_TESTS_UNIT_CALL_FIXTURE_H
#define DWELL_TESTS_UNIT_CALL_FIXTURE_H

#include "call_program.h"

#define STACK 0x7fff00000000u
#define AT(n) (STACK - 0x10 * (uint64_t)(n)) /* a return address n frames deep */

static struct program p;

static inline void assert_arc(unsigned caller, unsigned callee, uint64_t calls, uint64_t inclusive)
{
	struct arcs a = program_arcs(&p, caller, callee, 0, 0);

	assert_int_equal(a.calls, calls);
	assert_int_equal(a.inclusive[0], inclusive);
}

static inline void begin(void)
{
	program_begin(&p, 0, false);
}

static inline void finish(void)
{
	assert_int_equal(p.graph.lost, 0);
	program_release(&p);
}

#endif
