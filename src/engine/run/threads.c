/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads and forks; see threads.h. */
#define _GNU_SOURCE
#include "engine/run/threads.h"
#include "engine/simulate/mode/graph_changes.h"

#include <errno.h>
#include <linux/sched.h>
#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/codecache/poll.h"
#include "engine/core/fsbase.h"
#include "engine/core/limits.h"
#include "engine/core/lock.h"
#include "engine/core/stuck.h"
#include "engine/core/util.h"
#include "engine/data/alloc.h"
#include "engine/drive/collect.h"
#include "engine/drive/ticker.h"
#include "engine/run/dispatch.h"
#include "engine/run/elements.h"
#include "engine/run/held.h"
#include "engine/run/native.h"
#include "engine/run/own_tracer.h"
#include "engine/run/process.h"
#include "engine/run/rest.h"
#include "engine/run/signals.h"
#include "engine/simulate/counts/graph.h"
#include "engine/simulate/mode/filter_end.h"
#include "engine/simulate/mode/filter_scheduler.h"
#include "engine/simulate/mode/scheduler.h"
#include "engine/translate/world.h"

#define CLEARS_HANDLERS (1ull << 32) /* CLONE_CLEAR_SIGHAND, which not all headers have */

/* Under world_lock. A thread is reusable once held is 0; the first has waited longest. */
static struct thread *retired, **retired_end = &retired;

/* | signal stack | engine stack | struct thread | table of tallies | */
#define THREAD_AT    (SIGNAL_STACK_BYTES + ENGINE_STACK_BYTES)
#define THREAD_BYTES (THREAD_AT + T_TALLIES + TALLY_TABLE_BYTES)

/*
 * A mapped table costs two mappings for each thread. The kernel allows a process 65530
 * (vm.max_map_count), and the program's stacks need two as well. So only the first threads have a
 * mapped table. The others have copies, in memory that is one mapping for many threads.
 */
#define MOST_MAPPED 1024u
#define SLAB	    32u /* threads */

static uint32_t mapped;		 /* threads ever made; under world_lock */
static uint8_t *slab, *slab_end; /* memory for threads not made yet; under world_lock */

/* The process that only shares the memory is over; others of its threads may still be listed. */
static void free_own(struct process *own)
{
	if (!own || own->listed)
		return;
	if (own->launch_memory)
		pages_put(own->launch_memory, own->launch_bytes);
	pages_put(own, round_up(sizeof *own, PAGE));
}

static struct thread *reuse(void)
{
	struct thread *t = retired, keep;

	if (!t || __atomic_load_n(&t->held, __ATOMIC_ACQUIRE))
		return 0;
	retired = t->next_thread;
	if (!retired)
		retired_end = &retired;
	keep = *t;
	free_own(keep.own_process);
	memset(t, 0, sizeof *t);
	t->stack_memory = keep.stack_memory;
	t->stack_bytes = keep.stack_bytes;
	t->hidden = true; /* perhaps: the thread may have been called before */
	t->has_copy = keep.has_copy;
	return t;
}

/* With a table that is a mapping of the common pages. */
static struct thread *make_mapped(void)
{
	uint8_t *m = pages_get(THREAD_BYTES);
	struct thread *t = (struct thread *)(void *)(m + THREAD_AT);

	if (!m)
		return 0;
	if (poll_map(t) != 0) {
		pages_put(m, THREAD_BYTES);
		return 0;
	}
	t->stack_memory = m;
	t->stack_bytes = THREAD_BYTES;
	mapped++;
	return t;
}

static struct thread *make_in_slab(void)
{
	struct thread *t;

	if (slab == slab_end) {
		slab = pages_get(SLAB * THREAD_BYTES);
		slab_end = slab ? slab + SLAB * THREAD_BYTES : 0;
		/* little of each is touched */
		if (slab)
			sys3(SYS_madvise, slab, SLAB * THREAD_BYTES, MADV_NOHUGEPAGE);
	}
	if (!slab)
		return 0;
	t = (struct thread *)(void *)(slab + THREAD_AT);
	t->stack_memory = slab;
	t->stack_bytes = THREAD_BYTES;
	t->has_copy = t->hidden = true; /* the copy is empty; poll_answer fills it */
	slab += THREAD_BYTES;
	return t;
}

