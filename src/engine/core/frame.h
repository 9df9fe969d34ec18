/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The signal frame as the kernel lays it out for x86-64. */
#ifndef DWELL_ENGINE_CORE_FRAME_H
#define DWELL_ENGINE_CORE_FRAME_H

#include <signal.h>
#include <stdint.h>

struct frame_context {
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, eflags;
	uint16_t cs, gs, fs, ss;
	uint64_t err, trapno, oldmask, cr2;
	uint64_t fpstate;
	uint64_t reserved[8];
};

struct frame_ucontext {
	uint64_t flags;
	uint64_t link;
	stack_t stack;
	struct frame_context mc;
	uint64_t sigmask;
};

struct frame {
	uint64_t restorer;
	struct frame_ucontext uc;
	siginfo_t info;
};

_Static_assert(sizeof(struct frame_context) == 256, "layout of sigcontext");
_Static_assert(sizeof(struct frame_ucontext) == 304, "layout of ucontext");
_Static_assert(sizeof(struct frame) == 440, "layout of rt_sigframe");

/* The last 48 bytes of the legacy area describe the vector state behind it. */
struct frame_fp_note {
	uint32_t magic1;
	uint32_t extended_bytes;
	uint64_t features;
	uint32_t xstate_bytes;
	uint32_t padding[7];
};

#define FRAME_XMM15_AT	     400
#define FRAME_FP_NOTE_AT     464
#define FRAME_XSTATE_HELD_AT 512 /* a bit for each part not in its initial state */
#define FRAME_UPPER_AT	     576 /* 16 bytes of each ymm register */
#define FRAME_UPPER	     (1ull << 2)
#define FRAME_HIGH_ZMM	     (1ull << 7) /* the part with zmm16 to zmm31 */
#define FRAME_FP_MAGIC1	     0x46505853u
#define FRAME_FP_MAGIC2	     0x46505845u
#define FRAME_UC_FLAGS	     7u /* extended state; ss saved; ss restored strictly */

/* Where the frame holds register r (enum reg). */
static inline uint64_t *frame_register(struct frame_context *c, int r)
{
	uint64_t *const at[] = {&c->rax, &c->rcx, &c->rdx, &c->rbx, &c->rsp, &c->rbp,
				&c->rsi, &c->rdi, &c->r8,  &c->r9,  &c->r10, &c->r11,
				&c->r12, &c->r13, &c->r14, &c->r15};

	return at[r];
}

#endif
