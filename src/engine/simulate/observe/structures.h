/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data structures of a simulation: blocks of an allocation site, variables of files, stacks,
 * mappings, and the code of a file. Each has a number, its id.
 */
#ifndef DWELL_ENGINE_SIMULATE_WHOSE_STRUCTURES_H
#define DWELL_ENGINE_SIMULATE_WHOSE_STRUCTURES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/state.h"

#define STRUCTURE_BITS 27u /* of an id */

struct structure {
	uint32_t id;	     /* 0: unknown */
	uint64_t start, end; /* the memory around the address that belongs to it */
	bool is_whole;	     /* all of that memory does, now */
	bool is_lasting;     /* and until structures_version changes */
	bool is_plain;	     /* all of it does, and no block begins there */
};

/* False: no address space. */
bool structures_start(void);

/* Describe the structure that holds address. */
void structures_find(uint64_t address, struct structure *s);
/*
 * Does the address lie in a small block of the structure, in no other? And the offset there. False
 * if that is not quickly known.
 */
bool structures_is_block(uint32_t id, uint64_t address, uint64_t *offset);
/*
 * Up to where memory from address on belongs to the structure that was just found there, or a part
 * of it that is quickly found.
 */
uint64_t structures_end(const struct structure *s, uint64_t address);
/* Is it a thread's stack, or all of them? */
bool structures_is_stack(uint32_t id);
uint32_t structures_version(void);
/* The same for structures of code: few programs load or unload any while they run. */
uint32_t structures_code_version(void);
/* The id of the code around pc. */
uint32_t structures_of_code(uint64_t pc);
/* Describe the structure for the collector, which learns of its site first. */
void structures_describe(struct process *p, uint32_t id, struct bin_data *data);

#endif