struct thread *thread_new(struct process *p)
{
	struct thread *t;

	lock_take(&engine.world_lock);
	t = reuse();
	if (!t && mapped < MOST_MAPPED)
		t = make_mapped();
	if (!t)
		t = make_in_slab();
	lock_drop(&engine.world_lock);
	if (!t)
		return 0;
	t->self = t;
	t->engine_sp = ((uint64_t)(uintptr_t)t & ~63ull) - 64;
	t->process = p;
	t->held = 1;
	t->altstack = (stack_t){.ss_flags = SS_DISABLE};
	t->index = __atomic_fetch_add(&p->thread_count, 1, __ATOMIC_RELAXED);
	collect_thread_start(t);
	return t;
}

void thread_list(struct thread *t)
{
	lock_take(&engine.world_lock);
	t->next_thread = engine.threads;
	t->listed_at = &engine.threads;
	if (t->next_thread)
		t->next_thread->listed_at = &t->next_thread;
	engine.threads = t;
	t->process->listed++;
	lock_drop(&engine.world_lock);
}

static void unlist_locked(struct thread *t)
{
	if (!t->listed_at)
		return;
	*t->listed_at = t->next_thread;
	if (t->next_thread)
		t->next_thread->listed_at = t->listed_at;
	t->listed_at = 0;
	t->process->listed--;
}

static void retire_locked(struct thread *t)
{
	unlist_locked(t);
	t->next_thread = 0;
	*retired_end = t;
	retired_end = &t->next_thread;
}

/* Unlist, and keep for reuse by another thread once this one has ended. */
static void retire(struct thread *t)
{
	lock_take(&engine.world_lock);
	retire_locked(t);
	lock_drop(&engine.world_lock);
}

/* Retires threads of other processes that were killed, as these could not do it themselves. */
static void retire_gone(void)
{
	struct thread *next;

	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o; o = next) {
		next = o->next_thread;
		if (o->is_vforked || scheduler_is_held_by(o) || !stuck_is_gone(o))
			continue;
		o->held = 0;
		retire_locked(o);
	}
	lock_drop(&engine.world_lock);
}

void threads_forked(struct thread *t)
{
	/* the other threads do not exist here; their memory is lost */
	engine.world_lock = 0;
	engine.translate_lock = 0;
	world_reset();
	scheduler_forked();
	filter_turn_is_lost(t);
	elements_forked();
	retired = 0;
	retired_end = &retired;
	engine.threads = t;
	t->next_thread = 0;
	t->listed_at = &engine.threads;
	t->process->listed = 1;
	t->tid = (uint32_t)sys0(SYS_gettid);
	t->pid = (uint32_t)sys0(SYS_getpid);
	t->is_vforked = t->is_unnamed = false;
	t->stuck_at = 0;
	t->own_tracer = 0;
	t->has_timer = false; /* the parent's */
	ticker_forked();
	rest_forked(t);
	t->hidden = false;
	if (poll_forked(t) != 0)
		limits_no_room();
}

void threads_begin(struct thread *t)
{
	const uint32_t pid = (uint32_t)sys0(SYS_getpid);

	gsbase_set((uint64_t)(uintptr_t)t);
	if (t->clears_handlers)
		signals_clear(t->process);
	t->tid = (uint32_t)sys0(SYS_gettid);
	/* a child is the first of a namespace by unshare, too */
	t->is_unnamed |= t->tid == 1;
	t->pid = t->is_unnamed ? 0 : pid;
	signals_thread_start(t);
	if (t->process->borrowed_memory && !t->process->pid)
		t->process->pid = pid;
	if (t->maker) {
		own_tracer_begin(t->maker, t->maker_flags);
		native_leave_child(t);
	}
	signals_unblock(t);
}

/* Makes the state of a child that shares the memory, ready to run after the system call. */
static struct thread *child_of(struct thread *t, uint64_t flags, uint64_t stack)
{
	struct process *p = t->process;
	struct thread *c;

