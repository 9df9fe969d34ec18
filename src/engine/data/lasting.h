/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that alloc_find calls lasting: who looks up many addresses may remember it until
 * alloc_version changes. The lock of alloc.c guards everything here.
 */
#ifndef DWELL_ENGINE_DATA_LASTING_H
#define DWELL_ENGINE_DATA_LASTING_H

#include <stdint.h>

#define LASTING_BYTES 65536u /* smaller blocks come and go too often */

/* A block has come or gone. */
void lasting_changed(uint64_t start, uint64_t bytes);
/* A region without blocks was called lasting. */
void lasting_region(uint64_t start, uint64_t end);

#endif
