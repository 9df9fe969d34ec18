/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads leave the engine for good; see native.h. */
#include "engine/run/native.h"

#include <signal.h>

#include "channel/sys.h"
#include "engine/codecache/pages.h"
#include "engine/core/frame.h"
#include "engine/core/fsbase.h"
#include "engine/core/lock.h"
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/core/xstate.h"
#include "engine/drive/ticker.h"
#include "engine/run/dispatch.h"
#include "engine/run/held.h"
#include "engine/run/process.h"
#include "engine/run/rest.h"
#include "engine/run/signal_frame.h"
#include "engine/run/signals.h"
#include "engine/run/visits.h"
#include "engine/translate/world.h"
#include "engine/translate/x87.h"

/* Gives the kernel the program's handlers. Ignoring the tick's signal discards a pending one. */
static void give_handlers(struct process *p)
{
	const struct kernel_sigaction ignore = {.handler = (uint64_t)(uintptr_t)SIG_IGN};

	sys4(SYS_rt_sigaction, TICK_SIGNAL, &ignore, 0, 8);
	lock_take(&p->action_lock);
	for (int i = 1; i <= MAX_SIGNAL; i++)
		sys4(SYS_rt_sigaction, i, &p->actions[i], 0, 8);
	lock_drop(&p->action_lock);
}

static void close_descriptors(struct process *p)
{
	int fd[2] = {p->channel_fd, p->engine_fd};

	p->channel_fd = p->engine_fd = -1;
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			sys1(SYS_close, fd[i]);
}

bool native_begin(struct thread *t, const char *note)
{
	struct process *p = t->process;

	if (p->borrowed_memory)
		return false;
	if (p->profiling) {
		records_message(p, note);
		process_ending(t, END_DETACHED, 0);
	}
	world_stop(t, 0);
	if (!engine.native) {
		engine.quiet = true;
		lock_end_owners();
		rest_end_all(t); /* no handler will take its timers' signals */
		ticker_stop_all(t);
		lock_take(&engine.translate_lock);
		pages_forget_code();
		lock_drop(&engine.translate_lock);
		give_handlers(p);
		close_descriptors(p);
		visits_end();
		__atomic_store_n(&engine.native, 1, __ATOMIC_RELEASE);
	}
	world_release();
	return true;
}

#define USER_DATA 0x2b /* the kernel's selector of a segment with base 0 */

/*
 * Sets the base of %gs to the program's, 0, without a system call, which a filter may forbid.
 * Without the instruction, %gs gets a selector with base 0, where the program had 0: the kernel
 * does not save the base behind a null selector.
 */
static void clear_gsbase(void)
{
	if (engine.fsgsbase)
		gsbase_set(0);
	else
		__asm__ volatile("mov %0, %%gs" : : "r"(USER_DATA));
}

/* Loads all state by rt_sigreturn, which each filter of a program with signal handlers allows. */
__attribute__((noreturn)) static void return_to(const struct frame *f)
{
	const uint64_t sp = (uint64_t)(uintptr_t)&f->uc;

	clear_gsbase();
	__asm__ volatile("mov %0, %%rsp\n\tmov %1, %%eax\n\tsyscall\n\tud2"
			 :
			 : "r"(sp), "i"(SYS_rt_sigreturn)
			 : "rax", "memory");
	__builtin_unreachable();
}

/* Writes the image of the vector state to `area`, with the kernel's notes. */
static void write_vectors(uint8_t *area)
{
	const struct xstate x = xstate_of_frame();
	const struct frame_fp_note note = {.magic1 = FRAME_FP_MAGIC1,
					   .extended_bytes = (uint32_t)x.bytes + 4,
					   .features = x.parts,
					   .xstate_bytes = (uint32_t)x.bytes};
	const uint32_t magic2 = FRAME_FP_MAGIC2;

	memset(area + FRAME_XSTATE_HELD_AT, 0, 64);
	engine_xsave(area, x.parts);
	memcpy(area + FRAME_FP_NOTE_AT, &note, sizeof note);
	memcpy(area + x.bytes, &magic2, sizeof magic2);
}

void native_leave(struct thread *t)
{
	uint8_t area[XSTATE_MOST_BYTES + 64] __attribute__((aligned(64)));
	struct frame f = {0};

	while (t->pending)
		signals_deliver(t);
	if (held_is_any(t)) {
		sys4(SYS_rt_sigprocmask, SIG_SETMASK, &t->mask, 0, 8);
		held_give_back(t);
	}
	x87_show(t);
	write_vectors(area);
	f.uc.flags = FRAME_UC_FLAGS;
	f.uc.stack = t->altstack;
	f.uc.sigmask = t->mask;
	signal_frame_context(t, &f.uc.mc);
	f.uc.mc.fpstate = (uint64_t)(uintptr_t)area;
	return_to(&f);
}

void native_leave_child(struct thread *t)
{
	give_handlers(t->process);
	native_leave(t);
}