	if (engine.is_shared && !(flags & CLONE_THREAD))
		retire_gone();
	if (!(flags & CLONE_SIGHAND)) {
		p = pages_get(round_up(sizeof *p, PAGE));
		if (!p)
			return 0;
		memcpy(p, t->process, sizeof *p);
		p->borrowed_memory = true;
		p->profiling = false;
		p->action_lock = 0;
		held_none(&p->held_signals);
		p->ring_lock = 0;
		p->launch_memory = 0;
		p->pid = 0;
		p->listed = 0;
	}
	c = thread_new(p);
	if (!c)
		return 0;
	if (p != t->process)
		c->own_process = p;
	memcpy(c->regs, t->regs, sizeof c->regs);
	c->regs[RAX] = 0;
	if (stack)
		c->regs[RSP] = stack;
	c->rip = t->rip;
	c->rflags = t->rflags;
	c->generation = t->generation; /* its x87 state is a copy of t's */
	c->mask = t->mask;
	c->fault_error = t->fault_error;
	c->fault_trap = t->fault_trap;
	c->fault_address = t->fault_address;
	c->used31 = t->used31;
	c->high_vectors = VECTORS_UNKNOWN;
	if (flags & CLONE_VFORK)
		c->altstack = t->altstack;
	c->is_vforked = flags & CLONE_VFORK;
	c->clears_handlers = flags & CLEARS_HANDLERS;
	c->is_unnamed = t->is_unnamed || (flags & CLONE_NEWPID);
	engine.is_shared |= !(flags & (CLONE_THREAD | CLONE_VFORK));
	if (!(flags & CLONE_THREAD))
		lock_begin_owners();
	if (own_tracer_is_made(flags)) {
		c->maker = t;
		c->maker_flags = flags;
	}
	thread_list(c);
	return c;
}

static void forget_child(struct thread *c)
{
	struct process *own = c->own_process;

	c->own_process = 0;
	c->held = 0;
	retire(c);
	free_own(own);
}

/* The child's thread pointer; `otherwise` if the call does not set one. */
static uint64_t locals_of(long nr, const long a[5], uint64_t otherwise)
{
	const struct clone_args *ca = (const struct clone_args *)a[0];
	const uint64_t flags = nr == SYS_clone ? (uint64_t)a[0] : ca->flags;

	if (!(flags & CLONE_SETTLS))
		return otherwise;
	return nr == SYS_clone ? (uint64_t)a[4] : ca->tls;
}

/* Makes a child that shares the memory. a[]: the arguments of the raw call. */
static long clone_shared(struct thread *t, long nr, long a[5], uint64_t flags, uint64_t stack)
{
	struct thread *c;
	long r;

	c = child_of(t, flags, stack);
	if (!c) {
		limits_met(-ENOMEM);
		return -ENOMEM;
	}
	if (stack)
		alloc_stack_at(t, stack, locals_of(nr, a, 0));
	c->fs_base = locals_of(nr, a, t->fs_base);
	if (nr == SYS_clone) {
		a[1] = (long)c->engine_sp;
	} else {
		struct clone_args *ca = (struct clone_args *)a[0];

		ca->stack = (uint64_t)(uintptr_t)c->stack_memory + SIGNAL_STACK_BYTES;
		ca->stack_size = ENGINE_STACK_BYTES - 128;
	}
	signals_block_all();
	r = engine_clone(nr, a, c);
	/* a vfork child no longer uses the memory; a failed one never did */
	if (r < 0 || (flags & CLONE_VFORK))
		forget_child(c);
	signals_unblock(t);
	return r;
}

/* Makes a child with its own memory, which continues as this thread in a copy of everything. */
static long clone_copied(struct thread *t, long nr, long a[5], uint64_t stack, bool clears)
{
	long r;

	collect_settle(t);
	signals_block_all();
	lock_take(&engine.world_lock);
	lock_take(&engine.translate_lock);
	alloc_hold();
	lock_take(&t->process->ring_lock);
	r = sys5(nr, a[0], a[1], a[2], a[3], a[4]);
	if (r == 0) {
		if (stack)
			t->regs[RSP] = stack;
		t->fs_base = locals_of(nr, a, t->fs_base);
		if (clears)
			signals_clear(t->process);
		process_forked(t);
		signals_unblock(t);
		return 0;
	}
	lock_drop(&t->process->ring_lock);
	alloc_let_go();
	lock_drop(&engine.translate_lock);
	lock_drop(&engine.world_lock);
	signals_unblock(t);
	return r;
}

