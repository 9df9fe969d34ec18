/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the engine's own memory lies; see addresses.h. */
#define _GNU_SOURCE
#include "engine/core/addresses.h"

#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/core/state.h"
#include "engine/core/util.h"

#define RESERVES_BELOW (64ull << 30)
#define RESERVE_UNIT   (1ull << 30)

static uint64_t low_next = LOW_TABLES;

static long map(uint64_t at, uint64_t bytes, int flags)
{
	engine_has_mapped();
	return sys6(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
}

void *addresses_map_low(uint64_t bytes, uint64_t align, int flags)
{
	uint64_t at = round_up(low_next, align);
	long p = -1;

	if (at + bytes <= LOW_TABLES_END)
		p = map(at, bytes, flags | MAP_FIXED_NOREPLACE);
	if (!sys_failed(p) && (uint64_t)p == at) {
		low_next = at + bytes;
		return (void *)p;
	}
	if (!sys_failed(p)) /* a kernel without MAP_FIXED_NOREPLACE */
		sys2(SYS_munmap, p, bytes);
	p = map(0, bytes + align, flags | MAP_32BIT);
	return sys_failed(p) ? 0 : (void *)round_up((uint64_t)p, align);
}

/*
 * Not beside the program: between its data and its code in the cache, a reserve would put the data
 * out of reach. Each rip-relative operand would cost three more instructions.
 */
uint64_t addresses_of_reserve(uint64_t bytes)
{
	static uint64_t next;
	uint64_t at = next;

	bytes = round_up(bytes, RESERVE_UNIT);
	if (!at) {
		long here = map(0, PAGE, MAP_PRIVATE);

		if (sys_failed(here))
			return 0;
		sys2(SYS_munmap, here, PAGE);
		at = round_up((uint64_t)here, RESERVE_UNIT);
		at -= at > 2 * RESERVES_BELOW ? RESERVES_BELOW : 0;
	}
	next = at - bytes;
	return next;
}

bool addresses_have_tables(uint64_t start, uint64_t end)
{
	return start < low_next && end > LOW_TABLES;
}
