/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How code is made on this processor; set once, at the start. */
#ifndef DWELL_ENGINE_CODECACHE_CODE_OPTIONS_H
#define DWELL_ENGINE_CODECACHE_CODE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct code_options {
	/* How the indirect branch tables are indexed: 8 low bits (tests), 16, or 0: by pext. */
	uint8_t ib_bits;
	/* Entries of indirect branches compare by `loop`, see cache_emit_ib_entry. */
	bool loop_checks;
	/*
	 * Pad in front of a conditional branch, and the comparison that fuses with it, if they
	 * would cross or end at a 32-byte boundary: Intel's processors do not cache their decoded
	 * form then.
	 */
	bool keeps_branches;
	/* Alignment of loop heads in bytes; 0: none. */
	uint32_t loop_align;
	/* Second tables of indirect branches, see cache.h; need crc32. */
	bool second_tables;
	/* Segments may defer their counts to others, see deferred.h. */
	bool defers;
	/* Short string instructions count themselves; needs BMI2. */
	bool quick_reps;
};
extern struct code_options code_options;

#endif
