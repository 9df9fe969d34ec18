/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How data structures are accessed: with which strides, and through pointers of which structure
 * (DTrack, 4.2). Windows see some thousand accesses in a row (filter_windows.h).
 *
 * Strides. In a window, the stride of an access is its distance from the last one of the same bin:
 * the same instruction and data structure. The usual stride is the most frequent one. Of n strides
 * n - 1 are known, as one alone tells nothing; and all with the usual stride but one have it. So
 * random accesses have about none, however few there are.
 *
 * Steps. Of the usual strides of a structure the most frequent ones are kept (Misra and Gries 1982,
 * with weights), with the parts of the stride that accesses touched, and their width.
 *
 * Links. A load of a word from a structure is used as an address if another access of the window
 * falls on its value, or up to LINK_BYTES behind. That access is through the structure: to itself,
 * or another one. Stacks hold copies of addresses only, so they do not count as holders.
 *
 * Rows. An instruction that goes on in another block of the structure hops there; the block is a
 * row if another structure held the address of its start. So rows of a matrix that were allocated
 * one by one are told from other blocks, whichever way it is walked.
 *
 * The thread whose turn it is uses it, as the counters of bins.h.
 */
#ifndef DWELL_ENGINE_SIMULATE_WHOSE_PATTERNS_H
#define DWELL_ENGINE_SIMULATE_WHOSE_PATTERNS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/state.h"

/* False: no address space. */
bool patterns_start(void);

/* A window of this weight begins. */
void patterns_begin(uint64_t weight);
/*
 * A site (bins.h) is about to access `bytes` at the address; is_load: and only reads them. Returns
 * whether the window is over.
 */
bool patterns_see(uint32_t site, uint64_t pc, uint64_t address, uint32_t bytes, bool is_load);
/* A string instruction is about to make n accesses, each `step` bytes behind the one before. */
void patterns_repeat(uint64_t address, uint32_t bytes, int64_t step, uint64_t n);
/* It ends, if there was one. */
void patterns_end(void);

/* Send what is new to the collector. */
void patterns_flush(struct process *p);
/* In a forked child: what was seen is the parent's. */
void patterns_forked(void);

#endif
