/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Free space near the program's own code, as run-time compilers look for it: of the range of 32-bit
 * displacements less than half is mapped, and some of a few random places are available.
 */
#define _GNU_SOURCE
#include "check.h"
#include <sys/mman.h>

#define REACH  (1ull << 31)
#define CODE   (64u << 10)
#define PLACES 64

static uint64_t mapped_within(uint64_t low, uint64_t high)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[8192];
	uint64_t sum = 0;

	NEED(maps);
	while (fgets(line, sizeof line, maps)) {
		char *end;
		uint64_t from = strtoull(line, &end, 16), to = strtoull(end + 1, NULL, 16);

		from = from > low ? from : low;
		to = to < high ? to : high;
		sum += to > from ? to - from : 0;
	}
	fclose(maps);
	return sum;
}

int main(void)
{
	const uint64_t here = (uint64_t)(uintptr_t)main & ~0xffffull;
	uint64_t random = 7;
	int found = 0;

	CHECK(mapped_within(here - REACH, here + REACH) < REACH);
	for (int i = 0; i < PLACES; i++) {
		const uint64_t at = here - REACH / 2 + (check_random(&random) % REACH & ~0xffffull);
		void *p = mmap((void *)(uintptr_t)at, CODE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		NEED(p != MAP_FAILED);
		found += (uint64_t)(uintptr_t)p == at;
		munmap(p, CODE);
	}
	CHECK(found > PLACES / 4);
	return check_end();
}
