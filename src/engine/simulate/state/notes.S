/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Room for notes of misses; see notes.h. */
#include "engine/simulate/state/notes.h"

#define CELL_AHEAD 24 /* notes behind the last one are read, see miss/filter_below.S */

	.bss
	.globl	filter_saved, filter_notes, filter_notes_end, filter_data_notes_end
	.hidden	filter_saved, filter_notes, filter_notes_end, filter_data_notes_end
	.balign 64
filter_saved:	.skip	128	/* vector registers */
filter_notes:	.skip	NOTES * NOTE_BYTES
filter_notes_end:
		.skip	NOTES * (NOTE_DATA_BYTES - NOTE_BYTES)
filter_data_notes_end:
	.skip	CELL_AHEAD * NOTE_DATA_BYTES	/* notes of line 0 */

	.data
	.balign 8
	.globl	filter_next_note, filter_notes_limit
	.hidden	filter_next_note, filter_notes_limit
filter_next_note: .quad filter_notes
filter_notes_limit: .quad filter_notes_end	/* filter_notes: no note has room */

	.section .note.GNU-stack, "", @progbits
