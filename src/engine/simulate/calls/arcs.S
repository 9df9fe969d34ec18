/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps of calls that are more than some instructions; see arcs.h. All registers and flags are the
 * target's, except r11, and rcx, which holds the target of an indirect step. T_MISS_SITE has the
 * number of the step, T_MISS_BACK where to go on. T_REGS is free meanwhile. The target's stack is
 * not touched.
 */
#include "engine/core/layout.h"
#include "engine/simulate/calls/arcs.h"
#include "engine/simulate/calls/nodes.h"
#include "engine/simulate/state/filter_rows.h"

#define TROUBLE_FLAGS 0x40500	/* alignment check, direction, trap: not for C code */

	.macro each_of_step what
	\what	rax, 0
	\what	rdx, 2
	\what	rsi, 6
	\what	rdi, 7
	.endm

/* The flags stay in ax. */
	.macro begin_step
	each_of_step save
	lahf
	seto	%al
	.endm

	.macro end_step
	add	$0x7f, %al
	sahf
	each_of_step restore
	jmp	*%gs:T_MISS_BACK
	.endm

/* Lanes 2 and 3 to memory. */
	.macro store_lanes at
	cmpb	$COUNTER_YMM31, engine_vector_counter(%rip)
	jne	91f
	vextracti32x4	$1, %ymm31, \at
92:
	.subsection 1
91:	movups	%xmm14, \at
	jmp	92b
	.previous
	.endm

/* Leave to arcs_step; if that has found something, begin again at the entry. */
	.macro ask what, entry
	lea	\entry(%rip), %rdx
	mov	%rdx, A_RETRY
	mov	$\what, %edi
	store_lanes A_LANES
	save	rcx, 1
	jmp	.Lslow
	.endm

/* rdx: the line of the frame that ends at r11. */
	.macro line_of_frame
	mov	F_LINE-F_BYTES(%r11), %edx
	add	arcs_lines(%rip), %rdx
	.endm

/*
 * Ends the newest frame, which ends at r11: its function is as active as before, and the sums of
 * its line, rdx, get what A_LANES has more than they had then. Without room for a span goes to
 * `slow`, before anything has changed. Changes rsi, rdi.
 */
	.macro end_frame slow
	mov	F_OLD-F_BYTES(%r11), %edi
	test	%edi, %edi
	jnz	95f
	mov	A_NOTE, %esi
	cmp	F_NOTE-F_BYTES(%r11), %esi
	jne	94f
93:	mov	F_CELL-F_BYTES(%r11), %esi
	mov	A_LANES, %rdi
	movb	$0, (%rsi)
	sub	F_LANES-F_BYTES(%r11), %rdi
	mov	A_LANES+8, %rsi
	add	%rdi, L_LANES(%rdx)
	sub	F_LANES+8-F_BYTES(%r11), %rsi
	add	%rsi, L_LANES+8(%rdx)
	incl	L_CALLS(%rdx)
96:
	.subsection 1
94:	mov	arcs_next_span(%rip), %rdi
	cmp	arcs_last_span(%rip), %rdi
	jae	\slow
	mov	%esi, S_TO(%rdi)
	mov	F_NOTE-F_BYTES(%r11), %esi
	mov	%esi, S_FROM(%rdi)
	mov	F_LINE-F_BYTES(%r11), %esi
	mov	%esi, S_LINE(%rdi)
	add	$S_BYTES, %rdi
	mov	%rdi, arcs_next_span(%rip)
	jmp	93b
95:	incl	L_CALLS+4(%rdx)
	jmp	96b
	.previous
	.endm

/* The frame at r11 begins: all but its F_SP. edi: its line's offset; esi: the cell. Changes rdx. */
	.macro begin_frame
	movzbl	(%rsi), %edx
	movb	$1, (%rsi)
	mov	%edi, F_LINE(%r11)
	mov	%esi, F_CELL(%r11)
	mov	%edx, F_OLD(%r11)
	mov	A_NOTE, %edx
	mov	%edx, F_NOTE(%r11)
	store_lanes F_LANES(%r11)
	.endm

