/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults of instruction fetch and decoding. */
#ifndef DWELL_ENGINE_RUN_FETCH_FAULT_H
#define DWELL_ENGINE_RUN_FETCH_FAULT_H

#include "engine/core/state.h"
#include "engine/translate/translate.h"

/* Raise the fault that the processor would at t->rip, where translation failed with r. */
void fetch_fault_raise(struct thread *t, enum translate_result r);

#endif
