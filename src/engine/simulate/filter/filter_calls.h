/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph in the filter variant. Where misses are noted (filter_notes.h), code follows calls
 * by itself: arcs.h. Elsewhere code that leaves its function, or may, writes a record: the
 * end of the segment, the target if it is not known beforehand, the stack pointer at calls and
 * returns, and the counts so far (lanes 2 and 3 of the counter register, lanes.h). A miss adds to a
 * record of events behind the last one. When there is no room left, the records are followed
 * (sim/calls/call_records.h).
 *
 * The records end at a page that cannot be written. The fault of the first record beyond follows
 * them all, and writes it at the beginning. Rare branches out of a function write only when taken.
 *
 * The last record is held back while no code has run after it. If a signal comes first, or there is
 * no code, the graph learns which segment was left, and later which was entered.
 *
 * One thread at a time is in the filter variant (filter_scheduler.h), and writes records. Following
 * them needs the lock of collect.h: functions that code calls take it themselves where they need
 * it; the others are called with it.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_CALLS_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_CALLS_H

#include "engine/translate/call_record.h"

#ifndef __ASSEMBLER__

#include "engine/core/state.h"
#include "sim/calls/call_records.h"

struct frame_context;
struct segment;

/*
 * Follow calls in the filter variant; are_in_line: by arcs.h, as far as code can. False: there is
 * no memory. Called once.
 */
bool filter_calls_start(bool are_in_line);
bool filter_calls_are_on(void);

/*
 * A segment is being translated: let the graph meet it, and find it by its address. False: no
 * memory. Under the translate lock.
 */
bool filter_calls_meet(struct segment *s);
/*
 * A new site for its end, with target pc (0: any). Returns the number for records; 0: no memory.
 * Under the translate lock.
 */
uint32_t filter_new_call_site(struct segment *s, uint64_t pc);
/* Forget all sites, as no code is left. Under the translate lock. */
void filter_forget_call_sites(void);
/* Forget the targets of sites, as their functions may have changed. */
void filter_forget_targets(void);
/* The same, deferred until the next records are followed. No lock. */
void filter_targets_have_changed(void);

void filter_forget_old_targets(void);

/* t is about to enter the cache in the filter variant, at t->rip. */
void filter_calls_enter(struct thread *t);
/*
 * Report all that t has done to the graph, if t is the thread in the filter variant. t is outside
 * of the code cache and will continue where it was: events of an instruction that runs again are
 * held until then.
 */
void filter_calls_pause(struct thread *t);
/* The same, if t continues elsewhere, such as in a signal handler. */
void filter_calls_settle(struct thread *t);
/*
 * filter_calls_pause for the thread in the filter variant, if there is one: it is the caller, or no
 * thread can run (filter_scheduler.h).
 */
void filter_calls_settle_all(void);
/* t has left the filter variant, or lost its turn. Does nothing for other threads. */
void filter_calls_end(struct thread *t);
/* In a forked child, without the parent's thread in the filter variant. */
void filter_calls_forget(void);
/* A fault has ended segment s of t after `insns` instructions; the others are not counted. */
void filter_calls_cut(struct thread *t, struct segment *s, uint32_t insns);
/* Count an event that executions do not imply. */
void filter_calls_count(uint32_t event, int64_t amount);
/* Before a miss of t is counted: follow the records, if there are many. */
void filter_calls_catch_up(struct thread *t);
/* Record that the next miss of filter_multi.h happens here. */
void filter_calls_missed(void);
/* Are there records that were not followed yet? */
bool filter_calls_wait(void);
/* Follow all records, to make room. */
void filter_calls_follow(void);
/*
 * t has faulted at an address. True: a record had no room; now it has, and the code can continue.
 */
bool filter_calls_is_full(struct thread *t, uint64_t address, struct frame_context *c);

/* For filter_miss.S: the address of the next record when there are many; when there is no room. */
extern uint64_t filter_records_many, filter_records_end;

#endif
#endif
