/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which parts of the vector state the process may use, and how large their image is. Some parts,
 * as the tiles of AMX, are granted on request only: signal frames lack them until the program asks.
 */
#ifndef DWELL_ENGINE_CORE_XSTATE_H
#define DWELL_ENGINE_CORE_XSTATE_H

#include <stdint.h>

/* Ask the kernel, and set the fields of `engine`. Called again when the program may use more. */
void xstate_look(void);

/* Contents of a signal frame at this moment: tiles only if they are in use. */
struct xstate {
	uint64_t parts, bytes;
};
struct xstate xstate_of_frame(void);
/* The rights of protection keys, if the processor has them: engine.keys_at is not 0. */
uint32_t xstate_keys(void);
void xstate_set_keys(uint32_t keys);

/*
 * The largest image. The processor may read the place of a part even if the image lacks the part.
 */
#define XSTATE_MOST_BYTES 12288u
#define XSTATE_SSE	  2ull
#define XSTATE_LEGACY	  3ull /* x87 and SSE */
#define XSTATE_KEYS	  (1ull << 9)
#define XSTATE_TILES	  (3ull << 17)

#endif
