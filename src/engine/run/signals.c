/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signal system calls, frames, and return from handlers; see signals.h. */
#include "engine/run/signals.h"

#include <errno.h>

#include "channel/sys.h"
#include "engine/codecache/pages.h"
#include "engine/core/frame.h"
#include "engine/core/util.h"
#include "engine/core/xstate.h"
#include "engine/run/dispatch.h"
#include "engine/run/fault.h"
#include "engine/run/held.h"
#include "engine/run/process.h"
#include "engine/run/rest.h"
#include "engine/sample/ticker.h"
#include "engine/simulate/filter/filter_end.h"
#include "engine/simulate/graph.h"
#include "engine/translate/x87.h"

#define SA_RESTORER_FLAG 0x04000000u
#define UNBLOCKABLE	 (1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1))
#define RED_ZONE	 128u

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

void signals_thread_start(struct thread *t)
{
	stack_t ss = {.ss_sp = (uint8_t *)t->stack_memory, .ss_size = SIGNAL_STACK_BYTES};

	sys2(SYS_sigaltstack, &ss, 0);
}

void signals_set_mask(struct thread *t, uint64_t mask)
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
		signals_set_mask(t, value);
	}
	if (old && engine_copy((void *)(uintptr_t)old, &before, 8) != 0)
		return -EFAULT;
	return 0;
}

#define AUTODISARM (1u << 31)

long signals_altstack(struct thread *t, uint64_t ss, uint64_t old)
{
	stack_t before = t->altstack, new;

	before.ss_flags = (int)(((unsigned)before.ss_flags & (AUTODISARM | SS_DISABLE)) |
				(thread_on_altstack(t, t->regs[RSP]) ? SS_ONSTACK : 0));
	if (ss) {
		if (engine_copy(&new, (void *)(uintptr_t)ss, sizeof new) != 0)
			return -EFAULT;
		unsigned mode = (unsigned)new.ss_flags & ~AUTODISARM;

		if (thread_on_altstack(t, t->regs[RSP]))
			return -EPERM;
		if (mode != SS_DISABLE && mode != SS_ONSTACK && mode != 0)
			return -EINVAL;
		if (mode == SS_DISABLE) {
			new.ss_sp = 0;
			new.ss_size = 0;
		} else if (new.ss_size < 2048) {
			return -ENOMEM;
		} else {
			new.ss_flags &= ~SS_ONSTACK;
		}
		t->altstack = new;
	}
	if (old && engine_copy((void *)(uintptr_t)old, &before, sizeof before) != 0)
		return -EFAULT;
	return 0;
}

void signals_die(struct thread *t, int signal, const siginfo_t *info)
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
	/* user, instruction fetch; and the page was there */
	t->fault_error = signal == SIGBUS			       ? 0x14
			 : signal != SIGSEGV			       ? 0
			 : code == SEGV_ACCERR && is_readable(address) ? 0x15
								       : 0x14;
	t->fault_trap = signal == SIGSEGV || signal == SIGBUS ? 14 : 6;
	t->fault_address = t->fault_trap == 14 ? address : 0;
	if (code == SI_KERNEL) { /* a general protection fault */
		t->fault_error = t->fault_address = 0;
		t->fault_trap = 13;
	}
	t->fault = 1;
	t->pending = (uint32_t)signal;
}

void signals_context(const struct thread *t, struct frame_context *c)
{
	const uint64_t *r = t->regs;

	*c = (struct frame_context){
		.r8 = r[R8],
		.r9 = r[R9],
		.r10 = r[R10],
		.r11 = r[R11],
		.r12 = r[R12],
		.r13 = r[R13],
		.r14 = r[R14],
		.r15 = r[R15],
		.rdi = r[RDI],
		.rsi = r[RSI],
		.rbp = r[RBP],
		.rbx = r[RBX],
		.rdx = r[RDX],
		.rax = r[RAX],
		.rcx = r[RCX],
		.rsp = r[RSP],
		.rip = t->rip,
		.eflags = t->rflags,
		.cs = 0x33,
		.ss = 0x2b,
		.err = t->fault ? t->fault_error : 0,
		.trapno = t->fault ? t->fault_trap : 0,
		.cr2 = t->fault ? t->fault_address : 0,
	};
}

static void take_context(struct thread *t, const struct frame_context *c)
{
	uint64_t *r = t->regs;

	r[R8] = c->r8;
	r[R9] = c->r9;
	r[R10] = c->r10;
	r[R11] = c->r11;
	r[R12] = c->r12;
	r[R13] = c->r13;
	r[R14] = c->r14;
	r[R15] = c->r15;
	r[RDI] = c->rdi;
	r[RSI] = c->rsi;
	r[RBP] = c->rbp;
	r[RBX] = c->rbx;
	r[RDX] = c->rdx;
	r[RAX] = c->rax;
	r[RCX] = c->rcx;
	r[RSP] = c->rsp;
	t->rip = c->rip;
	t->rflags = (c->eflags & USER_EFLAGS) | 0x202;
	t->step_from = 0;
}

/* Saves vector state to the target's stack, with the kernel's notes. Returns 0 or -1. */
static int save_vector_state(uint64_t at, struct xstate x)
{
	struct frame_fp_note note = {.magic1 = FRAME_FP_MAGIC1,
				     .extended_bytes = (uint32_t)x.bytes + 4,
				     .features = x.parts,
				     .xstate_bytes = (uint32_t)x.bytes};
	uint32_t magic2 = FRAME_FP_MAGIC2;
	static const uint64_t zero[8];

	if (engine_copy((void *)(uintptr_t)(at + 512), zero, 64) != 0 ||
	    engine_xsave((void *)(uintptr_t)at, x.parts) != 0)
		return -1;
	if (engine_copy((void *)(uintptr_t)(at + FRAME_FP_NOTE_AT), &note, sizeof note) != 0)
		return -1;
	return engine_copy((void *)(uintptr_t)(at + x.bytes), &magic2, 4) != 0 ? -1 : 0;
}

