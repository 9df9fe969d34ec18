/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows in which C handles all accesses to data, to see whose they are (references.h), and in
 * some of them, which are longer, how structures are accessed (patterns.h). The cells
 * of all lines in the first level are 0 then, so that each inline test fails. A line that has a
 * place is not missing all the same: its access is a hit, changes its stamp as code would, and the
 * cell stays 0. At the end of the window the cells get their values back. So the caches never
 * differ from those of a run without windows. Where only some sets are simulated the cells of all
 * other lines are 0, too, so that windows see accesses to all (filter_sets.h).
 *
 * Each execution of a segment is as likely as any other to begin a window: a timer would favour
 * slow code. So segments count up to 0, from a random number: code tests the sum for 0 as it counts
 * an execution. (Segments whose flags are live do not test it.)
 *
 * The thread whose turn it is opens and closes windows (filter_scheduler.h).
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_WINDOWS_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

struct repeat;
struct segment_access;

/*
 * There will be windows, for references, too, unless code counts them exactly. False: no address
 * space.
 */
bool filter_windows_start(bool sees_references);

/* A new counter of executions, by number. False: no memory. Under the translate lock. */
bool filter_window_watch(uint64_t number, uint64_t *counter);
/* The executions since they were taken. */
uint64_t filter_window_executions(uint64_t number, const uint64_t *counter);
void filter_window_take(uint64_t number, const uint64_t *counter);
/* The counter has reached 0, and its executions were taken: open a window, perhaps. */
void filter_window_trigger(uint64_t number, uint64_t *counter);
/* End the window now, if one is open. */
void filter_window_close(void);

/* In a window: an access of a site is about to be handled. It may be the last. */
void filter_window_see(uint32_t site, uint64_t pc, uint64_t address,
		       const struct segment_access *a);
/*
 * In a window or not: a string instruction, or a vector instruction with n elements, is about to be
 * handled.
 */
void filter_window_repeat(const struct repeat *rep);
void filter_window_elements(uint64_t pc, const uint64_t *entries, uint32_t n,
			    const struct segment_access *a);
/* It was handled. */
void filter_window_saw(void);

#endif
