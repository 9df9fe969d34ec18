/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segments by the page of code that they begin in, so that code that is unmapped can be told
 * without a walk through all others. Under the translate lock.
 */
#ifndef DWELL_ENGINE_SIMULATE_SEGMENTS_PLACES_H
#define DWELL_ENGINE_SIMULATE_SEGMENTS_PLACES_H

#include <stdbool.h>
#include <stdint.h>

struct segment;

/* A new one, of that number. False: no memory. */
bool segments_places_add(uint64_t pc, uint32_t number);

/* Calls `visit` for each segment that begins in [start, end), rounded to pages. */
void segments_places_each(uint64_t start, uint64_t end,
			  void (*visit)(void *context, struct segment *s), void *context);

/* The code is gone: its segments will not be executed again. */
void segments_places_forget(uint64_t start, uint64_t end);

#endif
