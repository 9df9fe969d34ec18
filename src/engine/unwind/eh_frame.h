/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for finding a function's caller, out of the call frame information that
 * compilers leave beside the code (.eh_frame, found by .eh_frame_hdr; DWARF 5,
 * section 6.4, and the Linux Standard Base on their differences). Nothing in it
 * is believed: what does not make sense gives no rule.
 */
#ifndef DWELL_ENGINE_UNWIND_EH_FRAME_H
#define DWELL_ENGINE_UNWIND_EH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

enum frame_base {
	FRAME_END,    /* no rule, or the stack's first frame */
	FRAME_RSP,    /* the frame address is rsp + offset */
	FRAME_RBP,    /* rbp + offset */
	FRAME_AT_RBP, /* what is stored at rbp + offset: functions that align their stack */
};

enum frame_rbp {
	RBP_KEPT,   /* the caller's rbp is still in it */
	RBP_SAVED,  /* it is stored at the frame address + rbp_offset */
	RBP_AT_RBP, /* it is stored at rbp + rbp_offset */
};

/* The return address always stands below the frame address. Offsets in bytes. */
struct frame_rule {
	uint8_t base;	/* enum frame_base */
	uint8_t rbp;	/* enum frame_rbp */
	bool described; /* without a rule: the code is described all the same */
	int32_t offset;
	int32_t rbp_offset;
};

/*
 * A .eh_frame_hdr section in memory, or what eh_frame_index made in its place. What it holds is
 * relative to `base`, in the one case its own address and in the other that of .eh_frame.
 */
struct frame_table {
	uint64_t address, bytes, base;
};

/*
 * For programs without that table (static ones): make one for the .eh_frame section of `bytes`
 * at `address`. It lies in pages of the engine's that are never given back. False, and an empty
 * table: there is nothing of use, or no memory.
 */
bool eh_frame_index(uint64_t address, uint64_t bytes, struct frame_table *table);

/*
 * The rule that holds while the instruction at pc is executed. FRAME_END in *rule, and false,
 * when there is none, it is of a kind that only debuggers understand, or the data are damaged;
 * rule->described tells that code which has no description from code where the stack ends.
 */
bool eh_frame_find(const struct frame_table *table, uint64_t pc, struct frame_rule *rule);

/* Code that one description covers, or a gap in which none does. */
struct frame_range {
	uint64_t start, end;
	bool described;
};

/*
 * The range that pc is in. A gap is as large as the table knows: from 0 and up to UINT64_MAX at its
 * ends. False: there is no table, or it is damaged.
 */
bool eh_frame_range(const struct frame_table *table, uint64_t pc, struct frame_range *range);

#endif
