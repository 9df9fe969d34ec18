/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fixed addresses of snippets and their data, so that a native and a translated run have equal
 * pointers.
 *
 *   scratch - 4 KB      +0                  +8 KB               +16 KB
 *   | nothing mapped |  data            |   stack           |  nothing mapped |
 */
#ifndef DIFFTEST_PLACE_H
#define DIFFTEST_PLACE_H

#include <stdint.h>

#define SCRATCH_BYTES 0x4000u
#define SCRATCH_DATA  0x1000u /* ordinary memory operands begin here ... */
#define SCRATCH_STACK 0x3000u /* ... and rsp stands a little above this */

/* A branch that is taken, or not, leaves its number here. */
#define SCRATCH_MARKER 0x40u

/* %fs points into the scratch area in snippets that use it. */
#define SCRATCH_FS 0x1800u

#define CODE_CHUNK_BYTES 0x40000u

struct place {
	uint64_t scratch;
	uint64_t code; /* first chunk; the next ones follow */
};

/*
 * Map the scratch area. `far` puts everything above 4 GB, where absolute and
 * 32-bit addresses do not reach. Returns 0, or -1 with errno.
 */
int place_init(struct place *p, int far);

/* A pointer to `bytes` of the scratch area, or 0 if they are not all in it. */
void *place_scratch(const struct place *p, uint64_t address, uint32_t bytes);

/* Map a chunk for writing code at a fixed address; 0 with errno on failure. */
uint8_t *place_chunk_map(uint64_t address);

/* Make a chunk executable and no longer writable. Returns 0, or -1 with errno. */
int place_chunk_seal(uint8_t *chunk);

/* Give the chunk's addresses back to the reserve. */
void place_chunk_unmap(uint8_t *chunk);

#endif
