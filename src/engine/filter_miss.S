/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An inline test of the filter gear has failed; see filter.h. All target state is live but the register of
 * the site; T_MISS_ADDRESS and T_MISS_SITE say what missed.
 *
 * The miss of one line in a hierarchy of two levels is done here: a program may have
 * one in every ten accesses. All else is for C. T_REGS is free while the thread is in the cache. Only one
 * thread comes here.
 */
#include "engine/filter.h"
#include "engine/filter_calls.h"
#include "engine/layout.h"

#define TROUBLE_FLAGS 0x40500	/* alignment check, direction, trap: not for C code */

	.macro each_register what
	\what	rax, 0
	\what	rcx, 1
	\what	rdx, 2
	\what	rbx, 3
	\what	rbp, 5
	\what	rsi, 6
	\what	rdi, 7
	\what	r8, 8
	\what	r9, 9
	\what	r10, 10
	\what	r11, 11
	\what	r12, 12
	\what	r13, 13
	\what	r14, 14
	\what	r15, 15
	.endm

	.macro save name, number
	mov	%\name, %gs:T_REGS + 8 * \number
	.endm

	.macro restore name, number
	mov	%gs:T_REGS + 8 * \number, %\name
	.endm

/*
 * Line rax, whose cell is at r13, takes the place with the least stamp in its row of level rbp. rsi: that stamp.
 * Changes rcx, rdx, r8, zmm16, zmm17, k1.
 */
	.macro bring_in
	mov	%rax, %rcx
	and	L_MASK(%rbp), %rcx
	mov	L_SHIFT(%rbp), %rdx
	shlx	%rdx, %rcx, %rcx
	add	L_STAMPS(%rbp), %rcx
	vmovdqu64	(%rcx), %zmm17
	cmp	$6, %edx
	jne	51f
	reduce
	vpcmpeqq	(%rcx), %zmm17, %k1
	kmovw	%k1, %edx
	jmp	52f
51:	vpminuq	64(%rcx), %zmm17, %zmm17
	reduce
	vpcmpeqq	64(%rcx), %zmm17, %k1
	kmovw	%k1, %r8d
	shl	$8, %r8d
	vpcmpeqq	(%rcx), %zmm17, %k1
	kmovw	%k1, %edx
	or	%r8d, %edx
52:	tzcnt	%edx, %edx
	lea	(%rcx,%rdx,8), %rsi
	mov	%rsi, %rdx
	sub	L_STAMPS(%rbp), %rdx
	add	L_OWNERS(%rbp), %rdx
	mov	(%rdx), %rcx
	mov	%r13, (%rdx)
	test	%rcx, %rcx
	jz	53f
	movl	$0, (%rcx)
53:	mov	%esi, (%r13)
	.endm

/* All lanes of zmm17 the least of them. */
	.macro reduce
	valignq	$4, %zmm17, %zmm17, %zmm16
	vpminuq	%zmm16, %zmm17, %zmm17
	vpermq	$0x4e, %zmm17, %zmm16
	vpminuq	%zmm16, %zmm17, %zmm17
	vpshufd	$0x4e, %zmm17, %zmm16
	vpminuq	%zmm16, %zmm17, %zmm17
	.endm

/* Line rax in LL; r12d is set if it misses. Changes rbp, rsi, r11, r13 and what bring_in changes. */
	.macro touch_last
	mov	F_LAST_CELLS(%r14), %r13
	lea	(%r13,%rax,4), %r13
	mov	F_LAST_CLOCK(%r14), %r11
	inc	%r11
	mov	%r11, F_LAST_CLOCK(%r14)
	mov	(%r13), %ecx
	test	%ecx, %ecx
	jnz	61f
	mov	$1, %r12d
	lea	F_LAST(%r14), %rbp
	bring_in
	mov	%esi, %ecx
61:	mov	%r11, (%rcx)
	.endm

	.macro save_vectors
	vmovdqu64	%zmm16, saved(%rip)
	vmovdqu64	%zmm17, saved+64(%rip)
	kmovq	%k1, saved+128(%rip)
	.endm

/* The call graph, if there is one, has a record of events behind the last step; else to C, which makes room. Changes rdx. */
	.macro open_events
	mov	%gs:T_STEP, %rdx
	test	%rdx, %rdx
	jz	41f
	cmpl	$0, REC_SITE-REC_BYTES(%rdx)
	je	41f
	cmp	filter_records_end(%rip), %rdx
	je	8f
	xor	%ecx, %ecx
	mov	%rcx, (%rdx)
	mov	%rcx, 8(%rdx)
	mov	%rcx, 16(%rdx)
	mov	%rcx, 24(%rdx)
	mov	%rcx, 32(%rdx)
	add	$REC_BYTES, %rdx
	mov	%rdx, %gs:T_STEP
41:
	.endm

