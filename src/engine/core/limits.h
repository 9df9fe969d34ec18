/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much address space the engine may take. It reserves far more than it touches, which costs
 * nothing, unless RLIMIT_AS or RLIMIT_DATA counts it: then its tables are smaller, and the code
 * cache is emptied more often.
 */
#ifndef DWELL_ENGINE_CORE_LIMITS_H
#define DWELL_ENGINE_CORE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* Start-up, before any memory is taken: what the process may still map. */
void limits_init(void);
/* `wanted`, halved until it is at most one `part`th of that, but no less than `least`. */
uint64_t limits_share(uint64_t wanted, uint64_t least, uint64_t part);
/* Is there a limit? */
bool limits_are_set(void);

/*
 * Pages that the process has mapped, and those of them that count as data; 0 where /proc does not
 * tell.
 */
void limits_mapped(uint64_t *all, uint64_t *data);

/*
 * The program was refused memory: say once that the engine has a part of the limit, if there is
 * one.
 */
void limits_met(long result);
/* The same of a call that takes no memory, but may make two mappings of one. */
void limits_divided(long result);

/*
 * There is no room for what the engine cannot do without: say so, and end the process. Later than
 * at the start this happens only where the program has taken all that was left.
 */
__attribute__((noreturn)) void limits_no_room(void);

#endif
