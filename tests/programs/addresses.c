/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory at addresses that the program chooses, where sanitizers, Go, Java, Wine and Valgrind need
 * theirs. First /proc/self/maps must show that the place is free; then it is mapped, used and
 * released. With the argument "wishes", as in Java with ZGC: addresses are only hints, but each of
 * them should be granted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>

#include "check.h"

#define RESERVE (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)
#define RW	(PROT_READ | PROT_WRITE)
#define TIB	(1ull << 40)
#ifndef LEAST
#define LEAST 1 /* a program linked to low addresses has its heap somewhere in the first GB */
#endif

static const struct place {
	const char *whose;
	uint64_t start, end;
} places[] = {
	{"usual in tests", 0x10000000, 0x14000000},
	{"usual in tests", 0x20000000, 0x30000000},
	{"MAP_32BIT", 0x42000000, 0x46000000},
	{"ASan", 0x7fff7000, 0x10007fff8000},
	{"SBCL", 0x1000000000, 0x1200000000},
	{"Valgrind", 0x1002000000, 0x1102000000},
	{"Go", 0xc000000000, 0xc004000000},
	{"MSan, DFSan", 0x010000000000, 0x100000000000},
	{"MSan, DFSan", 0x110000000000, 0x400000000000},
	{"MSan, DFSan", 0x500000000000, 0x510000000000},
	{"TSan, shadow", 0x010000000000, 0x200000000000},
	{"TSan, blocks", 0x300000000000, 0x400000000000},
	{"TSan, traces", 0x600000000000, 0x620000000000},
	{"TSan, heap", 0x7b0000000000, 0x7c0000000000},
	{"ASan, heap", 0x600000000000, 0x640000000000},
	{"Java, ZGC", 0x040000000000, 0x080000000000},
	{"Java, heap", 0x80000000, 0xf0000000},
	{"Wine", 0x68000000 - 0x200000, 0x68000000},
	{"Wine", 0x7b000000, 0x7b600000},
	{"Wine", 0x7ffe0000, 0x7fff0000},
	{"Wine", 0x170000000, 0x180000000},
};
#define PLACES (sizeof places / sizeof *places)

/* Does /proc/self/maps have anything there? */
static int is_taken(const struct place *p)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	int taken = 0;

	NEED(f);
	while (fgets(line, sizeof line, f)) {
		unsigned long start, end;

		taken |= sscanf(line, "%lx-%lx", &start, &end) == 2 && start < p->end &&
			 end > p->start;
	}
	fclose(f);
	return taken;
}

static void use(char *memory, uint64_t bytes)
{
	memory[0] = 1;
	memory[bytes / 2] = 2;
	memory[bytes - 1] = 3;
	CHECK(memory[0] + memory[bytes / 2] + memory[bytes - 1] == 6);
}

static void demand(const struct place *p, int flag)
{
	void *at = (void *)p->start;
	uint64_t bytes = p->end - p->start;

	CHECK(!is_taken(p));
	NEED(mmap(at, bytes, RW, RESERVE | flag, -1, 0) == at);
	CHECK(is_taken(p));
	use(at, bytes);
	CHECK(munmap(at, bytes) == 0);
	CHECK(!is_taken(p));
}

/* At one of many places, each 1/64 of the heap further on, without demanding any. */
static void *wish(uint64_t from, uint64_t bytes)
{
	for (uint64_t at = from; at < from + 3 * TIB; at += TIB / 64) {
		void *p = mmap((void *)at, bytes, PROT_NONE, RESERVE, -1, 0);

		if (p == (void *)at)
			return p;
		munmap(p, bytes);
	}
	return NULL;
}

static void wish_for_heap(void)
{
	const uint64_t bytes = 64ull << 30;

	for (int view = 0; view < 3; view++) {
		char *p = wish((4ull << view) * TIB, bytes);

		CHECK(p);
		if (p)
			CHECK(mprotect(p, bytes, RW) == 0);
		if (p)
			use(p, bytes);
	}
}

static void map_32bit(void)
{
	char *p = mmap(0, 64 << 20, RW, RESERVE | MAP_32BIT, -1, 0);

	NEED(p != MAP_FAILED);
	CHECK((uintptr_t)p + (64 << 20) <= 0x80000000u);
	use(p, 64 << 20);
	CHECK(munmap(p, 64 << 20) == 0);
}

static void grow_heap(void)
{
	char *p = sbrk(64 << 20);

	NEED(p != (void *)-1);
	use(p, 64 << 20);
	CHECK(sbrk(-(64 << 20)) == p + (64 << 20));
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1) {
		wish_for_heap();
		return check_end();
	}
	for (size_t i = 0; i < PLACES; i++) {
		if (places[i].start < LEAST)
			continue;
		STEP("%s", places[i].whose);
		demand(&places[i], i % 2 ? MAP_FIXED : MAP_FIXED_NOREPLACE);
	}
	map_32bit();
	grow_heap();
	return check_end();
}
