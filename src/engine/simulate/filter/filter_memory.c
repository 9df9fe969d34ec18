/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address space of the filter variant; see filter_memory.h. */
#define _GNU_SOURCE
#include "engine/simulate/filter/filter_memory.h"

#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/core/addresses.h"
#include "engine/core/util.h"
#include "engine/simulate/filter/filter.h"

#define PARTS 2u

static struct {
	uint64_t at, bytes; /* 0: not reserved */
} parts[PARTS];

static bool reserve(uint64_t at, uint64_t bytes)
{
	long p = pages_map(at, bytes, PROT_READ | PROT_WRITE,
			   MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1);

	if (!sys_failed(p) && (uint64_t)p != at) /* a kernel without MAP_FIXED_NOREPLACE */
		sys2(SYS_munmap, p, bytes);
	return (uint64_t)p == at && sys3(SYS_madvise, at, bytes, MADV_DONTDUMP) == 0;
}

bool filter_memory_reserve(uint64_t high_bytes)
{
	const uint64_t at[PARTS] = {FILTER_LOW, FILTER_CELLS};
	const uint64_t bytes[PARTS] = {LOW_TABLES - FILTER_LOW, high_bytes};

	for (uint32_t i = 0; i < PARTS; i++) {
		if (!reserve(at[i], bytes[i])) {
			filter_memory_release();
			return false;
		}
		parts[i].at = at[i];
		parts[i].bytes = bytes[i];
	}
	return true;
}

void filter_memory_release(void)
{
	for (uint32_t i = 0; i < PARTS; i++) {
		if (parts[i].bytes)
			sys2(SYS_munmap, parts[i].at, parts[i].bytes);
		parts[i].bytes = 0;
	}
}

bool filter_memory_overlaps(uint64_t start, uint64_t end)
{
	bool any = false;

	for (uint32_t i = 0; i < PARTS; i++)
		any |= start < parts[i].at + parts[i].bytes && end > parts[i].at;
	return any;
}
