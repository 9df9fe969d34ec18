/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of code that the target makes while it runs. Nobody says where they begin; so one
 * begins where a call, an indirect jump or a jump out of a file leads to, or any way that leads to
 * no known one, and lasts up to the next. That may be more functions than there are: the collector
 * takes together what has one name.
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
	/* By a return, or a jump that may be a call: only where nothing was known of the code. */
	MADE_PERHAPS,
	MADE_REACHED, /* otherwise */
};

/*
 * The function around pc. False: none is known, and end is where the next one begins, or
 * UINT64_MAX.
 */
bool made_code_find(uint64_t pc, struct made_range *function);

/*
 * Code of the gap between files is reached at pc. True: a function begins there that was not known.
 * Code that was translated in *stale, which may be empty, took it for a part of another one.
 */
bool made_code_begin(uint64_t pc, enum made_way way, const struct made_range *gap,
		     struct made_range *stale);

/* Code of the function around pc was translated that has bytes at `last`, or leads there. */
void made_code_extend(uint64_t pc, uint64_t last);
/* Is there any function? */
bool made_code_is_any(void);

/* In a forked child: nobody holds the lock. */
void made_code_forked(void);

#endif
