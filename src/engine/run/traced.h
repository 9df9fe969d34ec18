/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that another program of the run traces (ptrace). They run without the engine, because
 * the tracer would see the engine's registers and code.
 */
#ifndef DWELL_ENGINE_RUN_TRACED_H
#define DWELL_ENGINE_RUN_TRACED_H

#include "engine/core/state.h"

/*
 * Is the process traced by a process of this run, or about to be? A tracer from outside, such as
 * strace around dwell, may see the engine.
 */
bool traced_by_run(const struct thread *t);

#endif
