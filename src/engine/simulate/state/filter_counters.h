/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of counters: of the executions of segments, and others. Under the translate lock. */
#ifndef DWELL_ENGINE_SIMULATE_STATE_FILTER_COUNTERS_H
#define DWELL_ENGINE_SIMULATE_STATE_FILTER_COUNTERS_H

#include "engine/simulate/state/filter.h"

#define COUNTERS_AT ((uint64_t)FILTER_COUNTERS)

static inline uint64_t *counter_memory(uint32_t counter)
{
	return (uint64_t *)(uintptr_t)counter;
}

static inline uint32_t counter_at(uint64_t number)
{
	return (uint32_t)(COUNTERS_AT + 8 * number);
}

static inline uint64_t counter_number(uint32_t counter)
{
	return (counter - COUNTERS_AT) / 8;
}

/* The address of the next new counter; 0: no room. */
uint32_t filter_next_counter(void);
/* A new counter that begins no window, and of which nothing else is known. */
uint32_t filter_new_plain_counter(void);

#endif
