/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a call on the stack to its site. The stacks of successive allocations differ in a few inner
 * calls, mostly: only these are walked. The caller holds the lock of alloc.c.
 */
#ifndef DWELL_ENGINE_DATA_CALL_SITES_H
#define DWELL_ENGINE_DATA_CALL_SITES_H

#include <stdint.h>

/* The site of a call that has just returned to `back` with these registers; 0: none. */
uint32_t call_sites_get(uint32_t kind, uint64_t back, uint64_t rsp, uint64_t rbp);

#endif
