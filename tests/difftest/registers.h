/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Holds what decode_registers says of an instruction against what the processor does. */
#ifndef DIFFTEST_REGISTERS_H
#define DIFFTEST_REGISTERS_H

#include "difftest/snippet.h"

/*
 * Run the snippet from difftest_in. What it does not write must not change. Then run it again, with
 * other values in all that it does not read: what it writes must be the same. Prints each breach,
 * once for a form. Returns their number. Says nothing about runs that fault.
 */
uint32_t registers_check(const struct place *place, const struct snippet *s,
			 const struct decoded *d, struct rng *rng);

#endif
