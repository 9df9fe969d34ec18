/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph in the filter variant. Where code leaves its function, or may, it writes a record:
 * which end of a segment it was, where it leads to if that is not known beforehand, the stack
 * pointer at calls and returns, and the counts so far, which are lanes 2 and 3 of the counter
 * register (lanes.h). A miss adds to the record of events behind the last one. When the records
 * have no room left they are followed (sim/calls/call_records.h).
 *
 * Records stand up to a page that cannot be written; the fault of the one that does not fit follows
 * them, and is tried again at the beginning. Code that branches out of its function seldom writes
 * on that way only.
 *
 * The last record is held back while nothing has run behind it: should a signal come first, or
 * should there be no code, the graph knows what was left, and is told later what was entered.
 *
 * One thread at a time is in the filter variant (filter_scheduler.h), and writes records. To follow
 * them the lock of collect.h is wanted: what is called from code takes it where it has to, all else
 * is called with it.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_CALLS_H
#define DWELL_ENGINE_SIMULATE_FILTER_CALLS_H

#include "engine/translate/call_record.h"

#ifndef __ASSEMBLER__

#include "engine/core/state.h"
#include "sim/calls/call_records.h"

struct frame_context;
struct segment;

/* Calls are to be followed in the filter variant. False: there is no memory. Once. */
bool filter_calls_start(void);
bool filter_calls_are_on(void);

/*
 * A segment is being translated: the graph meets it, and finds it by its address. False: no memory.
 * Under the translate lock.
 */
bool filter_calls_meet(struct segment *s);
/*
 * A new site of its end, leading to pc; 0: anywhere. Returns what records have as number; 0: no
 * memory. The same lock.
 */
uint32_t filter_new_call_site(struct segment *s, uint64_t pc);
/* No code is left. The same lock. */
void filter_forget_call_sites(void);
/* Other functions may come to be where there was code. */
void filter_forget_targets(void);
/* The same, before the next records are followed. Without a lock. */
void filter_targets_have_changed(void);

/* t is about to enter the cache in the filter variant, at t->rip. */
void filter_calls_enter(struct thread *t);
/*
 * All that t has done is told, if it is the thread in the filter variant. It is outside of the
 * cache, and goes on with what it was about to do: events of an instruction that is tried again are
 * held until then.
 */
void filter_calls_pause(struct thread *t);
/* The same, but it goes on with something else, as a handler of signals. */
void filter_calls_settle(struct thread *t);
/*
 * As filter_calls_pause, of the thread in the filter variant, if there is one: it is this one, or
 * no thread can run (filter_scheduler.h).
 */
void filter_calls_settle_all(void);
/* t is in the filter variant no longer, or it is not its turn. Nothing if it was not before. */
void filter_calls_end(struct thread *t);
/* In a forked child: the thread in the filter variant is not there. */
void filter_calls_forget(void);
/*
 * A fault has ended a segment of t after so many of its instructions; the others are not counted
 * any more.
 */
void filter_calls_cut(struct thread *t, struct segment *s, uint32_t insns);
/* An event of t happened so often, beside what executions tell. */
void filter_calls_count(uint32_t event, int64_t amount);
/*
 * An access or fetch of t has missed, which is not counted yet: many records are followed by now.
 */
void filter_calls_catch_up(struct thread *t);
/* The miss that is about to be put behind those of filter_multi.h happens now. */
void filter_calls_missed(void);
/* Is there a record that is not followed yet? */
bool filter_calls_wait(void);
/* All that is written down is followed, to make room for more. */
void filter_calls_follow(void);
/*
 * t has faulted at an address: was it a record that has no room? Then it has by now, and the code
 * goes on.
 */
bool filter_calls_is_full(struct thread *t, uint64_t address, struct frame_context *c);

/* For filter_miss.S: where the next record is when there are many; when there is no room. */
extern uint64_t filter_records_many, filter_records_end;

#endif
#endif
