/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How code is made on this processor; set once, at the start. */
#ifndef DWELL_ENGINE_CODECACHE_CODE_OPTIONS_H
#define DWELL_ENGINE_CODECACHE_CODE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct code_options {
	/* How the indirect branch tables are indexed: 8 low bits (tests), 16, or 0: by pext. */
	uint8_t ib_bits;
	/* Entries of indirect branches check by `loop`, see cache_emit_ib_entry. */
	bool loop_checks;
	/* Branches must not touch the end of 32 bytes of code. */
	bool keeps_branches;
	/* Heads of loops begin at multiples of so many bytes; 0: anywhere. */
	uint32_t loop_align;
	/* Second tables of indirect branches, see cache.h; they want crc32. */
	bool second_tables;
	/*
	 * Segments may leave what they count to others, see deferred.h; wants the vector counter.
	 */
	bool defers;
	/* Short string instructions count themselves; wants BMI2. */
	bool quick_reps;
};
extern struct code_options code_options;

#endif
