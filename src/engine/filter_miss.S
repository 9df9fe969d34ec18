/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an inline test of the filter gear that failed to C and back; see filter.h. All target state
 * is live but the register of the site; T_MISS_ADDRESS and T_MISS_SITE say what missed.
 */
#include "engine/layout.h"

#define TROUBLE_FLAGS 0x40500	/* alignment check, direction, trap: not for C code */

	.text
	.globl engine_filter_miss
	.hidden engine_filter_miss
engine_filter_miss:
	mov	%rsp, %gs:T_HOOK_SP
	mov	%gs:T_ENGINE_SP, %rsp
	lea	-128(%rsp), %rsp	/* flags are not saved yet */
	mov	%rax, 0(%rsp)
	mov	%rcx, 8(%rsp)
	mov	%rdx, 16(%rsp)
	mov	%rbx, 24(%rsp)
	mov	%rbp, 40(%rsp)
	mov	%rsi, 48(%rsp)
	mov	%rdi, 56(%rsp)
	mov	%r8, 64(%rsp)
	mov	%r9, 72(%rsp)
	mov	%r10, 80(%rsp)
	mov	%r11, 88(%rsp)
	mov	%r12, 96(%rsp)
	mov	%r13, 104(%rsp)
	mov	%r14, 112(%rsp)
	mov	%r15, 120(%rsp)
	mov	%rsp, %rdi
	lea	-24(%rsp), %rsp
	pushfq
	testl	$TROUBLE_FLAGS, (%rsp)
	jnz	3f
1:	vmovq	%xmm31, %rsi
	call	filter_missed
	mov	%rax, %gs:T_MISS_BACK
	testl	$TROUBLE_FLAGS, (%rsp)
	jnz	4f
	/* popfq takes 20 cycles and more: status flags alone do it otherwise. */
	movzbl	1(%rsp), %eax
	shr	$3, %eax
	and	$1, %eax		/* overflow */
	movb	(%rsp), %ah		/* the other five */
	add	$0x7f, %al
	sahf
	lea	32(%rsp), %rsp
2:	mov	0(%rsp), %rax
	mov	8(%rsp), %rcx
	mov	16(%rsp), %rdx
	mov	24(%rsp), %rbx
	mov	40(%rsp), %rbp
	mov	48(%rsp), %rsi
	mov	56(%rsp), %rdi
	mov	64(%rsp), %r8
	mov	72(%rsp), %r9
	mov	80(%rsp), %r10
	mov	88(%rsp), %r11
	mov	96(%rsp), %r12
	mov	104(%rsp), %r13
	mov	112(%rsp), %r14
	mov	120(%rsp), %r15
	mov	%gs:T_HOOK_SP, %rsp
	jmp	*%gs:T_MISS_BACK
3:	pushq	$0x202
	popfq
	jmp	1b
4:	popfq
	lea	24(%rsp), %rsp
	jmp	2b

	.section .note.GNU-stack, "", @progbits
