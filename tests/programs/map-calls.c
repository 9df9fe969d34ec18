/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls about memory cost about the same, however many mappings the process has: also those
 * that fail, and those for places where nothing is mapped, with a limit of memory or without.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "check.h"

#define FEW	   250
#define MANY	   (16 * FEW)
#define CALLS	   400
#define MOST_TIMES 5 /* natively about 1 */

static uint8_t *area, *hole;

static void in_core(void)
{
	unsigned char known[2];

	CHECK(mincore(hole, 4096, known) != 0);
}

static void unmap_nothing(void)
{
	CHECK(munmap(hole, 8192) == 0);
}

static void map_fixed(void)
{
	CHECK(mmap(hole, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == hole);
	CHECK(munmap(hole, 8192) == 0);
}

static void protect_nothing(void)
{
	CHECK(mprotect(hole, 4096, PROT_READ) != 0);
}

static void advise_nothing(void)
{
	CHECK(madvise(hole, 4096, MADV_DONTNEED) != 0);
}

static void remap_nothing(void)
{
	CHECK(mremap(hole, 4096, 8192, MREMAP_MAYMOVE) == MAP_FAILED);
}

static void map_too_much(void)
{
	CHECK(mmap(0, 1ul << 47, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
}

static void protect(void)
{
	CHECK(mprotect(area, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
	CHECK(mprotect(area, 4096, PROT_READ | PROT_WRITE) == 0);
}

static const struct {
	const char *name;
	void (*call)(void);
} calls[] = {
	{"mincore", in_core},	       {"munmap", unmap_nothing},   {"MAP_FIXED", map_fixed},
	{"mprotect", protect_nothing}, {"madvise", advise_nothing}, {"mremap", remap_nothing},
	{"too much", map_too_much},    {"code", protect},
};

#define KINDS (sizeof calls / sizeof *calls)

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The best of three, as other programs disturb. */
static void measure(double cost[KINDS])
{
	for (uint32_t k = 0; k < KINDS; k++) {
		cost[k] = 1e9;
		for (int tries = 0; tries < 3; tries++) {
			const double from = seconds();

			for (int i = 0; i < CALLS; i++)
				calls[k].call();
			if (seconds() - from < cost[k])
				cost[k] = seconds() - from;
		}
	}
}

static void divide(int mappings)
{
	for (int i = 0; i < mappings; i++)
		CHECK(mprotect(area + 8192l * i, 4096, PROT_READ | PROT_WRITE) == 0);
}

static void compare(const char *what, const double few[KINDS], const double many[KINDS])
{
	for (uint32_t k = 0; k < KINDS; k++) {
		const bool is_flat = many[k] <= MOST_TIMES * few[k] + 2e-3;

		if (!is_flat)
			printf("%s, %s: %.2f and %.2f us\n", what, calls[k].name,
			       few[k] / CALLS * 1e6, many[k] / CALLS * 1e6);
		CHECK(is_flat);
	}
}

int main(void)
{
	const struct rlimit limit = {1ul << 44, RLIM_INFINITY};
	const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
	double few[KINDS], many[KINDS], limited[KINDS];

	area = mmap(0, 8192ul * MANY, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	hole = mmap(0, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(area != MAP_FAILED && hole != MAP_FAILED);
	CHECK(munmap(hole, 65536) == 0);
	CHECK(setrlimit(RLIMIT_AS, &none) == 0);
	divide(FEW);
	measure(few);
	divide(MANY);
	measure(many);
	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	measure(limited);
	compare("no limit", few, many);
	compare("a limit", few, limited);
	return check_end();
}
