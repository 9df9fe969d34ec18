/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signal frames; see signal_frame.h. The kernel's are those of Linux 6.12 and later. */
#include "engine/run/signal_frame.h"

#include <errno.h>

#include "engine/core/util.h"
#include "engine/core/xstate.h"
#include "engine/run/signals.h"
#include "engine/translate/x87.h"

#define RED_ZONE	128u
#define AUTODISARM	(1u << 31)
#define LEAST_STACK	2048u
#define LEAST_XSTATE	(FRAME_XSTATE_HELD_AT + 64u)
#define SA_RESTORER	0x04000000u
#define HANDLER_CLEARED 0x10500ull /* flags: direction, trap, resume */

static void no_stack(struct thread *t)
{
	t->altstack = (stack_t){.ss_flags = SS_DISABLE};
}

/* The kernel's do_sigaltstack. */
static long set_stack(struct thread *t, stack_t new, uint64_t sp)
{
	const unsigned mode = (unsigned)new.ss_flags & ~AUTODISARM;

	if (thread_on_altstack(t, sp))
		return -EPERM;
	if (mode != SS_DISABLE && mode != SS_ONSTACK && mode != 0)
		return -EINVAL;
	if (mode == SS_DISABLE) {
		new.ss_sp = 0;
		new.ss_size = 0;
	} else if (new.ss_size < LEAST_STACK) {
		return -ENOMEM;
	}
	t->altstack = new;
	return 0;
}

long signal_frame_altstack(struct thread *t, uint64_t ss, uint64_t old)
{
	const uint64_t sp = t->regs[RSP];
	stack_t before = t->altstack, new;
	long r = 0;

	before.ss_flags = (int)(((unsigned)before.ss_flags & AUTODISARM) |
				(!before.ss_size	     ? SS_DISABLE
				 : thread_on_altstack(t, sp) ? SS_ONSTACK
							     : 0));
	if (ss) {
		if (engine_copy(&new, (void *)(uintptr_t)ss, sizeof new) != 0)
			return -EFAULT;
		r = set_stack(t, new, sp);
	}
	if (r == 0 && old && engine_copy((void *)(uintptr_t)old, &before, sizeof before) != 0)
		return -EFAULT;
	return r;
}

void signal_frame_context(const struct thread *t, struct frame_context *c)
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
		/* of the thread's last fault, also in frames of sent signals */
		.err = t->fault_error,
		.trapno = t->fault_trap,
		.cr2 = t->fault_address,
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
	t->rflags = (t->rflags & ~USER_EFLAGS) | (c->eflags & USER_EFLAGS) | 0x202;
	t->step_from = 0;
}

/*
 * The part of save_vectors that faults where the stack is unmapped. The kernel says of x87 and SSE
 * that they are held, also in their first state, for programs that write only the registers.
 */
static int write_image(uint64_t at, const struct xstate *x, uint32_t keys)
{
	const struct frame_fp_note note = {.magic1 = FRAME_FP_MAGIC1,
					   .extended_bytes = (uint32_t)x->bytes + 4,
					   .features = x->parts,
					   .xstate_bytes = (uint32_t)x->bytes};
	const uint32_t magic2 = FRAME_FP_MAGIC2;
	static const uint64_t zero[8];
	uint64_t held;

	if (engine_copy((void *)(uintptr_t)(at + FRAME_XSTATE_HELD_AT), zero, sizeof zero) != 0 ||
	    engine_xsave((void *)(uintptr_t)at, x->parts) != 0 ||
	    engine_peek(&held, (void *)(uintptr_t)(at + FRAME_XSTATE_HELD_AT)) != 0)
		return -1;
	held |= XSTATE_LEGACY;
	if (engine.keys_at) {
		held |= XSTATE_KEYS;
		engine_copy((void *)(uintptr_t)(at + engine.keys_at), &keys, sizeof keys);
	}
	if (engine_copy((void *)(uintptr_t)(at + FRAME_XSTATE_HELD_AT), &held, sizeof held) != 0 ||
	    engine_copy((void *)(uintptr_t)(at + FRAME_FP_NOTE_AT), &note, sizeof note) != 0)
		return -1;
	return engine_copy((void *)(uintptr_t)(at + x->bytes), &magic2, sizeof magic2) != 0 ? -1
											    : 0;
}

/* All parts in their first state; protection keys as in a new process, if `keys`. */
static void reset_vectors(uint64_t parts, bool keys)
{
	static uint8_t clean[XSTATE_MOST_BYTES] __attribute__((aligned(64)));

	clean[0] = 0x7f; /* x87 control word 0x37f */
	clean[1] = 0x03;
	clean[24] = 0x80; /* mxcsr 0x1f80 */
	clean[25] = 0x1f;
	engine_xrstor(clean, parts);
	if (keys && engine.keys_at)
		xstate_set_keys(engine.first_keys);
}

/* Where the frame begins below `sp`, or above it on the alternate stack. 0: no room there. */
static uint64_t place(const struct thread *t, const struct kernel_sigaction *a, uint64_t bytes,
		      uint64_t *fp)
{
	const uint64_t base = (uint64_t)(uintptr_t)t->altstack.ss_sp, size = t->altstack.ss_size;
	uint64_t sp = t->regs[RSP] - RED_ZONE;
	bool on_it = thread_on_altstack(t, t->regs[RSP]);

	if ((a->flags & SA_ONSTACK) && size && !thread_on_altstack(t, sp)) {
		sp = base + size;
		on_it = true;
	}
	*fp = (sp - bytes - 4) & ~63ull;
	sp = ((*fp - sizeof(struct frame)) & ~15ull) - 8;
	return on_it && !(sp > base && sp - base <= size) ? 0 : sp;
}

