/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processor keeps the address of the last x87 instruction, which is a place in the cache.
 * fnstenv, fnsave, fxsave, the xsave family and signal frames show it. Before they do, the engine
 * loads the target's address in its place, so that each writes it in its own form.
 *
 * AMD processors load the address only while an exception is pending; else it does not change.
 */
#ifndef DWELL_ENGINE_TRANSLATE_X87_H
#define DWELL_ENGINE_TRANSLATE_X87_H

#include "engine/core/state.h"

/* The target is about to see the state. If its code was dropped since, the address becomes 0. */
void x87_show(struct thread *t);
/* The code is gone: set the address to 0 if it lies in the cache. */
void x87_forget(void);

#endif
