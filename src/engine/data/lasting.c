/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What may be remembered about the memory around an address; see lasting.h. */
#include "engine/data/lasting.h"

uint32_t alloc_version;
/* Around the regions that were called lasting: blocks may begin inside later. */
static struct {
	uint64_t low, high;
} lasting = {.low = UINT64_MAX};

void lasting_changed(uint64_t start, uint64_t bytes)
{
	alloc_version += bytes >= LASTING_BYTES || (start >= lasting.low && start < lasting.high);
}

void lasting_region(uint64_t start, uint64_t end)
{
	if (start < lasting.low)
		lasting.low = start;
	if (end > lasting.high)
		lasting.high = end;
}
