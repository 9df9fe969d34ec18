/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the engine's other rooms say, made up: which structure holds an address, and for how long;
 * which function holds an instruction.
 */
#ifndef DWELL_TESTS_WHOSE_OFFLINE_OWNERS_H
#define DWELL_TESTS_WHOSE_OFFLINE_OWNERS_H

#include <stdint.h>

extern uint32_t offline_version; /* of who owns memory */

/* The structure of the address: a number from 0; 0: unknown. */
uint32_t offline_owner(uint64_t address);
/* Where the function of an instruction begins. */
uint64_t offline_function(uint64_t pc);

#endif
