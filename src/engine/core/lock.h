/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks of in-target code, by futex. Never held while target code runs.
 *
 * A process that shares this memory (CLONE_VM) may be killed while it holds a lock. So locks know
 * their owner from the first such process on, and a waiting thread takes over a dead one's lock.
 */
#ifndef DWELL_ENGINE_CORE_LOCK_H
#define DWELL_ENGINE_CORE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#define LOCK_LOOK_NS 50000000u /* between two looks at the owner of a lock */

/* 0 is unlocked. */
void lock_take(uint32_t *lock);
void lock_drop(uint32_t *lock);

/* From now on other processes share this memory: locks know their owners. */
void lock_begin_owners(void);
/* A system call filter may forbid to look at owners. */
void lock_end_owners(void);
/* The value of a lock that the calling thread takes; never 0. */
uint32_t lock_value(void);
/* Was the owner killed that a lock's value names? False: it lives, or nobody knows. */
bool lock_is_lost(uint32_t value);

#endif
