/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that the program has named (DWELL_NAME). A simulation with misses by data structure wants
 * it here; for samples the collector finds it (collector/naming/regions.h), by the same rule: of
 * several names the last one given holds. A lock of its own guards it.
 */
#ifndef DWELL_ENGINE_DATA_NAMED_H
#define DWELL_ENGINE_DATA_NAMED_H

#include <stdbool.h>
#include <stdint.h>

struct named {
	uint64_t start, end;
	uint32_t number; /* of the name, from 1 */
};

/*
 * The number of a name, made if it is new; memory of one name is one data structure. 0: the name is
 * empty, or there are too many.
 */
uint32_t named_number(const char *name);
/* Name the memory; 0: it has no name any more. */
void named_set(uint64_t start, uint64_t end, uint32_t number);

/* The named memory that holds the address, or the next one above it; false: there is none. */
bool named_after(uint64_t address, struct named *n);
/* Changes with the names. */
extern uint32_t named_version;

/* In a forked child: nobody holds the lock. */
void named_forked(void);

#endif
