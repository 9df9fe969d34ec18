/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of Go's allocator, by their place on the stack, which is the goroutine's: while one waits
 * for the collection of garbage its thread runs others, and another one may bring it to its end.
 * The caller holds the lock of alloc.c.
 */
#ifndef DWELL_ENGINE_DATA_GO_CALLS_H
#define DWELL_ENGINE_DATA_GO_CALLS_H

#include "engine/core/state.h"

void go_calls_begin(const struct alloc_call *c);
/* The call whose return address stood at sp has come to its end, in *c. False: none has. */
bool go_calls_take(uint64_t sp, struct alloc_call *c);

#endif
