/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether sampling is on: the clock (a delay, a duration), a function's entry,
 * and marks that the program makes itself. Of the process; a forked child goes
 * on as its parent was, a new program begins anew. Decides only: sampler.c asks.
 */
#ifndef DWELL_ENGINE_SAMPLE_CONTROL_H
#define DWELL_ENGINE_SAMPLE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

enum control_event {
	CONTROL_START_AT, /* the function start_at is entered */
	CONTROL_STOP_AT,
	CONTROL_MARK_START, /* DWELL_START */
	CONTROL_MARK_STOP,
};

/* A program starts. */
void control_start(void);
/* Profiling is over: no function matters any more. */
void control_end(void);
/*
 * Should sampling be on at `now`, of CLOCK_MONOTONIC? The lock of collect.h is held, or nobody else
 * runs.
 */
bool control_allows(uint64_t now);
/*
 * The event happens now. A start before the delay is over: a function's does not count, a mark
 * holds until then. A stop_at that comes before any start does not count. The lock of collect.h is
 * held.
 */
void control_event(enum control_event what, uint64_t now);
/* Does a further entry of the function matter? No lock. */
bool control_awaits(enum control_event what);

#endif
