/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps at fixed addresses, and never over something that is there already. */
#include "difftest/place.h"

#include <errno.h>
#include <sys/mman.h>

static void *map_at(uint64_t address, uint64_t bytes)
{
	void *want = (void *)(uintptr_t)address;
	void *got = mmap(want, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (got == MAP_FAILED)
		return 0;
	if (got != want) {
		munmap(got, bytes);
		errno = EEXIST;
		return 0;
	}
	return got;
}

int place_init(struct place *p, int far)
{
	p->scratch = far ? 0x200020000000ull : 0x20000000ull;
	p->code = far ? 0x200030000000ull : 0x30000000ull;
	return map_at(p->scratch, SCRATCH_BYTES) ? 0 : -1;
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
	return map_at(address, CODE_CHUNK_BYTES);
}

int place_chunk_seal(uint8_t *chunk)
{
	return mprotect(chunk, CODE_CHUNK_BYTES, PROT_READ | PROT_EXEC);
}

void place_chunk_unmap(uint8_t *chunk)
{
	munmap(chunk, CODE_CHUNK_BYTES);
}
