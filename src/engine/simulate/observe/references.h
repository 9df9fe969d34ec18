/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * References of data structures, hits too, by bin (bins.h). What the engine does for the program,
 * such as string instructions, counts exactly; and all references do with engine_counts_references.
 * Otherwise windows see a part of all else: some thousand references in a row, from random places
 * on (filter_windows.h).
 *
 * A window's weight is the number of places where it might have begun, in a unit of its own.
 *
 * Each window belongs to a group, in turns; in a sampled simulation those of a stretch to one.
 * Estimates without one group at a time tell how far they
 * are to be trusted (delete-a-group jackknife; Kott 2001).
 *
 * Functions that count belong to the thread whose turn it is (filter_scheduler.h); the others need
 * the lock of collect.h.
 */
#ifndef DWELL_ENGINE_SIMULATE_WHOSE_REFERENCES_H
#define DWELL_ENGINE_SIMULATE_WHOSE_REFERENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/state.h"

/* False: no address space. */
bool references_start(void);

/*
 * Count n references by the instruction at pc, the first to `address`, each `step` bytes behind the
 * one before. is_held: in a call that allocates (held.h).
 */
void references_count(uint64_t pc, uint64_t address, int64_t step, uint64_t n, bool is_held);

/* Count n references of a bin; n < 0: so many were counted before they happened. */
void references_add(uint32_t bin, int64_t n);

/* A window of this weight begins. */
void references_begin(uint64_t weight);
/* A reference in the window, of a site (bins.h). Returns whether the window is over. */
bool references_see(uint32_t site, uint64_t pc, uint64_t address, bool is_held);
/* Count one of a bin, seen in a window of this weight and group. */
void references_saw(uint32_t bin, uint64_t weight, uint32_t group);
/* It ends. */
void references_end(void);

/* Send what is new to the collector. */
void references_flush(struct process *p);
/* In a forked child: what was counted is the parent's. */
void references_forked(void);

#endif
