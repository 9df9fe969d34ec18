/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph in the filter variant. Code follows calls by itself: arcs.h. What it leaves to the
 * rules is named by sites, the ends of segments (sim/calls/sites.h).
 *
 * One thread at a time is in the filter variant (filter_scheduler.h), and its calls are followed.
 * That needs the lock of collect.h: functions that code calls take it themselves where they need
 * it; the others are called with it.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_CALLS_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_CALLS_H

#include "engine/core/state.h"
#include "sim/calls/sites.h"

struct segment;

/* Follow calls in the filter variant: arcs are on. False: there is no memory. Called once. */
bool filter_calls_start(void);

/*
 * A segment is being translated: let the graph meet it, and find it by its address. False: no
 * memory. Under the translate lock.
 */
bool filter_calls_meet(struct segment *s);
/*
 * A new site for its end, with target pc (0: any). Returns its number; 0: no memory.
 * Under the translate lock.
 */
uint32_t filter_new_call_site(struct segment *s, uint64_t pc);
/* Forget all sites, as no code is left. Under the translate lock. */
void filter_forget_call_sites(void);
/* Forget the targets of sites, as their functions may have changed. */
void filter_forget_targets(void);

void filter_forget_old_targets(void);

/* t is about to enter the cache in the filter variant, at t->rip. */
void filter_calls_enter(struct thread *t);
/*
 * Report all that t has done to the graph, if t is the thread in the filter variant. t is outside
 * of the code cache.
 */
void filter_calls_settle(struct thread *t);
/*
 * The same for the thread in the filter variant, if there is one: it is the caller, or no thread
 * can run (filter_scheduler.h).
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

#endif
