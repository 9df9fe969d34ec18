/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages that the target holds. What that takes follows the pages that were touched, not those
 * that are mapped. The translate lock guards it.
 */
#ifndef DWELL_ENGINE_SAMPLE_FOOTPRINT_H
#define DWELL_ENGINE_SAMPLE_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

struct page_lines;

/*
 * 4096-byte pages of the target's own memory that are there: anonymous ones, those of files with
 * code that it may write to, and those that it has of files with data. Of them each `every`th is
 * looked at, from number `skip` on, and added to *use.
 */
struct page_choice {
	uint64_t every, skip;
	struct page_lines *use;
};
uint64_t footprint_count(uint64_t stack_pointer, struct page_choice choice);
/*
 * To count takes its time, where the kernel has to be asked of all that is mapped: the run is to
 * grow by so many 64ths before it is done again.
 */
uint64_t footprint_patience(void);
/* Is it of a file with data? Nothing but its accesses tells which lines of it are touched. */
bool footprint_is_data(uint64_t address);

#endif
