/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites (state/filter_sites.h) in code, and the thunks by which it enters the engine there. */
#ifndef DWELL_ENGINE_SIMULATE_EMIT_FILTER_THUNKS_H
#define DWELL_ENGINE_SIMULATE_EMIT_FILTER_THUNKS_H

#include "engine/codecache/cache.h"
#include "engine/codecache/emit.h"
#include "engine/simulate/state/filter_sites.h"

struct filter_site {
	const uint8_t *back;
	uint64_t line; /* for FILTER_SITE_CODE: the instruction's last line, and its cell */
	uint32_t cell;
	uint32_t first;	  /* for FILTER_SITE_BOTH: the cell of its first line */
	uint32_t segment; /* its number in trailers */
	uint16_t index;	  /* of its access; of its instruction, for FILTER_SITE_CODE */
	uint8_t reg, flags, span;
	uint8_t column; /* of the events: 0 fetch, 1 read, 2 write */
};

/*
 * Entries of the engine: for a miss of data or code, with status flags live or not; or always in C.
 */
enum filter_stub {
	FILTER_DATA,
	FILTER_DATA_LIVE,
	FILTER_CODE,
	FILTER_CODE_LIVE,
	FILTER_SLOW,
	FILTER_REFER,  /* see filter_references.h */
	FILTER_CALLED, /* the first four again, which are called: filter_quick.h */
	FILTER_STUBS = FILTER_CALLED + 4
};

_Static_assert(FILTER_STUBS <= ARENA_STUBS, "each has its place in an arena");

/*
 * Emit the thunks of an arena's stubs: they save rbx, and let it point to the data behind the jump.
 * At o->p, in no more than 2 KB.
 */
void filter_emit_thunks(struct arena *a, struct out *o);
/*
 * Take room in the arena's cold part for code and the site behind it. Returns the beginning of the
 * code.
 */
uint8_t *filter_take_cold(struct arena *a, uint32_t code_bytes, uint32_t site_bytes);
/* Free the memory between; it is taken first. */
void filter_give_cold(struct arena *a, uint8_t *low, uint8_t *high);
/* Is the stub of a site with such flags called? */
bool filter_is_called(enum filter_stub stub, uint8_t flags);
/*
 * lea reg, [the site behind the jump]; jmp to the stub: the last FILTER_CALL_BYTES of that code.
 */
#define FILTER_CALL_BYTES 12u
void filter_emit_call(const struct arena *a, struct out *o, enum reg r, enum filter_stub stub);
/* A call, which returns the place in r; a jump to `back`: the last FILTER_CALLED_BYTES. */
#define FILTER_CALLED_BYTES 31u
void filter_emit_called(const struct arena *a, struct out *o, enum reg r, enum filter_stub stub,
			const uint8_t *back);
/* Emit the site behind it. False: no room. */
bool filter_put_site(struct out *o, const struct filter_site *site);

/*
 * A site for the references of a run, of which code has the number only. Returns that; 0: no room.
 */
uint32_t filter_put_run(uint32_t segment, uint16_t index, uint8_t members);

#endif