static void reset_vector_state(uint64_t parts)
{
	static uint8_t clean[XSTATE_MOST_BYTES] __attribute__((aligned(64)));

	clean[0] = 0x7f; /* x87 control word 0x37f */
	clean[1] = 0x03;
	clean[24] = 0x80; /* mxcsr 0x1f80 */
	clean[25] = 0x1f;
	engine_xrstor(clean, parts);
}

static int build_frame(struct thread *t, const struct kernel_sigaction *a, int signal,
		       const siginfo_t *info)
{
	uint64_t sp = t->regs[RSP] - RED_ZONE, fp;
	const struct xstate x = xstate_of_frame();
	struct frame f = {.restorer = a->restorer, .info = *info};

	if ((a->flags & SA_ONSTACK) && !(t->altstack.ss_flags & SS_DISABLE) &&
	    !thread_on_altstack(t, t->regs[RSP]))
		sp = (uint64_t)(uintptr_t)t->altstack.ss_sp + t->altstack.ss_size;
	fp = (sp - x.bytes - 4) & ~63ull;
	sp = ((fp - sizeof f) & ~15ull) - 8;
	f.uc.flags = FRAME_UC_FLAGS;
	f.uc.stack = t->altstack;
	f.uc.sigmask = t->mask;
	signals_context(t, &f.uc.mc);
	f.uc.mc.fpstate = fp;
	f.uc.mc.oldmask = t->mask;
	x87_show(t);
	if (save_vector_state(fp, x) != 0 || engine_copy((void *)(uintptr_t)sp, &f, sizeof f) != 0)
		return -1;
	if ((unsigned)t->altstack.ss_flags & AUTODISARM)
		t->altstack = (stack_t){.ss_flags = SS_DISABLE};
	t->regs[RDI] = (uint64_t)signal;
	t->regs[RSI] = sp + offsetof(struct frame, info);
	t->regs[RDX] = sp + offsetof(struct frame, uc);
	t->regs[RAX] = 0;
	t->regs[RSP] = sp;
	t->rflags &= ~0x10500ull; /* direction, trap, resume */
	t->rip = a->handler;
	reset_vector_state(engine.xsave_mask);
	return 0;
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

void signals_deliver(struct thread *t)
{
	int signal = (int)t->pending;
	bool fault = t->fault;
	siginfo_t info = t->pending_info;
	struct kernel_sigaction a = take_action(t->process, signal);
	uint64_t mask = t->have_suspend_mask ? t->saved_suspend_mask : t->mask;

	if (fault && (a.handler <= HANDLER_IGNORE || (t->mask & bit(signal)))) {
		t->pending = 0;
		signals_die(t, signal, &info);
	}
	if (a.handler == HANDLER_DEFAULT) {
		t->pending = 0;
		signals_die(t, signal, &info);
		return go_on_without(t);
	}
	if (a.handler == HANDLER_IGNORE) {
		t->pending = 0;
		return go_on_without(t);
	}
	if (build_frame(t, &a, signal, &info) != 0) {
		/* No room for the frame: the kernel would kill with SIGSEGV. */
		siginfo_t segv = {.si_signo = SIGSEGV, .si_code = SI_KERNEL};

		t->pending = 0;
		signals_die(t, SIGSEGV, &segv);
	}
	t->fault = 0;
	mask |= a.mask | (a.flags & SA_NODEFER ? 0 : bit(signal));
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

static void bad_frame(struct thread *t)
{
	siginfo_t segv = {.si_signo = SIGSEGV, .si_code = SI_KERNEL};

	signals_die(t, SIGSEGV, &segv);
}

void signals_return(struct thread *t)
{
	uint64_t at = t->regs[RSP] - 8;
	struct frame_ucontext uc;
	struct frame_fp_note note;

	if (engine_copy(&uc, (void *)(uintptr_t)(at + offsetof(struct frame, uc)), sizeof uc) != 0)
		return bad_frame(t);
	take_context(t, &uc.mc);
	t->used31 = 1;
	t->high_vectors = VECTORS_UNKNOWN;
	if (uc.mc.fpstate == 0) {
		reset_vector_state(engine.xsave_mask);
	} else {
		uint64_t fp = uc.mc.fpstate, mask = 3;

		if (engine_copy(&note, (void *)(uintptr_t)(fp + FRAME_FP_NOTE_AT), sizeof note) !=
		    0)
			return bad_frame(t);
		if (note.magic1 == FRAME_FP_MAGIC1)
			mask = engine.xsave_mask & (note.features | 3);
		if (mask != engine.xsave_mask)
			reset_vector_state(engine.xsave_mask & ~mask);
		if (engine_xrstor((void *)(uintptr_t)fp, mask) != 0)
			return bad_frame(t);
	}
	t->altstack = uc.stack;
	rest_handler_returns(t);
	signals_set_mask(t, uc.sigmask);
	rest_handler_returned(t);
	graph_signal_return(t);
}

void signals_before_exec(struct thread *t)
{
	struct kernel_sigaction ignore = {.handler = HANDLER_IGNORE};

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
	ticker_go_on(t);
}
