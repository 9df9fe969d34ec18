/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrivals (window first touches): first touches of randomly chosen lines, by a thread in a window.
 * They show where reuses longer than a window end, as censored samples show where they begin. A
 * line not touched earlier in the window was touched long ago, or never. Only arrivals of the
 * window's second half are sent: for the others "long ago" may be short.
 *
 * The choice is of slots of the watch set's filter, each for all lines of the slot. A slot is
 * dropped once it is touched. All functions need the lock of collect.h.
 */
#ifndef DWELL_ENGINE_SAMPLE_ARRIVALS_H
#define DWELL_ENGINE_SAMPLE_ARRIVALS_H

#include "engine/sample/scan.h"

/* A window begins for t, or ends. */
void arrivals_begin(struct thread *t);
void arrivals_end(struct thread *t);
/*
 * An access begins on `line`, perhaps the one in front of a fresh line, and touches no fresh line.
 * Each access that passes the filter goes here or to arrivals_touch.
 */
static inline void arrivals_pass(struct watch_set *ws, uint64_t line)
{
	uint32_t word = watch_slot(line) / 64;

	ws->begun[word] |= ws->before[word] & 1ull << (line & 63);
}

/*
 * Is an access to `line` up to `last` an arrival? Yes if `line` is fresh; or if it reaches the
 * next, fresh line, and an earlier access has begun on `line`. So an access counts once, however
 * many of its lines are new.
 */
static inline bool arrivals_is_one(const struct watch_set *ws, uint64_t line, uint64_t last)
{
	return watch_is_fresh(ws, line) || (last > line && watch_is_fresh(ws, line + 1) &&
					    ws->begun[watch_slot(line) / 64] >> (line & 63) & 1);
}

/*
 * a touches a fresh line; `arrives`: the result of arrivals_is_one. Drops the touched slots in any
 * case.
 */
void arrivals_touch(struct thread *t, const struct scan_window *w, const struct record_access *a,
		    bool arrives, uint64_t process_at);

#endif
