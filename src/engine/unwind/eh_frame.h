/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for finding a function's caller, out of the call frame information that
 * compilers leave beside the code (.eh_frame, found by .eh_frame_hdr; DWARF 5,
 * section 6.4, and the Linux Standard Base on their differences). The data are
 * untrusted: where they are damaged there is no rule.
 */
#ifndef DWELL_ENGINE_UNWIND_EH_FRAME_H
#define DWELL_ENGINE_UNWIND_EH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

enum frame_base {
	FRAME_END,    /* no rule, or the stack's first frame */
	FRAME_RSP,    /* the frame address is rsp + offset */
	FRAME_RBP,    /* rbp + offset */
	FRAME_AT_RBP, /* it is stored at rbp + offset: functions that align their stack */
};

enum frame_rbp {
	RBP_KEPT,   /* rbp still holds the caller's value */
	RBP_SAVED,  /* it is stored at the frame address + rbp_offset */
	RBP_AT_RBP, /* it is stored at rbp + rbp_offset */
};

/* The return address always lies just below the frame address. Offsets in bytes. */
struct frame_rule {
	uint8_t base;	/* enum frame_base */
	uint8_t rbp;	/* enum frame_rbp */
	bool described; /* the code has a description, even if there is no rule */
	int32_t offset;
	int32_t rbp_offset;
};

/*
 * A .eh_frame_hdr section in memory, or a table that eh_frame_index made. Its entries are relative
 * to `base`: the section's own address, or for a made table that of .eh_frame.
 */
struct frame_table {
	uint64_t address, bytes, base;
};

/*
 * For programs without that table (static ones): make one for the .eh_frame section of `bytes`
 * at `address`. It lies in pages of the engine that are never freed. False, and an empty table:
 * there is nothing of use, or no memory.
 */
bool eh_frame_index(uint64_t address, uint64_t bytes, struct frame_table *table);

/*
 * The rule that holds while the instruction at pc is executed. False, and FRAME_END in *rule: there
 * is no rule, only debuggers understand it, or the data are damaged. rule->described distinguishes
 * the end of the stack from code without a description.
 */
bool eh_frame_find(const struct frame_table *table, uint64_t pc, struct frame_rule *rule);

/* Code that one description covers, or a gap between descriptions. */
struct frame_range {
	uint64_t start, end;
	bool described;
};

/*
 * The range that holds pc. A gap at the table's beginning or end reaches to 0 or UINT64_MAX.
 * False: there is no table, or it is damaged.
 */
bool eh_frame_range(const struct frame_table *table, uint64_t pc, struct frame_range *range);

#endif
