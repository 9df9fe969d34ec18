/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What may end a simulation in the filter gear, or make it one of several threads. */
#ifndef DWELL_ENGINE_FILTER_GEAR_H
#define DWELL_ENGINE_FILTER_GEAR_H

#include "engine/state.h"

/* Both of these take the sampler's lock. t is about to make another thread: they take turns from now on. */
void filter_before_thread(struct thread *t);
/* t is about to map start to end, whatever is there: if that is the filter's, it is over. */
void filter_before_mapping(struct thread *t, uint64_t start, uint64_t end);

#endif
