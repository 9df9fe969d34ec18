/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/simulate/counts/sim_pages.h"

#include "engine/codecache/pages.h"
#include "engine/core/state.h"
#include "engine/core/util.h"

static void *take(void *context, uint64_t bytes)
{
	(void)context;
	return pages_get(round_up(bytes, PAGE));
}

static void give(void *context, void *memory, uint64_t bytes)
{
	(void)context;
	if (memory)
		pages_put(memory, round_up(bytes, PAGE));
}

const struct sim_memory sim_pages = {0, take, give};
