/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Beginnings and ends of processes, and the images they run. */
#ifndef DWELL_ENGINE_RUN_PROCESS_H
#define DWELL_ENGINE_RUN_PROCESS_H

#include "engine/core/state.h"

/*
 * Record that an executable mapping appears or goes, of the file open as fd or of none (-1). A
 * forked child sends its mappings again.
 */
void process_add_module(struct process *p, uint64_t start, uint64_t end, uint64_t offset,
			const char *path, int fd);
void process_remove_module(struct process *p, uint64_t start, uint64_t end);
/* Is the file mapped as code? */
bool process_has_module(uint64_t device, uint64_t inode);
/* The target has mapped something over [start, end): remove modules that lie inside. */
void process_replace_modules(struct process *p, uint64_t start, uint64_t end);

/* Begin to profile this process: claim a slot, and record the program. */
void process_begin(struct thread *t, char *const argv[], uint32_t parent, uint32_t cause);
/* Is t a thread of the process that t->process records? Another one may share its memory. */
bool process_is_of(const struct thread *t);
/*
 * Write the last records of a process that is about to end, if t is of that; cause: an enum
 * end_cause.
 */
void process_ending(struct thread *t, uint32_t cause, uint32_t status);
/* Settle everything before an exec; profiling continues if the exec fails. */
void process_before_exec(struct thread *t);
void process_after_failed_exec(struct thread *t);
/* In the new image: write the previous image's last records into its slot. */
void process_end_predecessor(uint32_t order, uint32_t pid);
/* In a forked child, whose only thread is t: begin a new process with counts at zero. */
void process_forked(struct thread *t);

#endif
