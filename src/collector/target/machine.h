/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What machine the run is on: its name, its processor, its data caches. */
#ifndef DWELL_COLLECTOR_TARGET_MACHINE_H
#define DWELL_COLLECTOR_TARGET_MACHINE_H

#include <stdint.h>

#include "base/machines.h"

struct machine {
	char host[128];
	char cpu[128]; /* "" when /proc does not tell */
	uint64_t cache_bytes
		[4]; /* data or unified cache of levels 1 to 3, as one core sees it; 0: unknown */
};

void machine_read(struct machine *m);

/*
 * The caches of this machine, as one core sees them, its name "host". What neither sysfs nor libc
 * tells is filled in: first levels of 32 KB, and a last one of 8 MB where there is none at all.
 */
void machine_read_model(struct machine_model *m);

/* Time stamp counter now; see meta.tsc_hz. */
uint64_t machine_cycles(void);

#endif
