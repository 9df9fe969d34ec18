/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a call on the stack to its site. Programs allocate in the same places
 * again and again, mostly with the same stack above: a call that was seen before
 * is known by what the walk up the stack had read, which is compared and not
 * walked again. The caller holds the lock of alloc.c.
 */
#ifndef DWELL_ENGINE_CALL_SITES_H
#define DWELL_ENGINE_CALL_SITES_H

#include <stdint.h>

/* The site of a call that has just returned to `back`, with these registers; or 0. */
uint32_t call_sites_get(uint32_t kind, uint64_t back, uint64_t rsp, uint64_t rbp);

#endif
