/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The price of system calls that change or ask about memory, in nanoseconds of processor time:
 * prints a line "CALL NS" for each kind, with MAPPINGS mappings beside.
 *
 *   bench_map_calls MAPPINGS ROUNDS
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE  4096ul
#define PAGES 64ul

static uint8_t *area; /* PAGES mappings, with a hole behind each */
static unsigned long rounds, turn;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static uint8_t *map(uint8_t *at, unsigned long bytes, int flags)
{
	uint8_t *p =
		mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (p == MAP_FAILED)
		fail("mmap");
	return p;
}

static uint8_t *page(void)
{
	return area + turn++ % PAGES * 2 * PAGE;
}

static void do_mmap(void)
{
	uint8_t *p = map(0, PAGE, 0);

	if (munmap(p, PAGE) != 0)
		fail("munmap");
}

static void do_mmap_fixed(void)
{
	map(page(), PAGE, MAP_FIXED);
}

static void do_munmap_holes(void)
{
	/* unmaps nothing */
	if (munmap(page() + PAGE, PAGE) != 0)
		fail("munmap");
}

static void do_munmap_wide(void)
{
	uint8_t *p = map(area + 3 * PAGES * PAGE, PAGE, MAP_FIXED);

	/* a mapping between holes */
	if (munmap(p - PAGES / 2 * PAGE, PAGES * PAGE) != 0)
		fail("munmap");
}

static void do_mprotect(void)
{
	uint8_t *p = page();

	mprotect(p, PAGE, PROT_READ);
	mprotect(p, PAGE, PROT_READ | PROT_WRITE);
}

static void do_mprotect_holes(void)
{
	mprotect(area, PAGES * 2 * PAGE, PROT_READ | PROT_WRITE);
}

static void do_madvise(void)
{
	madvise(page(), PAGE, MADV_DONTNEED);
}

static void do_madvise_holes(void)
{
	madvise(area, PAGES * 2 * PAGE, MADV_DONTNEED);
}

static void do_mincore(void)
{
	unsigned char vec[1];

	mincore(page(), PAGE, vec);
}

static void do_mincore_hole(void)
{
	unsigned char vec[1];

	mincore(page() + PAGE, PAGE, vec);
}

static void do_mremap(void)
{
	uint8_t *p = page();

	/* into the hole, and back */
	if (mremap(p, PAGE, 2 * PAGE, 0) == MAP_FAILED || mremap(p, 2 * PAGE, PAGE, 0) != p)
		fail("mremap");
}

static void do_mremap_hole(void)
{
	mremap(page() + PAGE, PAGE, 2 * PAGE, MREMAP_MAYMOVE);
}

static void do_brk(void)
{
	if (sbrk(PAGE) == (void *)-1 || sbrk(-(long)PAGE) == (void *)-1)
		fail("sbrk");
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{"mmap+munmap", do_mmap},
	{"mmap-fixed", do_mmap_fixed},
	{"munmap-hole", do_munmap_holes},
	{"munmap-wide", do_munmap_wide},
	{"mprotect", do_mprotect},
	{"mprotect-holes", do_mprotect_holes},
	{"madvise", do_madvise},
	{"madvise-holes", do_madvise_holes},
	{"mincore", do_mincore},
	{"mincore-hole", do_mincore_hole},
	{"mremap", do_mremap},
	{"mremap-hole", do_mremap_hole},
	{"brk", do_brk},
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	const unsigned long mappings = argc > 1 ? strtoul(argv[1], 0, 10) : 1000;

	rounds = argc > 2 ? strtoul(argv[2], 0, 10) : 20000;
	area = map(0, 4 * PAGES * PAGE, 0);
	munmap(area, 4 * PAGES * PAGE);
	for (unsigned long i = 0; i < PAGES; i++)
		map(area + i * 2 * PAGE, PAGE, MAP_FIXED);
	/* different rights keep them from merging */
	for (unsigned long i = 0; i < mappings; i++)
		if (i % 2)
			mprotect(map(0, PAGE, 0), PAGE, PROT_READ);
		else
			map(0, PAGE, 0);
	for (unsigned long k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		uint64_t best = UINT64_MAX;

		for (int part = 0; part < 5; part++) {
			const uint64_t from = now_ns();

			for (unsigned long i = 0; i < rounds / 5; i++)
				kinds[k].run();
			const uint64_t took = (now_ns() - from) / (rounds / 5);

			best = took < best ? took : best;
		}
		printf("%s %lu\n", kinds[k].name, (unsigned long)best);
	}
	return 0;
}
