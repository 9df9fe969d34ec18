/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slots of the channel. All of them take gigabytes of address space: only the process's own is
 * mapped.
 */
#ifndef DWELL_ENGINE_CORE_SLOTS_H
#define DWELL_ENGINE_CORE_SLOTS_H

#include "engine/core/state.h"

/* What a slot says of itself, without its counters; or that it is free. */
struct channel_slot slots_look(const struct process *p, uint32_t index);
/*
 * For p, in place of the slot that it had, or that its parent had whose memory this is a copy of.
 * False: no memory.
 */
bool slots_map(struct process *p, uint32_t index);
/*
 * The same with the slot of the living process that has p's order and this pid; false: there is
 * none.
 */
bool slots_map_of(struct process *p, uint32_t pid);
void slots_unmap(struct process *p);
/* So the collector finds the process's number in its own namespace; see struct channel_slot. */
void slots_lock(const struct process *p);

#endif
