/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following the target's allocations: what happens at hooked places, and which
 * block an address lies in. Off without channel_config.objects.
 */
#ifndef DWELL_ENGINE_DATA_ALLOC_H
#define DWELL_ENGINE_DATA_ALLOC_H

#include "engine/core/state.h"
#include "engine/translate/hooks.h"

/* Start-up, before the program is mapped. When memory is short nothing is followed. */
void alloc_init(void);

/* A hooked place: on the engine's stack, inside the code cache as far as others can tell. */
void alloc_called(struct thread *t, const struct hook_frame *f, uint64_t rbp);

/*
 * Fill in site and block of a sampled access, which the thread has made when it had made `at` of
 * them; UINT64_MAX: just now.
 */
void alloc_describe(const struct thread *t, struct record_access *a, uint64_t at);

/*
 * The target mapped [start, end) by a system call, which has just returned: of the file, or of
 * none (-1); it attached shared memory of System V; it grew its heap.
 */
void alloc_mapped(struct thread *t, uint64_t start, uint64_t end, long fd);
void alloc_attached(struct thread *t, uint64_t start, uint64_t end);
void alloc_heap_grew(struct thread *t, uint64_t start, uint64_t end);
/* It unmapped them, or mapped something else over them. */
void alloc_unmapped(struct thread *t, uint64_t start, uint64_t end);
/* It moved or resized a mapping. */
void alloc_remapped(struct thread *t, uint64_t old, uint64_t old_end, uint64_t start, uint64_t end);
/*
 * A thread begins with rsp in the stack [start, end), or in whatever mapping holds it, and with its
 * own variables at tls, or 0. Where these lie above the stack in one mapping they are none of it.
 */
void alloc_stack(struct thread *t, uint64_t start, uint64_t end);
void alloc_stack_at(struct thread *t, uint64_t rsp, uint64_t tls);
/*
 * The process's first thread has said where its own variables are: they lie below tls, and what the
 * C library keeps above.
 */
void alloc_first_locals(struct thread *t, uint64_t tls);

/* Tell what the sites have counted since last time; after a window, if that was long ago. */
void alloc_report(struct process *p);
void alloc_window_closed(struct process *p, uint64_t now_ns);

/* Around fork: nothing changes between. In the child, and only there: its own sites to tell. */
void alloc_hold(void);
void alloc_let_go(void);
void alloc_forked(void);

#endif
