/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The variables of a function at one of its instructions, by register or place in the frame. */
#ifndef DWELL_SYMBOLS_FRAME_H
#define DWELL_SYMBOLS_FRAME_H

#include "symbols/private.h"

struct frame {
	struct symbols_file *f;
	uint64_t at;	/* address of the instruction, in the file */
	uint64_t shift; /* DWARF addresses are these plus shift */
	Dwarf_Die scopes[SYMBOLS_MAX_SCOPES];
	size_t scope_count;
	bool is_artificial; /* the variable that was found last: `this` */
};

/* A variable is asked for by its register, or by its place in the frame. */
struct frame_wanted {
	unsigned number;
	bool is_slot;
	int64_t slot;
};

/* Go to an instruction. Blocks around it that end there stay. */
void frame_enter(struct frame *s, uint64_t at);

/* Find a variable of the blocks around, the innermost first: its type, and the offset in it. */
bool frame_find(struct frame *s, const struct frame_wanted *w, Dwarf_Die *type, uint64_t *offset);

/*
 * The place in the frame that a register points to, with the displacement, relative to the frame's
 * address (CFA): by the call frame information.
 */
bool frame_place(const struct frame *s, unsigned number, int64_t displacement, int64_t *place);

/* What a pointer of this type points to; of Fortran's allocatable arrays an element. */
bool frame_pointee(Dwarf_Die *type, Dwarf_Die *pointee);

#endif
