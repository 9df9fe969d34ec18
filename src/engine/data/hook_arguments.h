/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arguments of the allocation functions that hooks.h describes. */
#ifndef DWELL_ENGINE_DATA_HOOK_ARGUMENTS_H
#define DWELL_ENGINE_DATA_HOOK_ARGUMENTS_H

#include "engine/core/state.h"
#include "engine/translate/hooks.h"

/* The n-th argument of a C function, from 0; arguments on the stack are not supported. */
uint64_t hook_argument(const struct hook_frame *r, uint32_t n);

/* Read the arguments of a call from the registers. */
void hook_arguments_read(struct alloc_call *c, const struct hook_function *f,
			 const struct hook_frame *r);

#endif
