/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages that the target holds. The cost grows with the pages that were touched, not with those
 * that are mapped. The lock of collect.h guards struct footprint.
 */
#ifndef DWELL_ENGINE_SAMPLE_FOOTPRINT_H
#define DWELL_ENGINE_SAMPLE_FOOTPRINT_H

#include <stdint.h>

struct thread;

/*
 * Count the present 4096-byte pages of the target's own memory: anonymous pages, pages of writable
 * code files, and pages of data files in its page table. Takes the translate lock.
 */
uint64_t footprint_count(const struct thread *t);

struct footprint {
	uint64_t pages, counted_at; /* and the process's accesses at that time */
};

/* Before a window: count the pages, if the run has grown enough since the last time. */
void footprint_look(struct footprint *f, const struct thread *t, uint64_t total);

#endif
