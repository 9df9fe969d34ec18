/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of Go's allocator; see go_calls.h. */
#include "engine/data/go_calls.h"

#define BITS 10

static struct alloc_call calls[1u << BITS];

static struct alloc_call *call_at(uint64_t sp)
{
	return &calls[(sp >> 4) * 0x9e3779b97f4a7c15ull >> (64 - BITS)];
}

void go_calls_begin(const struct alloc_call *c)
{
	*call_at(c->sp) = *c;
}

bool go_calls_take(uint64_t sp, struct alloc_call *c)
{
	struct alloc_call *there = call_at(sp);

	if (!there->kind || there->sp != sp)
		return false;
	*c = *there;
	there->kind = 0;
	return true;
}
