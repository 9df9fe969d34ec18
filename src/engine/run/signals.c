/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signal system calls, delivery, and return from handlers; see signals.h. */
#include "engine/run/signals.h"
#include "engine/simulate/mode/graph_changes.h"

#include <errno.h>

#include "channel/sys.h"
#include "engine/codecache/pages.h"
#include "engine/core/lock.h"
#include "engine/core/util.h"
#include "engine/drive/ticker.h"
#include "engine/run/dispatch.h"
#include "engine/run/fault.h"
#include "engine/run/held.h"
#include "engine/run/process.h"
#include "engine/run/rest.h"
#include "engine/run/signal_frame.h"
#include "engine/simulate/counts/graph.h"
#include "engine/simulate/mode/filter_end.h"

#define SA_RESTORER_FLAG 0x04000000u
#define UNBLOCKABLE	 (1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1))
#define TRAP_OPCODE	 6u
#define TRAP_PROTECTION	 13u
#define EFLAGS_RESUME	 0x10000u

static uint64_t bit(int signal)
{
	return 1ull << (signal - 1);
}

static bool is_sync(int signal)
{
	return SYNC_SIGNALS & bit(signal);
}

static long kernel_action(int signal, const struct kernel_sigaction *act,
			  struct kernel_sigaction *old)
{
	return sys4(SYS_rt_sigaction, signal, act, old, 8);
}

static void kernel_mask(uint64_t mask)
{
	engine_let_in(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8);
}

/* The target's mask without the signals that the engine needs. */
uint64_t signals_kernel_mask(const struct thread *t)
{
	return t->mask & ~(SYNC_SIGNALS | (t->real_tick ? 0 : TICK_BIT));
}

static void apply_mask(const struct thread *t)
{
	kernel_mask(signals_kernel_mask(t));
}

/*
 * Signals that end programs by default, sent by people, limits, timers and programs. The engine
 * handles them to finish the profile first, and to record which it was.
 */
#define ENDING_SIGNALS                                                                           \
	(bit(SIGHUP) | bit(SIGINT) | bit(SIGQUIT) | bit(SIGABRT) | bit(SIGUSR1) | bit(SIGUSR2) | \
	 bit(SIGPIPE) | bit(SIGALRM) | bit(SIGTERM) | bit(SIGXCPU) | bit(SIGXFSZ) |              \
	 bit(SIGVTALRM) | bit(SIGPROF))

/* The kernel's action for an action of the target. */
static struct kernel_sigaction kernel_view(int signal, const struct kernel_sigaction *a)
{
	struct kernel_sigaction k = *a;
	bool ends = (a->handler == HANDLER_DEFAULT && (ENDING_SIGNALS & bit(signal))) ||
		    signal == TICK_SIGNAL;

	if (a->handler <= HANDLER_IGNORE && !is_sync(signal) && !ends)
		return k;
	k.handler = (uint64_t)(uintptr_t)fault_signal_handler;
	k.restorer = (uint64_t)(uintptr_t)engine_restorer;
	k.flags = (a->flags & (SA_RESTART | SA_NOCLDSTOP | SA_NOCLDWAIT)) | SA_SIGINFO |
		  SA_ONSTACK | SA_RESTORER_FLAG;
	k.mask = ~0ull;
	return k;
}

void signals_init(struct thread *t)
{
	uint64_t mask = 0;

	for (int i = 1; i <= MAX_SIGNAL; i++) {
		struct kernel_sigaction *a = &t->process->actions[i];

		kernel_action(i, 0, a);
		struct kernel_sigaction k = kernel_view(i, a);

		if (k.handler != a->handler)
			kernel_action(i, &k, 0);
	}
	sys4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &mask, 8);
	t->mask = mask;
	apply_mask(t);
	t->altstack = (stack_t){.ss_flags = SS_DISABLE};
}

void signals_clear(struct process *p)
{
	for (int i = 1; i <= MAX_SIGNAL; i++) {
		const struct kernel_sigaction before = p->actions[i];
		struct kernel_sigaction *a = &p->actions[i], k;

		*a = (struct kernel_sigaction){0};
		if (before.handler == HANDLER_IGNORE)
			a->handler = HANDLER_IGNORE;
		k = kernel_view(i, a);
		if (before.handler > HANDLER_IGNORE)
			kernel_action(i, &k, 0);
	}
}

void signals_thread_start(struct thread *t)
{
	stack_t ss = {.ss_sp = (uint8_t *)t->stack_memory, .ss_size = SIGNAL_STACK_BYTES};

	sys2(SYS_sigaltstack, &ss, 0);
}

static void set_mask(struct thread *t, uint64_t mask)
{
	t->mask = mask & ~UNBLOCKABLE;
	if (!(mask & TICK_BIT))
		t->real_tick = false;
	signals_unblock(t);
}

void signals_block_all(void)
{
	kernel_mask(~0ull);
}

