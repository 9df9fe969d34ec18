/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine of the run: its name, its processor, its data caches. */
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
 * The caches of this machine, as one core sees them, its name "host". Values that neither sysfs nor
 * libc has are assumed: first levels of 32 KB, and a last level of 8 MB if none is known.
 */
void machine_read_model(struct machine_model *m);

/* Time stamp counter now; see meta.tsc_hz. */
uint64_t machine_cycles(void);

#endif
