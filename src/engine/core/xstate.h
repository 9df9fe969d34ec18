/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which parts of the vector state the process may use, and how large an image of them is. Parts
 * that the kernel hands out on request only, as the tiles of AMX, are none of a signal frame until
 * the program has asked for them.
 */
#ifndef DWELL_ENGINE_CORE_XSTATE_H
#define DWELL_ENGINE_CORE_XSTATE_H

#include <stdint.h>

/* Asks the kernel, and sets what `engine` knows of it. Again when the program may use more. */
void xstate_look(void);

/* What a signal frame holds at this moment: tiles only if there is something in them. */
struct xstate {
	uint64_t parts, bytes;
};
struct xstate xstate_of_frame(void);
/* The same with protection keys, which are no part of it otherwise. */
struct xstate xstate_of_all(void);

/*
 * No image is larger. The processor may look at the place of a part that an image has nothing of.
 */
#define XSTATE_MOST_BYTES 12288u
#define XSTATE_TILES	  (3ull << 17)

#endif
