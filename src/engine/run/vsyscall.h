/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls into the page of old system calls, [vsyscall] at 0xffffffffff600000. Most kernels let it be
 * called but not read, so that there is no code to translate: these are answered as the kernel
 * does. Where it can be read it is translated like any code.
 */
#ifndef DWELL_ENGINE_RUN_VSYSCALL_H
#define DWELL_ENGINE_RUN_VSYSCALL_H

#include "engine/core/state.h"

/*
 * t->rip cannot be read: does it lie in that page? Then the call is done, and t goes on where it
 * returns to, or to a signal: where there is no call, or its arguments are bad. Outside of the
 * cache, without locks.
 */
bool vsyscall_run(struct thread *t);

#endif
