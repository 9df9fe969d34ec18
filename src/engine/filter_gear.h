/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a simulation leaves the filter gear, and comes back to it. */
#ifndef DWELL_ENGINE_FILTER_GEAR_H
#define DWELL_ENGINE_FILTER_GEAR_H

#include "engine/state.h"

/* Both of these take the sampler's lock. t, alone, is about to make another thread: they go on in the stream gear. */
void filter_before_thread(struct thread *t);
/* t is about to map start to end, whatever is there: if that is the filter's, it is over. */
void filter_before_mapping(struct thread *t, uint64_t start, uint64_t end);
/* Under that lock. t is in the stream gear, its buffer replayed: is it alone again? */
void filter_look_for_return(struct thread *t);

#endif
