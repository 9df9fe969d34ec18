/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An inline test of the filter gear has failed; see filter.h. All target state is live but the register of
 * the site; T_MISS_ADDRESS and T_MISS_SITE say what missed.
 *
 * The miss of one line in a hierarchy of two levels is done here: a program may have
 * one in every ten accesses. All else is for C. T_REGS is free while the thread is in the cache. Only one
 * thread comes here.
 *
 * What the next accesses wait for is the store to the cell of the line that gives way, whose address decides what their loads of cells
 * may read. So each set has a record of its oldest line (struct filter_oldest), made when the set missed last,
 * when nothing waited for it. It is right as long as that line has not been used since, as all stamps only grow. (To search the stamps at each
 * miss took two thirds of the time of misses, which were two thirds of gzip's.)
 */
#include "engine/filter.h"
#include "engine/filter_calls.h"
#include "engine/filter_several.h"
#include "engine/layout.h"

#define TROUBLE_FLAGS 0x40500	/* alignment check, direction, trap: not for C code */

/* Of filter_state. */
#define STATE(at) filter_state + (at)(%rip)

	.macro each_of_miss what
	\what	rax, 0
	\what	rcx, 1
	\what	rdx, 2
	\what	rbx, 3
	\what	rsi, 6
	\what	rdi, 7
	\what	r8, 8
	\what	r9, 9
	\what	r10, 10
	\what	r11, 11
	.endm

	.macro each_other what
	\what	rbp, 5
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

/* All lanes of zmm17 the least of them. */
	.macro reduce
	valignq	$4, %zmm17, %zmm17, %zmm16
	vpminuq	%zmm16, %zmm17, %zmm17
	vpermq	$0x4e, %zmm17, %zmm16
	vpminuq	%zmm16, %zmm17, %zmm17
	vpshufd	$0x4e, %zmm17, %zmm16
	vpminuq	%zmm16, %zmm17, %zmm17
	.endm

/*
 * The place with the least stamp in the row at r10, of a level: r10, its stamp rdx, the cell of the line there r11. `but`: other
 * than those with the stamp rdx. Changes zmm16.
 */
	.macro find_oldest level, but
	vmovdqu64	%zmm17, saved+64(%rip)
	kmovq	%k1, saved+128(%rip)
	vmovdqu64	(%r10), %zmm17
	.if \but
	vpbroadcastq	%rdx, %zmm16
	vpcmpeqq	%zmm16, %zmm17, %k1
	vpternlogq	$0xff, %zmm17, %zmm17, %zmm17{%k1}
	.endif
	cmpl	$6, STATE(\level + L_SHIFT)
	jne	51f
	reduce
	vpcmpeqq	(%r10), %zmm17, %k1
	kmovw	%k1, %edx
	jmp	52f
51:	.if \but
	vpcmpeqq	64(%r10), %zmm16, %k1
	vmovdqu64	64(%r10), %zmm16
	vpternlogq	$0xff, %zmm16, %zmm16, %zmm16{%k1}
	vpminuq	%zmm16, %zmm17, %zmm17
	.else
	vpminuq	64(%r10), %zmm17, %zmm17
	.endif
	reduce
	vpcmpeqq	64(%r10), %zmm17, %k1
	kmovw	%k1, %r11d
	shl	$8, %r11d
	vpcmpeqq	(%r10), %zmm17, %k1
	kmovw	%k1, %edx
	or	%r11d, %edx
52:	tzcnt	%edx, %edx
	lea	(%r10,%rdx,8), %r10
	movabs	$FILTER_TO_OWNERS, %r11
	mov	(%r11,%r10), %r11
	vmovq	%xmm17, %rdx
	vmovdqu64	saved+64(%rip), %zmm17
	kmovq	saved+128(%rip), %k1
	.endm

/*
 * Line rax, whose cell is at r8, takes the place rsi, the one of the oldest line in its set of `level`. rcx: the set's record, with the
 * stamp of that place in it. Changes rdx, r10, r11, and what find_oldest changes.
 */
	.macro bring_in level
	mov	%eax, %ecx
	and	STATE(\level + L_MASK), %ecx
	shl	$OLDEST_SHIFT, %rcx
	add	STATE(\level + L_OLDEST), %rcx
	mov	OLDEST_PLACE(%rcx), %rsi
	mov	OLDEST_STAMP(%rcx), %rdx
	mov	OLDEST_CELL(%rcx), %r11
	cmp	%rdx, (%rsi)
	je	53f
	mov	%eax, %r10d
	and	STATE(\level + L_MASK), %r10d
	mov	STATE(\level + L_SHIFT), %edx
	shlx	%rdx, %r10, %r10
	add	STATE(\level + L_STAMPS), %r10
	find_oldest	\level, 0
	mov	%r10, %rsi
	mov	%rdx, OLDEST_STAMP(%rcx)
	test	%r11, %r11
	jz	54f
53:	movl	$0, (%r11)
54:	mov	%esi, (%r8)
	movabs	$FILTER_TO_OWNERS, %r10
	mov	%r8, (%r10,%rsi)
	.endm

/*
 * Which line is the next to give way in that set. While there are free places, whoever wants it looks. In a row of eight it is
 * the one with the greatest age, in 16 bits, which one instruction finds; if more than one are older than these can say, the long way is taken.
 * That instruction leaves what lies above xmm0 alone. Changes rdx, r10, r11, zmm16, xmm0.
 */
	.macro find_next level
	mov	OLDEST_STAMP(%rcx), %rdx
	test	%rdx, %rdx
	jz	56f
	cmpl	$6, STATE(\level + L_SHIFT)
	jne	58f
	mov	%esi, %edx
	mov	%rsi, %r10
	and	$56, %edx
	and	$-64, %r10
	vpunpckhqdq	%xmm31, %xmm31, %xmm16	/* the latest time that a stamp can have */
	vpbroadcastq	%xmm16, %zmm16
	vpsubq	(%r10), %zmm16, %zmm16
	vpmovusqw	%zmm16, %xmm16
	lea	STATE(\level + L_OTHERS), %r11
	vpternlogd	$0xaf, (%r11,%rdx,2), %xmm16, %xmm16	/* not age, or not asked for */
	vmovdqa32	%xmm16, saved+64(%rip)
	phminposuw	saved+64(%rip), %xmm0
	movd	%xmm0, %edx
	test	%dx, %dx
	jz	58f
	shr	$16, %edx
	lea	(%r10,%rdx,8), %r10
	movabs	$FILTER_TO_OWNERS, %r11
	mov	(%r10), %rdx
	mov	(%r11,%r10), %r11
55:	mov	%r10, OLDEST_PLACE(%rcx)
	mov	%rdx, OLDEST_STAMP(%rcx)
	mov	%r11, OLDEST_CELL(%rcx)
	jmp	57f
58:	mov	STATE(\level + L_SHIFT), %r11d
	mov	OLDEST_STAMP(%rcx), %rdx
	shrx	%r11, %rsi, %r10
	shlx	%r11, %r10, %r10
	find_oldest	\level, 1
	test	%r11, %r11
	jnz	55b
56:	movq	$-1, OLDEST_STAMP(%rcx)
	mov	%rsi, OLDEST_PLACE(%rcx)
57:
	.endm

/* Line rax in LL; goes to `missed` if it is not there, with its cell at r8. Changes rdx, r8, r10. */
	.macro touch_last missed
	mov	STATE(F_LAST_CELLS), %r8
	lea	(%r8,%rax,4), %r8
	mov	STATE(F_LAST_CLOCK), %rdx
	inc	%rdx
	mov	%rdx, STATE(F_LAST_CLOCK)
	mov	(%r8), %r10d
	test	%r10d, %r10d
	jz	\missed
	mov	%rdx, (%r10)
	.endm

/* It takes the place of the oldest line there. Changes rdx, r10, r11. */
	.macro bring_in_last
	mov	%eax, %r10d
	and	STATE(F_LAST + L_MASK), %r10d
	mov	STATE(F_LAST + L_SHIFT), %edx
	shlx	%rdx, %r10, %r10
	add	STATE(F_LAST + L_STAMPS), %r10
	find_oldest	F_LAST, 0
	test	%r11, %r11
	jz	55f
	movl	$0, (%r11)
55:	mov	%r10d, (%r8)
	movabs	$FILTER_TO_OWNERS, %r11
	mov	%r8, (%r11,%r10)
	mov	STATE(F_LAST_CLOCK), %rdx
	mov	%rdx, (%r10)
	.endm

	.macro save_vectors
	vmovdqu64	%zmm16, saved(%rip)
	movdqa	%xmm0, saved+144(%rip)
	.endm

/* The call graph, if there is one, has a record of events behind the last step; where there are many records, to C, which has them followed. Changes rcx, rdx. */
	.macro open_events
	mov	%gs:T_STEP, %rdx
	test	%rdx, %rdx
	jz	41f
	cmpl	$0, REC_SITE-REC_BYTES(%rdx)
	je	41f
	cmp	filter_records_many(%rip), %rdx
	jae	8f
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

/* One more of the event r10 in the record of the call graph rdx. */
	.macro count_for_graph
	incl	REC_COUNTS-REC_BYTES(%rdx,%r10,4)
	.endm

/* A miss of the first level. Changes rdx, r10, r11. */
	.macro count_first
	mov	STATE(F_CELLS), %rdx
	incq	(%rdx,%rdi,8)
	mov	%gs:T_STEP, %rdx
	test	%rdx, %rdx
	jz	42f
	movzbl	SITE_COLUMN(%rbx), %r10d
	lea	filter_state(%rip), %r11
	mov	F_COLUMNS(%r11,%r10,8), %r10d
	count_for_graph
42:
	.endm

/* And of LL. */
	.macro count_last
	movzbl	SITE_COLUMN(%rbx), %r10d
	lea	filter_state(%rip), %r11
	lea	F_COLUMNS(%r11,%r10,8), %r11
	mov	(%r11), %edx
	mov	4(%r11), %r10d
	sub	%r10, %rdx
	neg	%rdx
	add	%rdi, %rdx
	mov	STATE(F_CELLS), %r11
	incq	(%r11,%rdx,8)
	mov	%gs:T_STEP, %rdx
	test	%rdx, %rdx
	jz	43f
	count_for_graph
43:
	.endm

/* A miss of the first level; all that follows it. */
	.macro miss_of level, last_missed
	bring_in	\level
	touch_last	\last_missed
\last_missed\()_done:
	count_first
	find_next	\level
	cmpl	$0, STATE(\level + L_BY_USE)
	je	.Lstamp_of_arrival
	.endm

/* Of several hierarchies: the miss at rdi is counted in the record behind the last step, if there is a call graph. Changes rcx, rdx. */
	.macro open_words
	mov	%gs:T_STEP, %rdx
	test	%rdx, %rdx
	jz	44f
	cmpl	$REC_IS_OF_WORDS, REC_SITE-REC_BYTES(%rdx)
	je	43f
	cmp	filter_records_end(%rip), %rdx
	je	8b
	mov	%rdi, %rcx
	sub	filter_misses+Q_FIRST(%rip), %rcx
	shr	$MISS_SHIFT, %rcx
	movl	$REC_IS_OF_WORDS, REC_SITE(%rdx)
	mov	%ecx, REC_FIRST(%rdx)
	movl	$0, REC_WORDS(%rdx)
	add	$REC_BYTES, %rdx
	mov	%rdx, %gs:T_STEP
43:	incl	REC_WORDS-REC_BYTES(%rdx)
44:
	.endm

/* The miss is written down: of line rax in the front of `level`, with this column and these flags. */
	.macro put_miss level, column
	open_words
	save_vectors
	mov	\column, MISS_COLUMN(%rdi)
	bring_in	\level
	mov	%rax, MISS_LINE(%rdi)
	mov	%r11, MISS_VICTIM(%rdi)
	mov	%gs:T_MISS_SITE, %eax
	mov	%eax, MISS_SITE(%rdi)
	mov	SITE_EVENTS(%rbx), %eax
	mov	%rax, MISS_EVENTS(%rdi)
	add	$1 << MISS_SHIFT, %rdi
	mov	%rdi, filter_misses+Q_NEXT(%rip)
	find_next	\level
	jmp	2b
	.endm

/* Registers put away, flags in r9, the site in rbx. */
	.macro enter_miss
	each_of_miss save
	lahf
	seto	%al
	mov	%eax, %r9d
	mov	%gs:T_MISS_SITE, %ebx
	shl	$SITE_SHIFT, %rbx
	add	STATE(F_SITES), %rbx
	.endm

	.text
	.globl engine_filter_miss
	.hidden engine_filter_miss
	.type engine_filter_miss, @function
/* rbx site, rdi the number of its event, rax line, r8 its cell, rsi its stamp, r9 flags */
engine_filter_miss:
	enter_miss
	mov	SITE_EVENTS(%rbx), %edi
	test	%edi, %edi
	jz	8f
	testb	$(FILTER_SITE_CODE | FILTER_SITE_SLOW), SITE_FLAGS(%rbx)
	jnz	6f
	mov	%gs:T_MISS_ADDRESS, %rdx
	movzbl	SITE_SPAN(%rbx), %ecx
	mov	%rdx, %rax
	add	%rdx, %rcx
	shr	$FILTER_LINE_SHIFT, %rax
	xor	%rdx, %rcx
	cmp	$63, %rcx
	ja	8f		/* it ends on another line */
	cmp	FILTER_LINES, %rax
	jae	8f
	lea	FILTER_CELLS(,%rax,4), %r8
	mov	(%r8), %esi
	test	%esi, %esi
	jnz	7f		/* it was only asked because it is not aligned */
	open_events
	save_vectors
	miss_of	F_DATA, .Llast_missed_of_data
2:	vmovdqu64	saved(%rip), %zmm16
	movdqa	saved+144(%rip), %xmm0
7:	movzbl	SITE_REG(%rbx), %eax
	mov	%rsi, %gs:T_REGS(,%rax,8)
	testb	$FILTER_SITE_OTHER, SITE_FLAGS(%rbx)
	jnz	71f
72:	mov	SITE_BACK(%rbx), %rax
	mov	%rax, %gs:T_MISS_BACK
	mov	%r9d, %eax
	add	$0x7f, %al
	sahf
	each_of_miss restore
	jmp	*%gs:T_MISS_BACK
	/* One that is not put away. */
	.macro give name, number
	cmp	$\number, %eax
	cmove	%rsi, %\name
	.endm
71:	each_other give
	jmp	72b
	/* FIFO: the code behind the miss does not do it. */
.Lstamp_of_arrival:
	testb	$FILTER_SITE_SECOND, SITE_FLAGS(%rbx)
	jnz	31f
	vmovq	%xmm31, (%rsi)
	jmp	2b
31:	vmovhps	%xmm31, (%rsi)
	jmp	2b
.Llast_missed_of_data:
	bring_in_last
	count_last
	jmp	.Llast_missed_of_data_done
	/* A fetch. LL is asked for both lines of an instruction, and misses once. */
6:	testb	$FILTER_SITE_SLOW, SITE_FLAGS(%rbx)
	jnz	8f
	open_events
	save_vectors
	movl	$0, has_missed(%rip)
	mov	SITE_LINE(%rbx), %rax
	mov	%rax, %rcx
	shr	$FILTER_LINE_BITS, %rcx
	lea	FILTER_CODE_CELLS(,%rcx,4), %ecx
	shl	$(64 - FILTER_LINE_BITS), %rax
	shr	$(64 - FILTER_LINE_BITS), %rax
	testb	$FILTER_SITE_PAIR, SITE_FLAGS(%rbx)
	jnz	5f
4:	mov	%ecx, %r8d
	miss_of	F_CODE, .Llast_missed_of_code
	jmp	2b
.Llast_missed_of_code:
	bring_in_last
	cmpl	$0, has_missed(%rip)
	jne	.Llast_missed_of_code_done
	count_last
	jmp	.Llast_missed_of_code_done
5:	dec	%rax
	touch_last	.Llast_missed_of_first
	inc	%rax
	jmp	4b
.Llast_missed_of_first:
	bring_in_last
	count_last
	movl	$1, has_missed(%rip)
	inc	%rax
	jmp	4b

	/* To C, with the registers where it finds them, on the engine's stack. */
8:	each_other save
	mov	%r9d, %r15d
	mov	%rsp, %gs:T_HOOK_SP
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
	each_of_miss restore
	each_other restore
	mov	%gs:T_HOOK_SP, %rsp
	jmp	*%gs:T_MISS_BACK
9:	pushq	$0x202
	popfq
	jmp	81b

/* The same of several hierarchies. rdi where the miss is written down; the others as above */
	.globl engine_filter_miss_of_several
	.hidden engine_filter_miss_of_several
engine_filter_miss_of_several:
	enter_miss
	mov	filter_misses+Q_NEXT(%rip), %rdi
	cmp	filter_misses+Q_LAST(%rip), %rdi
	jae	8b
	testb	$FILTER_SITE_SLOW, SITE_FLAGS(%rbx)
	jnz	8b
	testb	$FILTER_SITE_CODE, SITE_FLAGS(%rbx)
	jnz	22f
	mov	%gs:T_MISS_ADDRESS, %rdx
	mov	%edx, %eax
	and	$63, %eax
	movzbl	SITE_SPAN(%rbx), %ecx
	add	%ecx, %eax
	cmp	$63, %eax
	ja	8b
	mov	%rdx, %rax
	shr	$FILTER_LINE_SHIFT, %rax
	shr	$FILTER_ADDRESS_BITS, %rdx
	jnz	8b
	lea	FILTER_CELLS(,%rax,4), %r8
	mov	(%r8), %esi
	test	%esi, %esi
	jnz	7b
	movzbl	SITE_COLUMN(%rbx), %r10d
	put_miss	F_DATA, %r10d
22:	mov	SITE_LINE(%rbx), %rax
	mov	%rax, %r8
	shr	$FILTER_LINE_BITS, %r8
	lea	FILTER_CODE_CELLS(,%r8,4), %r8d
	shl	$(64 - FILTER_LINE_BITS), %rax
	shr	$(64 - FILTER_LINE_BITS), %rax
	mov	$(MISS_WITH_BEFORE << MISS_FLAGS_SHIFT), %r10d
	xor	%ecx, %ecx
	testb	$FILTER_SITE_PAIR, SITE_FLAGS(%rbx)
	cmovz	%ecx, %r10d
	put_miss	F_CODE, %r10d

	.globl engine_filter_miss_end
	.hidden engine_filter_miss_end
engine_filter_miss_end:
	.size	engine_filter_miss, .-engine_filter_miss

	.bss
	.balign 64
saved:	.skip	192
has_missed: .skip 4

	.section .note.GNU-stack, "", @progbits