void signals_unblock(struct thread *t)
{
	/*
	 * the kernel delivers these kinds first, too; with a signal noted, delivery sets the mask
	 */
	held_release(t);
	if (t->pending)
		return;
	if (rest_is_due(t)) {
		/* a SIGSYS from a filter kills if it is blocked */
		kernel_mask(~(SYNC_SIGNALS | TICK_BIT | bit(SIGSYS)));
		rest_begin(t);
	}
	/* the timer may have ended the rest already, even before that mask was set */
	if (!t->resting)
		apply_mask(t);
}

long signals_action(struct thread *t, int signal, uint64_t act, uint64_t old, uint64_t set_bytes)
{
	struct kernel_sigaction new, before, k;
	struct process *p = t->process;
	long r = 0;

	if (set_bytes != 8)
		return -EINVAL;
	if (signal < 1 || signal > MAX_SIGNAL || (act && (UNBLOCKABLE & bit(signal))))
		return -EINVAL;
	if (act && engine_copy(&new, (void *)(uintptr_t)act, sizeof new) != 0)
		return -EFAULT;
	lock_take(&p->action_lock);
	before = p->actions[signal];
	if (act) {
		new.mask &= ~UNBLOCKABLE;
		p->actions[signal] = new;
		k = kernel_view(signal, &new);
		r = kernel_action(signal, &k, 0);
		if (r < 0)
			p->actions[signal] = before;
	}
	lock_drop(&p->action_lock);
	if (r == 0 && act && is_sync(signal) && new.handler == HANDLER_IGNORE)
		held_forget(t, signal);
	if (r == 0 && act && (signal == SIGSEGV || signal == SIGBUS) &&
	    new.handler > HANDLER_IGNORE)
		filter_expect_faults();
	if (r == 0 && old && engine_copy((void *)(uintptr_t)old, &before, sizeof before) != 0)
		return -EFAULT;
	return r;
}

long signals_mask(struct thread *t, int how, uint64_t set, uint64_t old, uint64_t set_bytes)
{
	uint64_t before = t->mask, value;

	if (set_bytes != 8)
		return -EINVAL;
	if (set) {
		if (engine_copy(&value, (void *)(uintptr_t)set, 8) != 0)
			return -EFAULT;
		if (how == SIG_BLOCK)
			value |= t->mask;
		else if (how == SIG_UNBLOCK)
			value = t->mask & ~value;
		else if (how != SIG_SETMASK)
			return -EINVAL;
		set_mask(t, value);
	}
	if (old && engine_copy((void *)(uintptr_t)old, &before, 8) != 0)
		return -EFAULT;
	return 0;
}

/* Take the signal's default action. Does not return if the signal kills. */
static void take_default_action(struct thread *t, int signal, const siginfo_t *info)
{
	struct kernel_sigaction dfl = {0};
	siginfo_t copy = *info;
	uint64_t only = ~bit(signal);

	process_ending(t, END_SIGNAL, (uint32_t)signal);
	kernel_action(signal, &dfl, 0);
	sys4(SYS_rt_tgsigqueueinfo, sys0(SYS_getpid), sys0(SYS_gettid), signal, &copy);
	kernel_mask(only);
	/* still alive: a stop signal that was continued, or a default action that does nothing */
	apply_mask(t);
	if (is_sync(signal)) {
		sys3(SYS_tgkill, sys0(SYS_getpid), sys0(SYS_gettid), signal);
		kernel_mask(only);
		sys1(SYS_exit_group, 128 + signal);
	}
}

static bool is_readable(uint64_t address)
{
	uint8_t byte;

	return engine_copy(&byte, (const void *)(uintptr_t)address, 1) == 0;
}

void signals_raise_fault(struct thread *t, int signal, int code, uint64_t address)
{
	if (t->pending && !t->fault) {
		/* the noted signal comes first; the fault happens again after it */
		return;
	}
	t->pending_info = (siginfo_t){.si_signo = signal, .si_code = code};
	t->pending_info.si_addr = (void *)(uintptr_t)(code == SI_KERNEL ? 0 : address);
	t->fault_error = 0;
	t->fault_trap = TRAP_OPCODE;
	if (code == SI_KERNEL) {
		t->fault_trap = TRAP_PROTECTION;
	} else if (signal == SIGSEGV || signal == SIGBUS) {
		/* user, instruction fetch; and the page was there */
		t->fault_error = signal == SIGSEGV && code == SEGV_ACCERR && is_readable(address)
					 ? 0x15
					 : 0x14;
		t->fault_trap = TRAP_PAGE;
		t->fault_address = address;
	}
	t->rflags |= EFLAGS_RESUME; /* as in each frame of a fault */
	t->fault = 1;
	t->pending = (uint32_t)signal;
}

/* The action for a signal, with SA_RESETHAND done. */
static struct kernel_sigaction take_action(struct process *p, int signal)
{
	struct kernel_sigaction a, dfl = {0}, k;

