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

/*
 * The thread has reached the hooked place of f. Runs on the engine's stack; other threads still see
 * t inside the code cache.
 */
void alloc_called(struct thread *t, const struct hook_frame *f, uint64_t rbp);

/*
 * Fill in site and block of a sampled access of the thread. `at`: the thread's count of accesses
 * when it made this one; UINT64_MAX: now.
 */
void alloc_describe(const struct thread *t, struct record_access *a, uint64_t at);

/* A block or region, and its site. */
struct alloc_place {
	uint64_t start, end;
	uint32_t site;
	bool is_whole;	 /* it holds all of this memory now */
	bool is_lasting; /* and until alloc_version changes */
	bool is_plain;	 /* no other block begins in it */
	bool is_locals;	 /* it holds thread-local variables */
};

/* The one that holds address now; false: none does. */
bool alloc_find(uint64_t address, struct alloc_place *p);
/*
 * Does a block of the site hold the address, as alloc_find would find, and call neither lasting nor
 * one of thread-local variables? And the offset in it.
 */
bool alloc_is_in_block(uint64_t address, uint32_t site, uint64_t *offset);
/* Lower `end` so that no block begins in [address, end); not always to the first of them. */
uint64_t alloc_end_before_blocks(uint64_t address, uint64_t end);
/* Does a block begin in [start, end)? */
bool alloc_has_blocks(uint64_t start, uint64_t end);
/* Prefetch what it reads. */
void alloc_prefetch(uint64_t address);
/* Changes when what alloc_find has called lasting may not hold any more. */
extern uint32_t alloc_version;

/*
 * A system call of the target has just returned: it mapped [start, end) of the file fd (-1: none),
 * attached shared memory of System V, or grew the heap. may_be_image: if the dynamic linker did it,
 * for a program or library, whose variables are told from its file.
 */
void alloc_mapped(struct thread *t, uint64_t start, uint64_t end, long fd, bool may_be_image);
void alloc_attached(struct thread *t, uint64_t start, uint64_t end);
void alloc_heap_grew(struct thread *t, uint64_t start, uint64_t end);
/* The target unmapped [start, end), or mapped something else over it. */
void alloc_unmapped(struct thread *t, uint64_t start, uint64_t end);
/* The target moved or resized a mapping. */
void alloc_remapped(struct thread *t, uint64_t old, uint64_t old_end, uint64_t start, uint64_t end);
/*
 * A thread begins: on the stack [start, end), or on the stack in the mapping that holds rsp. `tls`:
 * its thread pointer, or 0. Thread-local variables above the stack do not count as stack.
 */
void alloc_stack(struct thread *t, uint64_t start, uint64_t end);
void alloc_stack_at(struct thread *t, uint64_t rsp, uint64_t tls);
/*
 * The process's first thread has set its thread pointer to tls: its thread-local variables lie
 * below, the C library's own data above.
 */
void alloc_first_locals(struct thread *t, uint64_t tls);
/*
 * The target has protected memory: if the dynamic linker did, it has prepared a file, whose
 * thread-local variables may have got their place.
 */
void alloc_linker_protected(struct thread *t);
/* The copy of a file's thread-local variables that holds address now; see locals.h. */
struct locals_place;
bool alloc_find_locals(uint64_t address, struct locals_place *place);

/* The kind of the site (enum site_kind). */
uint32_t alloc_kind(uint32_t site);
/* Send the site to the collector, if it does not know it. */
void alloc_publish(struct process *p, uint32_t site);
/* Report the counts that the sites have gained since the last report. */
void alloc_report(struct process *p);
/* The same after a window, unless the last report was recent. */
void alloc_window_closed(struct process *p, uint64_t now_ns);

/* Around fork: no other thread changes blocks or sites in between. */
void alloc_hold(void);
void alloc_let_go(void);
/* In the forked child: nobody holds a lock, and no site has been reported. */
void alloc_forked(void);

#endif
