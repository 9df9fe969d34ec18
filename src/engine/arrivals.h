/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrivals: the first touches, by a thread and in a window, of lines chosen by chance. Who
 * comes back to a line after longer than a window is seen here as the window's end shows who
 * leaves one: a line that was not touched in the window before was touched long ago, or never.
 * Only those of the window's second half are told of: for the others "long" is short.
 *
 * Chosen are slots of the watch set's filter, each for all lines that fall into it; once touched, a
 * slot is let go. All functions want the sampler's lock.
 */
#ifndef DWELL_ENGINE_ARRIVALS_H
#define DWELL_ENGINE_ARRIVALS_H

#include "engine/scan.h"

/* A window begins for t, or ends. */
void arrivals_begin(struct thread *t);
void arrivals_end(struct thread *t);
/* The slot of one of the access's lines is fresh (watch_is_fresh): a has come to it. */
void arrivals_touch(struct thread *t, const struct scan_window *w, const struct record_access *a, uint64_t line,
		    uint64_t process_at);

#endif
