/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collector/simulation/sim_heap.h"

#include <stdlib.h>

static void *take(void *context, uint64_t bytes)
{
	(void)context;
	return calloc(1, bytes > 0 ? bytes : 1);
}

static void give(void *context, void *memory, uint64_t bytes)
{
	(void)context;
	(void)bytes;
	free(memory);
}

const struct sim_memory sim_heap = {NULL, take, give};