/* One more event whose place in cells is rcx bytes from their beginning. Changes rcx. rdx: T_STEP */
	.macro add_event
	incq	(%rdi,%rcx)
	test	%rdx, %rdx
	jz	42f
	shr	$1, %ecx
	incl	REC_COUNTS-REC_BYTES(%rdx,%rcx)
42:
	.endm

	.text
	.globl engine_filter_miss
	.hidden engine_filter_miss
/* rbx site, rdi the number of its cell of events; rbp the level that missed; rax line, r13 its cell; r12 has LL missed; r14 filter_state; r15 flags */
engine_filter_miss:
	each_register save
	lahf
	seto	%al
	mov	%eax, %r15d
	lea	filter_state(%rip), %r14
	mov	%gs:T_MISS_SITE, %ebx
	shl	$SITE_SHIFT, %rbx
	add	F_SITES(%r14), %rbx
	mov	SITE_CELL(%rbx), %edi
	cmpq	$0, F_IS_FAST(%r14)
	je	8f
	test	%edi, %edi
	jz	8f
	movzbl	SITE_FLAGS(%rbx), %ecx
	test	$(FILTER_SITE_CODE | FILTER_SITE_SLOW), %ecx
	jnz	6f
	mov	%gs:T_MISS_ADDRESS, %rdx
	mov	%edx, %eax
	and	$63, %eax
	movzbl	SITE_SPAN(%rbx), %ecx
	add	%ecx, %eax
	cmp	$63, %eax
	ja	8f
	mov	%rdx, %rax
	shr	$FILTER_LINE_SHIFT, %rax
	shr	$FILTER_ADDRESS_BITS, %rdx
	jnz	8f
	lea	FILTER_CELLS(,%rax,4), %r13
	mov	%r14, %rbp	/* F_DATA */
	mov	(%r13), %esi
	test	%esi, %esi
	jnz	7f		/* it was only asked because it is not aligned */
	open_events
	xor	%r12d, %r12d
	save_vectors
1:	bring_in
	cmpq	$0, L_BY_USE(%rbp)
	je	3f
11:	mov	%rsi, %r10
	touch_last
	/* The events. */
	imul	F_CELL_BYTES(%r14), %rdi
	add	F_CELLS(%r14), %rdi
	movzbl	SITE_COLUMN(%rbx), %r9d
	shl	$4, %r9d
	add	%r14, %r9
	mov	%gs:T_STEP, %rdx
	mov	F_COLUMNS(%r9), %rcx
	add_event
	test	%r12d, %r12d
	jz	2f
	mov	F_COLUMNS+8(%r9), %rcx
	add_event
2:	mov	%r10, %rsi
	vmovdqu64	saved(%rip), %zmm16
	vmovdqu64	saved+64(%rip), %zmm17
	kmovq	saved+128(%rip), %k1
7:	movzbl	SITE_REG(%rbx), %eax
	mov	%rsi, %gs:T_REGS(,%rax,8)
	mov	SITE_BACK(%rbx), %rax
	mov	%rax, %gs:T_MISS_BACK
	mov	%r15d, %eax
	add	$0x7f, %al
	sahf
	each_register restore
	jmp	*%gs:T_MISS_BACK
	/* FIFO: the code behind the miss does not do it. */
3:	testb	$FILTER_SITE_SECOND, SITE_FLAGS(%rbx)
	jnz	31f
	vmovq	%xmm31, (%rsi)
	jmp	11b
31:	vmovhps	%xmm31, (%rsi)
	jmp	11b
	/* A fetch. LL is asked for both lines of an instruction. */
6:	test	$FILTER_SITE_SLOW, %ecx
	jnz	8f
	open_events
	xor	%r12d, %r12d
	save_vectors
	mov	SITE_ADDRESS(%rbx), %rax
	shr	$FILTER_LINE_SHIFT, %rax
	testb	$FILTER_SITE_PAIR, SITE_FLAGS(%rbx)
	jz	5f
	dec	%rax
	touch_last
	inc	%rax
5:	mov	F_CODE_CELLS(%r14), %rcx
	mov	(%rcx,%rax,4), %r13d
	lea	F_CODE(%r14), %rbp
	jmp	1b

	/* To C, with the registers where it finds them, on the engine's stack. */
8:	mov	%rsp, %gs:T_HOOK_SP
	mov	%gs:T_ENGINE_SP, %rsp
	sub	$8, %rsp
	pushfq
	testl	$TROUBLE_FLAGS, (%rsp)
	jnz	9f
81:	vmovq	%xmm31, %rdi
	call	filter_missed
	mov	%rax, %gs:T_MISS_BACK
	popfq
	mov	%r15d, %eax
	add	$0x7f, %al
	sahf
	each_register restore
	mov	%gs:T_HOOK_SP, %rsp
	jmp	*%gs:T_MISS_BACK
9:	pushq	$0x202
	popfq
	jmp	81b

	.globl engine_filter_miss_end
	.hidden engine_filter_miss_end
engine_filter_miss_end:

	.bss
	.balign 64
saved:	.skip	192

	.section .note.GNU-stack, "", @progbits
