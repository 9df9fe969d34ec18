/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that another one traces (ptrace). The tracer would see the engine's registers and code,
 * so what it traces runs without the engine.
 */
#ifndef DWELL_ENGINE_RUN_TRACED_H
#define DWELL_ENGINE_RUN_TRACED_H

#include "engine/core/state.h"

/*
 * Is the process traced by one of this run, or about to be? A tracer from outside, as strace around
 * dwell, sees the engine: that is what it asked for.
 */
bool traced_by_run(const struct thread *t);

#endif
