/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrivals: the first touches, by a thread and in a window, of lines chosen by chance. Who
 * comes back to a line after longer than a window is seen here as the window's end shows who
 * leaves one: a line that was not touched in the window before was touched long ago, or never.
 * Only those of the window's second half are told of: for the others "long" is short.
 *
 * Chosen are slots of the watch set's filter, each for all lines that fall into it; once touched, a
 * slot is let go. All functions want the lock of collect.h.
 */
#ifndef DWELL_ENGINE_SAMPLE_ARRIVALS_H
#define DWELL_ENGINE_SAMPLE_ARRIVALS_H

#include "engine/sample/scan.h"

/* A window begins for t, or ends. */
void arrivals_begin(struct thread *t);
void arrivals_end(struct thread *t);
/*
 * An access begins on a line, and touches none that is fresh: it may be the line in front of one.
 * All accesses that the filter lets through are either told of here or there.
 */
static inline void arrivals_pass(struct watch_set *ws, uint64_t line)
{
	uint32_t word = watch_slot(line) / 64;

	ws->begun[word] |= ws->before[word] & 1ull << (line & 63);
}

/*
 * An access touches `line`, where it begins, up to `last`. Does it come to the one, or to the next
 * one if it reaches that and the first was begun on before? So it arrives once, however many of its
 * lines are new.
 */
static inline bool arrivals_is_one(const struct watch_set *ws, uint64_t line, uint64_t last)
{
	return watch_is_fresh(ws, line) || (last > line && watch_is_fresh(ws, line + 1) &&
					    ws->begun[watch_slot(line) / 64] >> (line & 63) & 1);
}

/*
 * a touches a fresh line; `arrives`: what arrivals_is_one says. Either way what it touches is let
 * go.
 */
void arrivals_touch(struct thread *t, const struct scan_window *w, const struct record_access *a,
		    bool arrives, uint64_t process_at);

#endif
