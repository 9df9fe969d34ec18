/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of Go's allocator, by their place on the goroutine's stack: while a goroutine waits for the
 * garbage collector its thread runs others, and another thread may finish its call. The caller
 * holds the lock of alloc.c.
 */
#ifndef DWELL_ENGINE_DATA_GO_CALLS_H
#define DWELL_ENGINE_DATA_GO_CALLS_H

#include "engine/core/state.h"

void go_calls_begin(const struct alloc_call *c);
/* Take out the call whose return address was at sp, into *c. False: there is none. */
bool go_calls_take(uint64_t sp, struct alloc_call *c);

#endif
