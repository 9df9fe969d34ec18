/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much address space the engine may take. It reserves far more than it touches. That is free
 * unless RLIMIT_AS or RLIMIT_DATA counts it: then tables are smaller, and the code cache is flushed
 * more often.
 */
#ifndef DWELL_ENGINE_CORE_LIMITS_H
#define DWELL_ENGINE_CORE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* At start-up, before any memory is taken: find how much the process may still map. */
void limits_init(void);
/* `wanted` bytes, halved until at most 1/`part` of that amount, but no less than `least`. */
uint64_t limits_share(uint64_t wanted, uint64_t least, uint64_t part);
bool limits_are_set(void);

/*
 * The number of pages that the process has mapped, and how many of them count as data; 0 without
 * /proc.
 */
void limits_mapped(uint64_t *all, uint64_t *data);

/*
 * The program's call was refused memory (`result`): warn once that the engine takes a part of the
 * limit, if there is a limit.
 */
void limits_met(long result);
/* The same for a call that takes no memory, but may split a mapping in two. */
void limits_divided(long result);

/*
 * There is no room for memory that the engine needs: print a message, and end the process. After
 * the start this happens only if the program has taken all the rest.
 */
__attribute__((noreturn)) void limits_no_room(void);

#endif
