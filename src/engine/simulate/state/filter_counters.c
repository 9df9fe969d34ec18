/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of counters of executions; see filter_counters.h. */
#include "engine/simulate/state/filter_counters.h"

#define COUNTERS ((FILTER_OFFSETS - COUNTERS_AT) / 8)

static uint64_t used;

uint32_t filter_next_counter(void)
{
	return used == COUNTERS ? 0 : counter_at(used);
}

uint32_t filter_new_plain_counter(void)
{
	return used == COUNTERS ? 0 : counter_at(used++);
}
