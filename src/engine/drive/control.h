/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether sampling is on, by the clock (delay, duration), by the entries of two functions, and by
 * marks in the program. The state is that of the process: a forked child inherits it, a new program
 * starts anew. This file only decides; collect.c asks.
 */
#ifndef DWELL_ENGINE_DRIVE_CONTROL_H
#define DWELL_ENGINE_DRIVE_CONTROL_H

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
/* Profiling is over: functions matter no longer. */
void control_end(void);
/*
 * Should sampling be on at `now`, of CLOCK_MONOTONIC? The lock of collect.h is held, or nobody else
 * runs.
 */
bool control_allows(uint64_t now);
/*
 * The event happens now. Before the delay is over start_at is ignored, and a start mark takes
 * effect when the delay ends. stop_at before any start is ignored. The lock of collect.h is held.
 */
void control_event(enum control_event what, uint64_t now);
/* Does another entry of the function matter? No lock. */
bool control_awaits(enum control_event what);

#endif