/* rdi: what leads from the site to rcx. Changes rdx, rsi. */
	.macro find_line slow
	mov	%gs:T_MISS_SITE, %esi
	mov	%ecx, %edx
	imul	$TO_SITE_FACTOR, %esi, %edi
	shr	$4, %edx
	add	%edi, %edx
	shl	$TO_SHIFT, %edx
	and	arcs_towards_mask(%rip), %edx
	mov	arcs_towards(%rip), %rdi
	add	%rdx, %rdi
	cmp	%rcx, TO_TARGET(%rdi)
	jne	98f
	cmp	%esi, TO_SITE(%rdi)
	jne	98f
97:	mov	TO_CELL(%rdi), %esi
	mov	TO_LINE(%rdi), %edi
	.subsection 1
98:	xor	$1 << TO_SHIFT, %rdi
	cmp	%rcx, TO_TARGET(%rdi)
	jne	\slow
	cmp	%esi, TO_SITE(%rdi)
	je	97b
	jmp	\slow
	.previous
	.endm

	.macro entry name
	.globl	\name
	.hidden	\name
\name:
	.endm

	.text
	entry	engine_arcs

/* A return to rcx, behind its pop. */
	entry	arcs_return
	begin_step
	mov	A_TOP, %r11
	lea	-8(%rsp), %rsi
1:	cmp	A_BASE, %r11
	je	.Lslow_site
	cmp	%rsi, F_SP-F_BYTES(%r11)
	jne	.Lslow_site
	line_of_frame
	mov	L_BACK(%rdx), %rdi
	cmp	%rcx, %rdi
	jne	4f
2:	store_lanes A_LANES
	cmp	A_TOP, %r11
	jne	5f
	end_frame .Lslow_site
	lea	-F_BYTES(%r11), %r11
	mov	%r11, A_TOP
3:	lea	-8(%rsp), %rsi
	mov	%rsi, A_SP
	end_step
4:	test	%rdi, %rdi		/* jumps end together with what they left */
	jnz	.Lslow_site
	lea	-F_BYTES(%r11), %r11
	jmp	1b
5:	lea	-F_BYTES(%r11), %r11
	mov	%r11, A_END
6:	mov	A_TOP, %r11
7:	line_of_frame
	end_frame .Lslow_site
	lea	-F_BYTES(%r11), %r11
	mov	%r11, A_TOP
	cmp	A_END, %r11
	jne	7b
	jmp	3b

/* An indirect call of rcx, which has pushed. */
	entry	arcs_call
	begin_step
	find_line .Llook_call
	mov	A_TOP, %r11
	mov	%edi, F_LINE(%r11)	/* faults if there is no room */
	mov	F_SP-F_BYTES(%r11), %rdx
	sub	%rsp, %rdx
	dec	%rdx
	cmp	$(1 << A_NEAR_LOG), %rdx
	jae	.Lslow_site
	begin_frame
	mov	%rsp, F_SP(%r11)
	mov	%rsp, A_SP
	add	$F_BYTES, %r11
	mov	%r11, A_TOP
	end_step

/* An indirect jump to rcx, which is counted, too, if it stays in its function. */
	entry	arcs_switch
	begin_step
	find_line .Lslow_switch
	mov	%edi, %edx
	add	arcs_lines(%rip), %rdx
	cmpq	$L_WITHIN, L_BACK(%rdx)
	jne	.Ljump
	incl	L_CALLS(%rdx)
	end_step

/* An indirect jump to rcx, out of its function. */
	entry	arcs_jump
	begin_step
	find_line .Llook_jump
.Ljump:	cmpb	$0, (%rsi)
	jne	.Lslow_site
	mov	A_TOP, %r11
	mov	%edi, F_LINE(%r11)	/* faults if there is no room */
	begin_frame
	mov	F_SP-F_BYTES(%r11), %rdx
	mov	%rdx, F_SP(%r11)
	add	$F_BYTES, %r11
	mov	%r11, A_TOP
	end_step