void threads_before_call(struct thread *t, long nr, const long args[6])
{
	uint64_t flags = (uint64_t)args[0]; /* of clone3: the first field of its struct */

	if (nr != SYS_clone &&
	    (nr != SYS_clone3 || engine_copy(&flags, (const void *)args[0], sizeof flags) != 0))
		return;
	if ((flags & CLONE_VM) && !(flags & CLONE_VFORK))
		filter_before_thread(t);
}

long threads_clone(struct thread *t, const long args[6])
{
	uint64_t flags = (uint64_t)args[0];
	long a[5] = {args[0], args[1], args[2], args[3], args[4]};

	if (flags & CLONE_VM)
		return clone_shared(t, SYS_clone, a, flags, (uint64_t)args[1]);
	a[1] = 0;
	return clone_copied(t, SYS_clone, a, (uint64_t)args[1], false);
}

long threads_clone3(struct thread *t, const long args[6])
{
	struct clone_args ca = {0};
	uint64_t size = (uint64_t)args[1], stack;
	bool clears;

	if (size < 64 || size > PAGE)
		return size > PAGE ? -E2BIG : -EINVAL;
	if (size > sizeof ca)
		return -E2BIG;
	if (engine_copy(&ca, (const void *)args[0], size) != 0)
		return -EFAULT;
	long a[5] = {(long)&ca, (long)size, 0, 0, 0};

	if (!ca.stack != !ca.stack_size)
		return -EINVAL;
	stack = ca.stack ? ca.stack + ca.stack_size : 0;
	/* the child still needs the engine's handlers: it clears the program's itself */
	clears = ca.flags & CLEARS_HANDLERS;
	if (clears && (ca.flags & CLONE_SIGHAND))
		return -EINVAL;
	ca.flags &= ~CLEARS_HANDLERS;
	if (ca.flags & CLONE_VM)
		return clone_shared(t, SYS_clone3, a, ca.flags | (clears ? CLEARS_HANDLERS : 0),
				    stack);
	ca.stack = 0;
	ca.stack_size = 0;
	return clone_copied(t, SYS_clone3, a, stack, clears);
}

long threads_fork(struct thread *t, bool vfork)
{
	long a[5] = {SIGCHLD, 0, 0, 0, 0};

	if (!vfork)
		return clone_copied(t, SYS_clone, a, 0, false);
	a[0] = CLONE_VM | CLONE_VFORK | SIGCHLD;
	return clone_shared(t, SYS_clone, a, CLONE_VM | CLONE_VFORK, 0);
}

/* Is no other thread of t's process left? Those that share memory and handlers are of others. */
static bool is_last(const struct thread *t)
{
	bool last;

	lock_take(&engine.world_lock);
	last = t->process->listed == 1;
	if (!last && engine.is_shared) {
		last = true;
		for (struct thread *o = engine.threads; o && last; o = o->next_thread)
			last = o == t || o->process != t->process || o->pid != t->pid;
	}
	lock_drop(&engine.world_lock);
	return last;
}

void threads_exit(struct thread *t, long status)
{
	/* A filter may allow nothing but exit; a vfork child's parent retires its state. */
	if (engine.quiet || t->is_vforked)
		for (;;)
			sys1(SYS_exit, status);
	signals_block_all();
	ticker_end(t);
	rest_drop(t);
	if (process_is_of(t) && is_last(t))
		process_ending(t, END_EXIT, (uint32_t)status & 0xff);
	else
		collect_thread_end(t);
	graph_end(t);
	scheduler_drop(t);
	retire(t);
	engine_leave_thread(t, status);
}

void threads_exit_group(struct thread *t, long status)
{
	/* not the end of the process whose memory this is */
	if (!engine.quiet && !t->is_vforked && !process_is_of(t)) {
		if (is_last(t))
			threads_exit(t, status);
		scheduler_drop(t);
	}
	if (!engine.quiet)
		signals_block_all();
	process_ending(t, END_EXIT, (uint32_t)status & 0xff);
	for (;;)
		sys1(SYS_exit_group, status);
}
