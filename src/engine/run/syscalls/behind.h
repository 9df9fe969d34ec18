/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes to code that cause no page fault, because the kernel makes them in system calls: through
 * /proc/PID/mem, into buffers, into files with private mappings, and asynchronously (io_uring). The
 * translations are dropped, or code verifies itself on each run.
 */
#ifndef DWELL_ENGINE_RUN_SYSCALLS_BEHIND_H
#define DWELL_ENGINE_RUN_SYSCALLS_BEHIND_H

#include "engine/core/state.h"

/* Around each system call of the target. */
void behind_before_call(struct thread *t, long nr, const long args[6]);
void behind_after_call(struct thread *t, long nr, const long args[6], long result);

/*
 * May a private mapping of this file change, because the file can be written? `id` as for
 * mappings_of_file.
 */
bool behind_may_change(long fd, uint64_t id);
uint64_t behind_id_of_file(long fd);

/* In a forked child: drop code in memory that madvise left out or cleared. */
void behind_forked(void);

#endif
