/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages that the target holds. The cost grows with the pages that were touched, not with those
 * that are mapped. The translate lock guards it.
 */
#ifndef DWELL_ENGINE_SAMPLE_FOOTPRINT_H
#define DWELL_ENGINE_SAMPLE_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

struct page_lines;

/*
 * Count the present 4096-byte pages of the target's own memory: anonymous pages, pages of writable
 * code files, and pages of data files in its page table. Each `every`th page, beginning with number
 * `skip`, is examined and added to *use.
 */
struct page_choice {
	uint64_t every, skip;
	struct page_lines *use;
};
uint64_t footprint_count(uint64_t stack_pointer, struct page_choice choice);
/*
 * Counting is slow where the kernel must be asked about all mappings: the run should grow by this
 * many 64ths before the next count.
 */
uint64_t footprint_patience(void);
/* Is the address in a data file? Only accesses show which of its lines are touched. */
bool footprint_is_data(uint64_t address);

#endif
