/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses that wait while blocks change. Those in a thread's stream buffer are looked at later;
 * changes in between are logged, see block_log.h.
 */
#ifndef DWELL_ENGINE_DATA_WAITING_H
#define DWELL_ENGINE_DATA_WAITING_H

#include "engine/core/state.h"
#include "engine/data/block_log.h"

/* The thread's log; NULL: its accesses do not wait, or there is no log. */
struct block_log *waiting_log(const struct thread *t);

/*
 * Call before `changes` changes: if the log has no room for them, look at all waiting accesses now.
 * That may close the window; then the thread changes its variant soon. Returns whether it looked.
 */
bool waiting_settle(struct thread *t, uint32_t changes);

/*
 * In the filter variant misses wait, if they are counted by data. Call before memory in [start,
 * end) gets another owner, without the lock: finds the owners of the waiting misses there.
 */
bool waiting_has_misses(const struct thread *t);
void waiting_look(const struct thread *t, uint64_t start, uint64_t end);
/* The same of misses before the call of an allocation function that now returns. */
void waiting_look_before_call(const struct thread *t, uint64_t start, uint64_t end);

/* Log that the block has gone; or has come, when the thread had made `at` accesses. */
void waiting_note_gone(const struct thread *t, const struct block_info *b);
void waiting_note_come(const struct thread *t, const struct block_info *b, uint64_t at);

/*
 * A call that allocates a block begins; has returned, when the block is known: what the call has
 * touched there belongs to the block. bytes: 0 if there is none.
 */
void waiting_call_begins(struct thread *t, struct alloc_call *c);
void waiting_call_returns(const struct thread *t, uint64_t start, uint64_t bytes);

#endif
