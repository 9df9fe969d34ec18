/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder of its own for each test program, which is its working directory while its tests run. */
#ifndef DWELL_TESTS_UNIT_SCRATCH_H
#define DWELL_TESTS_UNIT_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char scratch_folder[] = "/tmp/dwell-unit-XXXXXX";

/* The two for cmocka_run_group_tests. */
static int scratch_enter(void **state)
{
	(void)state;
	return mkdtemp(scratch_folder) == NULL || chdir(scratch_folder) != 0 ? -1 : 0;
}

static int scratch_leave(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", scratch_folder);
	return chdir("/") != 0 || system(command) != 0 ? -1 : 0;
}

#endif
