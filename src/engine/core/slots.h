/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slots of the channel. All slots would take gigabytes of address space, so a process maps only its
 * own.
 */
#ifndef DWELL_ENGINE_CORE_SLOTS_H
#define DWELL_ENGINE_CORE_SLOTS_H

#include "engine/core/state.h"

/* A copy of a slot's head, without its counters. An unreadable slot counts as free. */
struct channel_slot slots_look(const struct process *p, uint32_t index);
/*
 * Map slot `index` for p. It replaces p's earlier slot, or the one that a forked child inherited.
 * False: no memory.
 */
bool slots_map(struct process *p, uint32_t index);
/*
 * The same with the slot of the living process with p's order and this pid; false if there is none.
 */
bool slots_map_of(struct process *p, uint32_t pid);
void slots_unmap(struct process *p);
/* Lock p's slot in the channel file, which shows the collector its pid: see struct channel_slot. */
void slots_lock(const struct process *p);
/*
 * Unlock it when all records are written: the process may live on, or die slowly, while another
 * one has the slot, whose pid the collector would take it for.
 */
void slots_unlock(const struct process *p);

#endif
