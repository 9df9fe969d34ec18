/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls into the page of legacy system calls, [vsyscall] at 0xffffffffff600000. Most kernels let a
 * program call the page but not read it: without code to translate, the engine emulates the call.
 * A readable page is translated like any code.
 */
#ifndef DWELL_ENGINE_RUN_VSYSCALL_H
#define DWELL_ENGINE_RUN_VSYSCALL_H

#include "engine/core/state.h"

/*
 * Emulate the call if t->rip, which cannot be read, lies in that page; else return false. t then
 * continues at the return address, or with a signal if there is no call at t->rip or its arguments
 * are bad. Called outside of the code cache, without locks.
 */
bool vsyscall_run(struct thread *t);

#endif
