/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps all threads out of the code cache, and empties it. */
#ifndef DWELL_ENGINE_TRANSLATE_WORLD_H
#define DWELL_ENGINE_TRANSLATE_WORLD_H

#include "engine/core/state.h"

/*
 * Keep all other threads out of the cache until world_release. World_stop waits
 * at most `patience_ms` (0: without end) and returns whether all are out.
 */
bool world_stop(struct thread *t, uint32_t patience_ms);
void world_release(void);
/* Drop all translated code. t is outside of the cache and holds no lock. */
void world_empty_cache(struct thread *t);
/* In a forked child: no thread holds the world. */
void world_reset(void);
/* Make threads come to the dispatcher soon: their next check exits. */
void world_kick(const struct thread *except);

/* Wait while another thread holds the world. */
void world_await_release(void);

#endif