/* Frames are written with all protection keys allowed: the stack may have one of its own. */
static int write_frame(struct thread *t, uint64_t sp, const struct xstate *x, const struct frame *f)
{
	const uint32_t keys = engine.keys_at ? xstate_keys() : 0;
	int r;

	if (keys)
		xstate_set_keys(0);
	x87_show(t);
	r = write_image(f->uc.mc.fpstate, x, keys);
	if (r == 0)
		r = engine_copy((void *)(uintptr_t)sp, f, sizeof *f) != 0 ? -1 : 0;
	if (keys)
		xstate_set_keys(keys);
	return r;
}

int signal_frame_build(struct thread *t, const struct kernel_sigaction *a, int signal,
		       const siginfo_t *info)
{
	const struct xstate x = xstate_of_frame();
	struct frame f = {.restorer = a->restorer, .info = *info};
	uint64_t fp, sp = place(t, a, x.bytes, &fp);

	if (!sp || !(a->flags & SA_RESTORER))
		return -1;
	f.uc.flags = FRAME_UC_FLAGS;
	f.uc.stack = t->altstack;
	f.uc.sigmask = t->mask;
	signal_frame_context(t, &f.uc.mc);
	f.uc.mc.fpstate = fp;
	f.uc.mc.oldmask = t->mask;
	if (write_frame(t, sp, &x, &f) != 0)
		return -1;
	if ((unsigned)t->altstack.ss_flags & AUTODISARM)
		no_stack(t);
	t->regs[RDI] = (uint64_t)signal;
	t->regs[RSI] = sp + offsetof(struct frame, info);
	t->regs[RDX] = sp + offsetof(struct frame, uc);
	t->regs[RAX] = 0;
	t->regs[RSP] = sp;
	t->rflags &= ~HANDLER_CLEARED;
	t->rip = a->handler;
	reset_vectors(engine.xsave_mask, true);
	return 0;
}

/* What the image at fp holds, by its notes; 0: only what fxsave knows. Returns 0, or -1. */
static int read_notes(uint64_t fp, const struct xstate *x, uint64_t *parts)
{
	struct frame_fp_note note;
	uint32_t magic2;

	*parts = 0;
	if (engine_copy(&note, (void *)(uintptr_t)(fp + FRAME_FP_NOTE_AT), sizeof note) != 0)
		return -1;
	if (note.magic1 != FRAME_FP_MAGIC1 || note.xstate_bytes < LEAST_XSTATE ||
	    note.xstate_bytes > x->bytes || note.xstate_bytes > note.extended_bytes)
		return 0;
	if (engine_copy(&magic2, (void *)(uintptr_t)(fp + note.xstate_bytes), sizeof magic2) != 0)
		return -1;
	if (magic2 == FRAME_FP_MAGIC2)
		*parts = note.features & x->parts;
	return 0;
}

/* Parts that the image leaves out get their first state; mxcsr belongs to SSE. */
static int load_vectors(uint64_t fp)
{
	const struct xstate x = xstate_of_frame();
	uint64_t parts, left = engine.xsave_mask | (x.parts & XSTATE_KEYS);
	long r;

	if (!fp) {
		reset_vectors(engine.xsave_mask, true);
		return 0;
	}
	r = read_notes(fp, &x, &parts);
	if (r == 0)
		r = parts ? engine_xrstor((void *)(uintptr_t)fp, parts)
			  : engine_fxrstor((void *)(uintptr_t)fp);
	if (r != 0) {
		reset_vectors(engine.xsave_mask, true);
		return -1;
	}
	left &= ~(parts ? parts : XSTATE_LEGACY);
	if (left) {
		uint32_t mxcsr;

		__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
		reset_vectors(left, false);
		if (!(left & XSTATE_SSE))
			__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
	}
	return 0;
}

int signal_frame_load(struct thread *t, uint64_t *mask)
{
	const uint64_t sp = t->regs[RSP], at = sp - 8 + offsetof(struct frame, uc);
	struct frame_ucontext uc;

	if (engine_copy(&uc, (void *)(uintptr_t)at, sizeof uc) != 0)
		return -1;
	*mask = uc.sigmask;
	take_context(t, &uc.mc);
	if (load_vectors(uc.mc.fpstate) != 0)
		return -1;
	/* one that is not valid, or that the handler runs on, changes nothing */
	set_stack(t, uc.stack, sp);
	return 0;
}

void signal_frame_put_upper_half(const struct thread *t, const struct frame_ucontext *uc)
{
	uint8_t *fp = (uint8_t *)(uintptr_t)uc->mc.fpstate;
	const struct frame_fp_note *note = (const void *)(fp + FRAME_FP_NOTE_AT);
	uint64_t held, half[2];

	memcpy(half, t->app31 + 16, sizeof half);
	if (!(half[0] | half[1]) || !fp || note->magic1 != FRAME_FP_MAGIC1 ||
	    !(note->features & FRAME_UPPER))
		return;
	memcpy(&held, fp + FRAME_XSTATE_HELD_AT, sizeof held);
	if (!(held & FRAME_UPPER))
		memset(fp + FRAME_UPPER_AT, 0, 256);
	held |= FRAME_UPPER;
	memcpy(fp + FRAME_XSTATE_HELD_AT, &held, sizeof held);
	memcpy(fp + FRAME_UPPER_AT + 15 * 16, half, sizeof half);
}
