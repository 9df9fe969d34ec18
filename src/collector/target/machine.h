/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine of the run: its name, its processor, its data caches. */
#ifndef DWELL_COLLECTOR_TARGET_MACHINE_H
#define DWELL_COLLECTOR_TARGET_MACHINE_H

#include <stdint.h>

#include "base/machines.h"

struct machine {
	char host[128];
	char cpu[128]; /* "" if /proc does not have it */
	uint64_t cache_bytes
		[4]; /* data or unified cache of levels 1 to 3, as seen by a core; 0: unknown */
};

void machine_read(struct machine *m);

/*
 * The caches of this machine, as one core sees them, named "host". Values missing in sysfs and libc
 * are assumed: first levels of 32 KB, and a last level of 8 MB if none is known.
 */
void machine_read_model(struct machine_model *m);

/* The current time stamp counter; see meta.tsc_hz. */
uint64_t machine_cycles(void);

#endif
