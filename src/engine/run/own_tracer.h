/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A child that shares the program's memory and stops its threads with ptrace, as leak checkers make
 * one (clone with CLONE_VM and CLONE_UNTRACED). It runs without the engine, because the threads it
 * stops may hold the engine's locks. It takes the registers and the stack pointer of each as the
 * program's.
 *
 * Natively the thread that made it calls sched_yield until it is done. A stop between two of these
 * calls would show the engine's stack. So the first call sleeps until the child ends, with the
 * program's registers, and the child begins when it sleeps.
 */
#ifndef DWELL_ENGINE_RUN_OWN_TRACER_H
#define DWELL_ENGINE_RUN_OWN_TRACER_H

#include "engine/core/state.h"

/* Do the flags of a clone make such a child? */
bool own_tracer_is_made(uint64_t flags);

/*
 * In the child, before it leaves the engine: wait until `maker` sleeps in sched_yield, for
 * a tenth of a second at most. `flags` are those of its clone.
 */
void own_tracer_begin(struct thread *maker, uint64_t flags);

/* The program's sched_yield: 0, or RESTART_CALL. */
long own_tracer_yield(struct thread *t, long nr, const long args[6]);

#endif
