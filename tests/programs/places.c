/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses places for its memory: a hundred at random in all of the address space, with each call
 * that names a place; and vast ranges that it does not touch. Whatever lies there meanwhile gives
 * way, and no memory changes.
 */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/shm.h>

#define PLACES	 100u
#define SIZE	 (64ul << 10)
#define WORDS	 (SIZE / sizeof(uint64_t))
#define LOWEST	 (64ull << 30) /* programs linked to fixed places, and what they share lies below */
#define FIXED	 (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)
#define FEW	 5u /* places that are not free: those of libraries, and of a profiler */
#define COUNTERS (1u << 16)
#define COUNTS	 2000u

static uint64_t *place[PLACES];
static uint32_t counter[COUNTERS];
static uint64_t state = 1;

static uint64_t next(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static bool is_free(void *at, size_t bytes)
{
	void *p = mmap(at, bytes, PROT_NONE, FIXED | MAP_FIXED_NOREPLACE, -1, 0);

	if (p != MAP_FAILED)
		munmap(p, bytes);
	return p == at;
}

static void *share(void *at)
{
	const int id = shmget(IPC_PRIVATE, SIZE, 0600);
	void *p = shmat(id, at, 0);

	shmctl(id, IPC_RMID, 0);
	return p;
}

static void *move(void *at)
{
	void *p = mmap(0, SIZE, PROT_READ | PROT_WRITE, FIXED, -1, 0);

	return mremap(p, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, at);
}

static uint64_t *take(unsigned n, void *at)
{
	if (n % 8 == 1)
		return share(at);
	if (n % 8 == 2)
		return move(at);
	return mmap(at, SIZE, PROT_READ | PROT_WRITE,
		    FIXED | (n % 8 == 3 ? MAP_FIXED_NOREPLACE : MAP_FIXED), -1, 0);
}

static uint64_t value(unsigned n, unsigned word)
{
	return (n + 1ull) * 0x9e3779b97f4a7c15ull + word;
}

/* Reads and writes here and there. */
static void count(void)
{
	uint32_t number = 1;

	for (unsigned i = 0; i < COUNTS; i++) {
		number = number * 1664525u + 1013904223u;
		counter[number >> 16]++;
	}
}

static void take_all(void)
{
	unsigned taken = 0, refused = 0;

	while (taken < PLACES && refused < FEW) {
		void *at = (void *)(LOWEST + next() % ((1ull << 47) - LOWEST) / SIZE * SIZE);

		if (!is_free(at, SIZE)) {
			refused++;
			continue;
		}
		place[taken] = take(taken, at);
		NEED(place[taken] == at);
		for (unsigned word = 0; word < WORDS; word += 64)
			place[taken][word] = value(taken, word);
		if (taken++ % 10 == 0)
			count();
	}
	CHECK_EQ(taken, PLACES);
}

static void check_all(void)
{
	unsigned wrong = 0;

	for (unsigned n = 0; n < PLACES; n++)
		for (unsigned word = 0; word < WORDS; word += 16)
			wrong += place[n][word] != (word % 64 ? 0 : value(n, word));
	CHECK_EQ(wrong, 0);
}

/* As shadows of sanitizers, and heaps of virtual machines. */
static void reserve(void)
{
	static const struct {
		uint64_t at, bytes;
	} ranges[] = {{0x010000000000, 1ull << 40},
		      {0x100000000000, 1ull << 44},
		      {0x200000000000, 1ull << 43},
		      {0x00c000000000, 1ull << 36}};

	for (unsigned i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		void *at = (void *)ranges[i].at;
		uint64_t *p =
			mmap(at, ranges[i].bytes, PROT_NONE, FIXED | MAP_FIXED_NOREPLACE, -1, 0);

		if (p == MAP_FAILED && errno == EEXIST) /* the layout has something there */
			continue;
		NEED(p == at);
		NEED(mprotect(p + WORDS, SIZE, PROT_READ | PROT_WRITE) == 0);
		p[WORDS] = i;
		count();
		CHECK_EQ(p[WORDS], i);
		NEED(munmap(p, ranges[i].bytes) == 0);
	}
}

int main(void)
{
	unsigned sum = 0;

	count();
	reserve();
	take_all();
	count();
	check_all();
	for (unsigned i = 0; i < COUNTERS; i++)
		sum += counter[i];
	CHECK(sum % COUNTS == 0);
	return check_end();
}
