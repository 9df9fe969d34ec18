/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps at fixed addresses, but never over an existing mapping. */
#include "difftest/place.h"

#include <errno.h>
#include <sys/mman.h>

/* Around scratch and code: what a snippet hits by mistake must be nobody's memory, in any run. */
#define RESERVED_BEFORE 0x10000000ull
#define RESERVED_AFTER	0x20000000ull

static int reserve(uint64_t address, uint64_t bytes)
{
	void *want = (void *)(uintptr_t)address;
	void *got = mmap(want, bytes, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (got == MAP_FAILED)
		return -1;
	if (got != want) {
		munmap(got, bytes);
		errno = EEXIST;
		return -1;
	}
	return 0;
}

static void *map_reserved(uint64_t address, uint64_t bytes, int protection)
{
	void *got = mmap((void *)(uintptr_t)address, bytes, protection,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	return got == MAP_FAILED ? 0 : got;
}

int place_init(struct place *p, int far)
{
	p->scratch = far ? 0x200020000000ull : 0x20000000ull;
	p->code = far ? 0x200030000000ull : 0x30000000ull;
	if (reserve(p->scratch - RESERVED_BEFORE, RESERVED_BEFORE + RESERVED_AFTER))
		return -1;
	/* 32-bit addresses lead to the low half of a far one. */
	if (far &&
	    reserve((uint32_t)p->scratch - RESERVED_BEFORE, RESERVED_BEFORE + RESERVED_AFTER))
		return -1;
	return map_reserved(p->scratch, SCRATCH_BYTES, PROT_READ | PROT_WRITE) ? 0 : -1;
}

void *place_scratch(const struct place *p, uint64_t address, uint32_t bytes)
{
	if (address < p->scratch || address - p->scratch > SCRATCH_BYTES ||
	    bytes > SCRATCH_BYTES - (address - p->scratch))
		return 0;
	return (void *)(uintptr_t)address;
}

uint8_t *place_chunk_map(uint64_t address)
{
	return map_reserved(address, CODE_CHUNK_BYTES, PROT_READ | PROT_WRITE);
}

int place_chunk_seal(uint8_t *chunk)
{
	return mprotect(chunk, CODE_CHUNK_BYTES, PROT_READ | PROT_EXEC);
}

void place_chunk_unmap(uint8_t *chunk)
{
	map_reserved((uint64_t)(uintptr_t)chunk, CODE_CHUNK_BYTES, PROT_NONE);
}