/* A jump out of a stub: the frame of the stub becomes one of what it leads to. */
	entry	arcs_lead
	begin_step
	mov	A_TOP, %r11
	cmp	A_BASE, %r11
	je	.Lslow_lead
	mov	F_LINE-F_BYTES(%r11), %edi
	add	arcs_lines(%rip), %rdi
	cmp	%rcx, L_LED_TARGET(%rdi)
	jne	.Lslow_lead
	mov	L_LED_CELL(%rdi), %esi
	mov	L_LED(%rdi), %edi
	mov	%esi, A_NEXT+4
	mov	%edi, A_NEXT
	store_lanes A_LANES
	line_of_frame
	end_frame .Lslow_lead
	mov	A_NEXT, %edi
	mov	A_NEXT+4, %esi
	lea	-F_BYTES(%r11), %r11
	begin_frame
	end_step

/*
 * A direct jump into a function that is active. If that is from a part that the compiler has
 * separated, back into the middle, then the frames above end.
 */
	entry	arcs_slow_jump
	begin_step
	mov	%gs:T_MISS_SITE, %edi
	add	arcs_lines(%rip), %rdi
	mov	L_CELL(%rdi), %esi
	mov	A_TOP, %r11
8:	cmp	A_BASE, %r11
	je	.Lslow_jump
	cmp	%esi, F_CELL-F_BYTES(%r11)
	je	9f
	line_of_frame
	cmpq	$0, L_BACK(%rdx)
	jne	.Lslow_jump
	lea	-F_BYTES(%r11), %r11
	jmp	8b
9:	cmp	A_TOP, %r11
	je	.Lslow_jump
	mov	%r11, A_END
	store_lanes A_LANES
	mov	A_TOP, %r11
10:	line_of_frame
	end_frame .Lslow_jump
	lea	-F_BYTES(%r11), %r11
	mov	%r11, A_TOP
	cmp	A_END, %r11
	jne	10b
	end_step

/* The same steps by the rules of the call graph; and those that always need them. */
	.macro by_rules what
	store_lanes A_LANES
	save	rcx, 1
	mov	$\what, %edi
	jmp	.Lslow
	.endm

	entry	arcs_slow_call
	begin_step
	by_rules STEP_CALL
	entry	arcs_jump_by_rules
	begin_step
.Lslow_jump:
	by_rules STEP_JUMP
.Llook_call:
	ask	STEP_LOOK, arcs_call
.Llook_jump:
	ask	STEP_LOOK, arcs_jump
	entry	arcs_site
	begin_step
.Lslow_site:
	by_rules STEP_SITE
.Lslow_lead:
	by_rules STEP_LEAD
.Lslow_switch:
	by_rules STEP_SWITCH
.Lslow:
	save	r8, 8
	save	r9, 9
	save	r10, 10
	save	rbx, 3
	mov	%eax, %ebx
	mov	%gs:T_MISS_SITE, %esi
	mov	%rcx, %rdx
	mov	%rsp, %rcx
	mov	%rsp, %gs:T_HOOK_SP
	mov	%gs:T_ENGINE_SP, %rsp
	sub	$8, %rsp
	pushfq
	testl	$TROUBLE_FLAGS, (%rsp)
	jnz	12f
11:	call	arcs_step
	popfq
	mov	%gs:T_HOOK_SP, %rsp
	test	%al, %al
	mov	%ebx, %eax
	restore	rcx, 1
	restore	r8, 8
	restore	r9, 9
	restore	r10, 10
	restore	rbx, 3
	jnz	13f
	end_step
13:	add	$0x7f, %al
	sahf
	each_of_step restore
	jmp	*A_RETRY
12:	pushq	$0x202
	popfq
	jmp	11b

#include "engine/simulate/calls/nodes.inc"

	.subsection 3
	entry	engine_arcs_end
	.previous

	.section .note.GNU-stack, "", @progbits
