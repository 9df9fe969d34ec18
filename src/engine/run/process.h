/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Beginnings and ends of processes, and the images they run. */
#ifndef DWELL_ENGINE_RUN_PROCESS_H
#define DWELL_ENGINE_RUN_PROCESS_H

#include "engine/core/state.h"

/*
 * Executable mappings of the process, of the file open as fd or of none (-1); sent again by a
 * forked child.
 */
void process_add_module(struct process *p, uint64_t start, uint64_t end, uint64_t offset,
			const char *path, int fd);
void process_remove_module(struct process *p, uint64_t start, uint64_t end);

/* Profiling of this process begins: claim a slot, tell what runs. */
void process_begin(struct thread *t, char *const argv[], uint32_t parent, uint32_t cause);
/* The process is about to end, for an enum end_cause: last records. */
void process_ending(struct thread *t, uint32_t cause, uint32_t status);
/* An exec is about to be tried: settle everything, but go on if it fails. */
void process_before_exec(struct thread *t);
void process_after_failed_exec(struct thread *t);
/* In the new image: close the books of the image before, in its slot. */
void process_end_predecessor(uint32_t order, uint32_t pid);
/* In a forked child, its only thread t: a new process with counts at zero. */
void process_forked(struct thread *t);

#endif
