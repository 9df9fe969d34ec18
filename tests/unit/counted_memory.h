/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for simulations that counts leaks, and can run out. */
#ifndef DWELL_TESTS_UNIT_COUNTED_MEMORY_H
#define DWELL_TESTS_UNIT_COUNTED_MEMORY_H

#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/base/memory.h"

static uint64_t taken; /* bytes not given back */
static uint64_t takes_left = UINT64_MAX;

static void *take(void *context, uint64_t bytes)
{
	void *p;

	(void)context;
	if (takes_left == 0)
		return NULL;
	takes_left--;
	p = calloc(1, bytes);
	assert_non_null(p);
	taken += bytes;
	return p;
}

static void give(void *context, void *p, uint64_t bytes)
{
	(void)context;
	taken -= p != NULL ? bytes : 0;
	free(p);
}

static const struct sim_memory memory = {NULL, take, give};

#endif
