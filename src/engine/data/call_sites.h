/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a call on the stack to its site. Programs allocate again and again with the same stack above
 * them, but for a few calls: only these are walked. The caller holds the lock of alloc.c.
 */
#ifndef DWELL_ENGINE_DATA_CALL_SITES_H
#define DWELL_ENGINE_DATA_CALL_SITES_H

#include <stdint.h>

/* The site of a call that has just returned to `back`, with these registers; or 0. */
uint32_t call_sites_get(uint32_t kind, uint64_t back, uint64_t rsp, uint64_t rbp);

#endif
