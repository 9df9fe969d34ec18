/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of code that the target makes at run time. Their beginnings are not declared. A
 * function begins at the target of a call, an indirect jump or a jump out of a file, or where code
 * is reached outside of known functions. It ends at the next one. This may find too many: the
 * collector merges those of one name.
 */
#ifndef DWELL_ENGINE_UNWIND_MADE_CODE_H
#define DWELL_ENGINE_UNWIND_MADE_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct made_range {
	uint64_t start, end;
};

/* How code is reached. */
enum made_way {
	MADE_ENTERED, /* by a call, an indirect jump, or a jump out of a file */
	/* by a return, or a jump that may be a call: begins a function only in unknown code */
	MADE_PERHAPS,
	MADE_REACHED, /* otherwise */
};

/*
 * The function around pc. False: none is known, and end is where the next one begins, or
 * UINT64_MAX.
 */
bool made_code_find(uint64_t pc, struct made_range *function);

/*
 * Code in the gap between files is reached at pc. True: a new function begins there. Blocks
 * translated in *stale, which may be empty, took it for a part of another function.
 */
bool made_code_begin(uint64_t pc, enum made_way way, const struct made_range *gap,
		     struct made_range *stale);

/* Code of the function around pc was translated; it has bytes at `last`, or leads there. */
void made_code_extend(uint64_t pc, uint64_t last);
/* Is there any function? */
bool made_code_is_any(void);

/* In a forked child: nobody holds the lock. */
void made_code_forked(void);

#endif
