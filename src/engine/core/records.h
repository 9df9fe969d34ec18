/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing records into the process's ring. Each takes the ring's lock. */
#ifndef DWELL_ENGINE_CORE_RECORDS_H
#define DWELL_ENGINE_CORE_RECORDS_H

#include "channel/stack_distance.h"
#include "engine/core/module_files.h"
#include "engine/core/state.h"

/*
 * Map the channel. Returns NULL, or a phrase that says what is wrong with it: then the target
 * runs unprofiled.
 */
const char *records_open(int channel_fd);
/* Claim a slot for this process; false: none is free. */
bool records_claim(struct process *p, uint32_t parent);
void records_process(struct process *p, const char *exe, char *const argv[], uint32_t parent,
		     uint32_t cause);
void records_module(struct process *p, uint64_t start, uint64_t end, uint64_t offset,
		    const char *path, const struct module_file *file);
/*
 * Wait until the collector has read what all processes have written so far; not again after it was
 * in vain once.
 */
void records_await_reader(struct process *p);
void records_unmap(struct process *p, uint64_t start, uint64_t end);
void records_thread(struct process *p, const struct thread *t);
/* False: the record was lost. */
bool records_window(struct process *p, const struct record_window *w);
void records_sample(struct process *p, const struct record_sample *s);
/* r->count events follow it. */
void records_nested(struct process *p, struct record_nested *r, const struct nested_event *events);
/* `count` lines follow it. */
void records_far(struct process *p, const struct record_far *f, const struct far_line *lines,
		 uint32_t count);
void records_stack_distance(struct process *p, const struct record_stack_distance *d);
/* Entries that one record of a stream can hold. */
uint32_t records_stream_most(const struct process *p);
/* Loses nothing: waits for room as long as the collector reads. */
void records_stream(struct process *p, uint32_t thread, const uint64_t *entries, uint32_t count);
/* The same; r->count entries follow, at most records_stream_most. */
void records_lines(struct process *p, struct record_lines *r, const uint64_t *entries);
void records_probes(struct process *p, struct record_probes *r, const uint64_t *entries);
/* A new site, and the counts of a site. Both wait for room; false: the record was lost. */
bool records_site(struct process *p, const struct record_site *s, const uint64_t *path);
bool records_site_counts(struct process *p, const struct record_site_counts *c);
/* Records lost so far because the ring was full. */
uint64_t records_lost(const struct process *p);
/*
 * Is at least a quarter of the ring free? If not, wait at most 50 ms for the collector, which was
 * woken long before. After one wait in vain, don't wait again until there was room.
 */
bool records_wait_for_room(struct process *p);
/* A new call path; does not wait for room. False: the record was lost. */
bool records_path(struct process *p, uint32_t id, const uint64_t *path, uint32_t depth);
/* A simulated segment with r->parts of its instructions and then their events, `bytes` in all. */
void records_segment(struct process *p, struct record_segment *r, const void *parts,
		     uint32_t bytes);
void records_node(struct process *p, struct record_node *r);
void records_arc(struct process *p, struct record_arc *r, const uint64_t *inclusive);
void records_jump(struct process *p, struct record_jump *r);
void records_bin(struct process *p, struct record_bin *r);
void records_stretch(struct process *p, struct record_stretch *r);
void records_contrasts(struct process *p, struct record_contrasts *r);
void records_eviction(struct process *p, struct record_eviction *r);
void records_references(struct process *p, struct record_references *r);
void records_pattern(struct process *p, struct record_pattern *r);
void records_message(struct process *p, const char *text);
/* Live totals into the slot. */
void records_counters(struct process *p);
/* Write the process's last record, and mark its slot as done. */
void records_end(struct process *p, uint32_t cause, uint32_t status, uint64_t footprint);
/* Is the collector gone, or did it ask the engine to stop at once? */
bool records_abandoned(void);
/* A program runs without an engine (change 1), or was not started after all (-1). */
void records_native(int32_t change);
/* Is `pid` a process that is profiled now? */
bool records_has_process(const struct process *p, uint32_t pid);
/*
 * Add accesses of this process to the run's total. Returns the new total of all processes, or 0
 * without a channel.
 */
uint64_t records_ran(uint64_t accesses);
/* Did the collector ask for an orderly end, with all records so far and RECORD_END? */
bool records_finishing(void);
/*
 * There is no memory to continue profiling: warn once. From then on records_finishing is true, too.
 */
void records_give_up(const struct process *p);
/*
 * The code cache was flushed `emptied` times in a row, and a block still finds no room. Other
 * threads may have filled the cache again, so a few flushes are tolerated. Then profiling ends,
 * because the count variant needs least room; if that is in vain, the process ends.
 */
void records_no_room(const struct process *p, uint32_t emptied);
/*
 * The collector's requests for all counts so far: the number of the last one, whether it is still
 * open, and its answer. Answer once the ring has all that was counted when records_question was
 * called.
 */
uint32_t records_question(void);
bool records_asked(const struct process *p);
void records_answer(struct process *p, uint32_t question);
/* The head of the channel, or NULL if there is none. */
struct channel_header *records_header(void);
/* Tell the collector what became of start_at and its kin: enum channel_marks. */
void records_mark(uint32_t marks);
/* The same for function `number` of config.toggles: it was found, or entered. */
void records_toggle(uint32_t number, bool is_entered);
/*
 * A module has this function of config.allocators. `bit`: twice its number, plus 1 if it frees.
 */
void records_allocator(uint32_t bit);
/* A thread's copy of the variables of the module that has `code` is at [start, end). */
void records_locals(struct process *p, uint64_t start, uint64_t end, uint64_t code);
/* The program names [start, end); the name has a number, or 0. */
void records_region(struct process *p, uint64_t start, uint64_t end, const char *name,
		    uint32_t number);

#endif
