/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address space of the filter variant; see filter_memory.h. */
#define _GNU_SOURCE
#include "engine/simulate/filter/filter_memory.h"

#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/codecache/cache.h"
#include "engine/core/addresses.h"
#include "engine/core/util.h"
#include "engine/simulate/arcs/arcs.h"
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

/* ---- Constants ---- */

static void *low(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static void write_order(uint64_t at, uint32_t places)
{
	uint64_t *number = low(at);

	for (uint32_t but = 0; but <= places; but++)
		for (uint32_t i = 0; i < places; i++)
			*number++ = i == but ? UINT64_MAX : i;
}

static uint64_t line_mask(void)
{
	const uint64_t address_mask = (1ull << FILTER_ADDRESS_BITS) - 1;

	return address_mask & ~((1ull << FILTER_LINE_SHIFT) - 1);
}

void filter_memory_write_constants(void)
{
	*(uint64_t *)low(FILTER_NOBODY) = FILTER_NOBODY + sizeof(uint64_t);
	write_order(FILTER_ORDER_8, 8);
	write_order(FILTER_ORDER_16, 16);
}

void filter_write_constants(struct arena_data *d)
{
	d->line_mask = line_mask();
	for (uint32_t n = 0; n <= FILTER_LINE_SHIFT; n++)
		d->aligned[n] = (1ull << n) - 1;
	d->far = ~((1ull << A_NEAR_LOG) - 1);
	d->tick[0] = d->tick[1] = 2;
}
