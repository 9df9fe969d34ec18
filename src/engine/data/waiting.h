/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses that wait in a thread's stream buffer while blocks change: they were made before, and
 * are looked at later. What changes meanwhile is logged; see block_log.h.
 */
#ifndef DWELL_ENGINE_DATA_WAITING_H
#define DWELL_ENGINE_DATA_WAITING_H

#include "engine/core/state.h"
#include "engine/data/block_log.h"

/* The thread's log; NULL: no access of its waits, or none may. */
struct block_log *waiting_log(const struct thread *t);

/*
 * Before so many changes: where the log has no room for them the accesses are looked at. That may
 * close the window: then the thread is called to change variants. Returns whether they were.
 */
bool waiting_settle(struct thread *t, uint32_t changes);

/* Such a block has come or gone. */
void waiting_note(const struct thread *t, const struct block_info *b, bool came);

#endif