	lock_take(&p->action_lock);
	a = p->actions[signal];
	if (a.handler > HANDLER_IGNORE && (a.flags & SA_RESETHAND)) {
		p->actions[signal].handler = HANDLER_DEFAULT;
		k = kernel_view(signal, &dfl);
		kernel_action(signal, &k, 0);
	}
	lock_drop(&p->action_lock);
	return a;
}

static void go_on_without(struct thread *t)
{
	t->have_suspend_mask = false;
	signals_unblock(t);
}

/*
 * A frame that cannot be written or read: the thread gets SIGSEGV, which it may handle on another
 * stack. The registers of its last fault do not change.
 */
static void force_fault(struct thread *t)
{
	const siginfo_t info = {.si_signo = SIGSEGV, .si_code = SI_KERNEL};

	if (t->pending) /* noted already, and would be lost */
		take_default_action(t, SIGSEGV, &info);
	t->pending_info = info;
	t->fault = 1;
	__atomic_store_n(&t->pending, SIGSEGV, __ATOMIC_SEQ_CST);
}

/* The signal's handler begins: its mask, and what may come next. */
static void handler_begins(struct thread *t, const struct kernel_sigaction *a, int signal)
{
	uint64_t mask = t->have_suspend_mask ? t->saved_suspend_mask : t->mask;

	t->fault = 0;
	mask |= a->mask | (a->flags & SA_NODEFER ? 0 : bit(signal));
	t->have_suspend_mask = false;
	t->mask = mask & ~UNBLOCKABLE;
	if (!(mask & TICK_BIT))
		t->real_tick = false;
	else if (signal == TICK_SIGNAL)
		t->real_tick = true; /* further ones keep their order in the kernel */
	__atomic_store_n(&t->pending, 0, __ATOMIC_SEQ_CST);
	signals_unblock(t);
	graph_signal(t);
}

void signals_deliver(struct thread *t)
{
	const int signal = (int)t->pending;
	siginfo_t info = t->pending_info;
	struct kernel_sigaction a = take_action(t->process, signal);
	const bool forced = t->fault && (a.handler <= HANDLER_IGNORE || (t->mask & bit(signal)));

	if (forced || a.handler <= HANDLER_IGNORE) {
		t->pending = 0;
		if (forced || a.handler == HANDLER_DEFAULT)
			take_default_action(t, signal, &info);
		return go_on_without(t);
	}
	if (signal_frame_build(t, &a, signal, &info) == 0)
		return handler_begins(t, &a, signal);
	t->pending = 0;
	info = (siginfo_t){.si_signo = SIGSEGV, .si_code = SI_KERNEL};
	if (signal == SIGSEGV)
		take_default_action(t, SIGSEGV, &info);
	force_fault(t);
}

void signals_return(struct thread *t)
{
	uint64_t mask = t->mask;
	const int r = signal_frame_load(t, &mask);

	t->used31 = 1;
	t->high_vectors = VECTORS_UNKNOWN;
	rest_handler_returns(t);
	set_mask(t, mask);
	rest_handler_returned(t);
	if (r != 0)
		force_fault(t);
	graph_signal_return(t);
}

/*
 * The handlers are those of another process, too, which goes on with them. The kernel makes them
 * default ones for the new program. Signals that the program ignores, and the engine does not, end
 * it then.
 */
static void leave_shared(struct thread *t)
{
	const uint64_t tick = TICK_BIT;
	const struct timespec now = {0, 0};

	signals_block_all();
	ticker_end(t);
	rest_drop(t);
	while (sys4(SYS_rt_sigtimedwait, &tick, 0, &now, 8) == TICK_SIGNAL)
		;
	kernel_mask(t->mask);
	held_give_back(t);
}

void signals_before_exec(struct thread *t)
{
	struct kernel_sigaction ignore = {.handler = HANDLER_IGNORE};

	if (!t->process->borrowed_memory && !process_is_of(t)) {
		leave_shared(t);
		return;
	}

	/* a pending tick would end the new program: ignoring the signal discards it */
	ticker_stop_all(t);
	rest_drop(t);
	kernel_action(TICK_SIGNAL, &ignore, 0);
	for (int i = 1; i <= MAX_SIGNAL; i++) {
		struct kernel_sigaction a = t->process->actions[i];

		if (!is_sync(i) && !((ENDING_SIGNALS | TICK_BIT) & bit(i)))
			continue;
		if (a.handler > HANDLER_IGNORE)
			a.handler = HANDLER_DEFAULT;
		a.flags &= ~(uint64_t)SA_RESTORER_FLAG;
		kernel_action(i, &a, 0);
	}
	kernel_mask(t->mask);
	held_give_back(t);
}

void signals_after_failed_exec(struct thread *t)
{
	for (int i = 1; i <= MAX_SIGNAL; i++)
		if (is_sync(i) || ((ENDING_SIGNALS | TICK_BIT) & bit(i))) {
			struct kernel_sigaction k = kernel_view(i, &t->process->actions[i]);

			kernel_action(i, &k, 0);
		}
	signals_unblock(t);
	if (process_is_of(t))
		ticker_go_on(t);
}
