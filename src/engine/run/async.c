/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrival of asynchronous signals; see async.h. */
#include "engine/run/async.h"

#include "channel/sys.h"
#include "engine/codecache/cache.h"
#include "engine/codecache/insn_map.h"
#include "engine/codecache/poll.h"
#include "engine/core/lanes.h"
#include "engine/core/run_mode.h"
#include "engine/core/util.h"
#include "engine/drive/ticker.h"
#include "engine/run/fault.h"
#include "engine/run/held.h"
#include "engine/run/rest.h"
#include "engine/run/signals.h"
#include "engine/run/visits.h"

#define BY_FILTER 1 /* SYS_SECCOMP, which not all headers have */

static uint64_t address_of(const void *label)
{
	return (uint64_t)(uintptr_t)label;
}

void async_note(struct thread *t, int signal, const siginfo_t *info)
{
	t->pending_info = *info;
	__atomic_store_n(&t->pending, (uint32_t)signal, __ATOMIC_SEQ_CST);
}

/* The thread's count of accesses, while the register holds the counters. */
static uint64_t counted(const struct thread *t, const struct frame_ucontext *uc)
{
	const uint8_t *fp = (const uint8_t *)(uintptr_t)uc->mc.fpstate;
	const struct frame_fp_note *note = (const void *)(fp + FRAME_FP_NOTE_AT);
	uint64_t held;

	if (engine_vector_counter != COUNTER_YMM31 && fp) {
		struct counts packed;

		memcpy(&packed, fp + FRAME_XMM15_AT, 16);
		return t->before.accesses + lanes_unpacked(&packed).accesses;
	}
	if (!fp || note->magic1 != FRAME_FP_MAGIC1)
		return 0;
	memcpy(&held, fp + FRAME_XSTATE_HELD_AT, sizeof held);
	if (!(held & note->features & FRAME_HIGH_ZMM))
		return 0;
	memcpy(&held, fp + engine.zmm31_at, sizeof held);
	return held;
}

/*
 * Does the register hold the counters? Not at target instructions that use it. Those set used31;
 * while it is 0, skip the search for the block, which misses the caches among 100,000 blocks.
 */
static bool has_counters(const struct thread *t, uint64_t pc)
{
	const struct block *b;
	const struct insn_at *m;
	struct insn_map map;

	if (t->variant != VARIANT_COUNT || !t->in_cache || !cache_contains(pc))
		return false;
	if (!t->used31)
		return true;
	b = cache_block_at((const uint8_t *)(uintptr_t)pc);
	if (!b)
		return false;
	m = insn_map_find(&map, b->map, b->insns, (uint32_t)(pc - address_of(b->start)));
	return m && !(m->flags & INSN_AT_APP31);
}

/* Most ticks only set the timer again, for which no thread has to stop. */
void async_tick(struct thread *t, const struct frame_ucontext *uc)
{
	if (visits_are_asked())
		t->kicked = true; /* restart a call that this interrupts after all */
	else if (run_mode->is_early && has_counters(t, uc->mc.rip) &&
		 run_mode->is_early(t, counted(t, uc) + thread_quick_accesses(t)))
		return;
	t->tick_due = true;
	poll_call(t);
}

/*
 * Is a signal of a fault's kind, which the kernel does not block for the target, held for later or
 * ignored? A call with its own mask lets in signals that the thread's mask blocks.
 */
static bool is_held(struct thread *t, int signal, const siginfo_t *info,
		    const struct frame_ucontext *uc)
{
	const uint64_t bit = 1ull << (signal - 1);
	bool blocked = (t->mask & bit) && !(uc->sigmask & bit);

	if (!(SYNC_SIGNALS & bit))
		return false;
	if (blocked || t->pending)
		held_keep(t, signal, info, !blocked);
	return blocked || t->pending || t->process->actions[signal].handler == HANDLER_IGNORE;
}

void async_arrived(struct thread *t, int signal, siginfo_t *info, struct frame_ucontext *uc)
{
	if (signal == TICK_SIGNAL && (t->mask & TICK_BIT)) {
		/* not the engine's timer's, and blocked by the target: the kernel holds it */
		t->real_tick = true;
		uc->sigmask |= TICK_BIT;
		sys4(SYS_rt_tgsigqueueinfo, sys0(SYS_getpid), sys0(SYS_gettid), signal, info);
		return;
	}
	if (is_held(t, signal, info, uc))
		return;
	uc->sigmask = ~SYNC_SIGNALS;
	if (t->pending) {
		/* Another is noted: requeue this one in the kernel until that one is delivered. */
		uc->sigmask |= 1ull << (signal - 1);
		sys4(SYS_rt_tgsigqueueinfo, sys0(SYS_getpid), sys0(SYS_gettid), signal, info);
		return;
	}
	/* A seccomp filter caught a system call of the target, which the engine executes. */
	if (signal == SIGSYS && info->si_code == BY_FILTER)
		info->si_call_addr = (void *)(uintptr_t)t->rip;
	async_note(t, signal, info);
	rest_noted(t, info);
	poll_call(t);
	if (t->stuck_waits && uc->mc.rip >= address_of(engine_copy) &&
	    uc->mc.rip < address_of(engine_copy_end))
		uc->mc.rip = address_of(engine_copy_failed);
	if (uc->mc.rip >= address_of(engine_syscall_begin) &&
	    uc->mc.rip <= address_of(engine_syscall_insn))
		uc->mc.rip = address_of(engine_syscall_abort);
}

void async_end_rest(struct thread *t, struct frame_ucontext *uc)
{
	t->resting = false;
	/* With a signal noted, delivery sets the mask. */
	if (!t->pending)
		uc->sigmask = signals_kernel_mask(t);
}

/* A signal held for the process may be for this thread. */
void async_kick(struct thread *t, struct frame_ucontext *uc)
{
	siginfo_t info;
	int signal = held_take(t, &info);

	if (signal)
		async_arrived(t, signal, &info, uc);
}
