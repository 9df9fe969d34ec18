/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the machine does where no code could be made. */
#ifndef DWELL_ENGINE_RUN_FETCH_FAULT_H
#define DWELL_ENGINE_RUN_FETCH_FAULT_H

#include "engine/core/state.h"
#include "engine/translate/translate.h"

/* The code for t->rip could not be made: the machine would have faulted. */
void fetch_fault_raise(struct thread *t, enum translate_result r);

#endif
