/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes to code that no page fault shows, as the kernel makes them in system calls: through
 * /proc/PID/mem, into buffers, into files of which there are private mappings, and by itself while
 * the program runs on (io_uring). The translations are dropped, or the code is looked at each time.
 */
#ifndef DWELL_ENGINE_RUN_BEHIND_H
#define DWELL_ENGINE_RUN_BEHIND_H

#include "engine/core/state.h"

/* Around each system call of the target. */
void behind_before_call(struct thread *t, long nr, const long args[6]);
void behind_after_call(struct thread *t, long nr, const long args[6], long result);

/*
 * May a private mapping of this file change, as the file can be written to? `id` as for
 * mappings_of_file.
 */
bool behind_may_change(long fd, uint64_t id);
uint64_t behind_id_of_file(long fd);

/* In a forked child: what the program wanted to be left out or cleared there (madvise). */
void behind_forked(void);

#endif
