/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaying with AVX-512; see replay_wide.h. It uses the vector registers from 16 on only, which no
 * code without AVX-512 knows, so the upper halves of the others stay unchanged.
 *
 *   rbx  segment; until the next one is known, the one before
 *   rbp  its entries
 *   r12  struct replay_wide
 *   r13  access
 *   r14  number of accesses
 *   r15  a bit for each trailer among the entries from rbp on
 */
#include "engine/simulate/replay_calls.h"
#include "engine/simulate/replay_wide.h"
#include "sim/cache/entry.h"

#define LINE_SHIFT 6

#define KEYS   %zmm16
#define FIRST  %zmm17
#define SECOND %zmm18
#define LINES  %zmm19
#define ONES   %zmm20
#define MASKS_AT (5 * 64)
#define END_AT	 (5 * 64 + 5 * 8)
#define SAVED	 (5 * 64 + 6 * 8) /* and 8 bytes that align the stack */
#define NIBBLES_1 0x1111111111111111

/* A set, see sim/cache/cache_packed.h. */
#define P_PARTS	  8
#define P_ENTRIES 24

/*
 * Looks up line rax in the cache at \at. r10: its set; r11: its key; ecx: a bit for its way; ZF:
 * not found. Changes rdx.
 */
	.macro find at
	mov	%rax, %r10
	and	\at+C_MASK(%r12), %r10
	imul	\at+C_STRIDE(%r12), %r10
	add	\at+C_ENTRIES(%r12), %r10
	mov	%rax, %r11
	shl	$SIM_ENTRY_FLAG_BITS, %r11
	vpbroadcastq	%r11, KEYS
	vpcmpeqq	P_ENTRIES(%r10), KEYS, %k1
	movzbl	\at+C_ABOVE(%r12), %edx
	kmovb	%k1, %ecx
	test	%edx, %edx
	jz	91f
	kmovb	%edx, %k2
	vmovdqu64	P_ENTRIES+64(%r10), SECOND{%k2}{z}
	vpcmpeqq	KEYS, SECOND, %k1{%k2}
	kmovb	%k1, %edx
	shl	$8, %edx
	or	%edx, %ecx
91:	and	\at+C_WAYS(%r12), %ecx
	.endm

/* Makes way rdx the most recently used of the set at r10. See sim_packed_to_front. */
	.macro to_front
	mov	$NIBBLES_1, %rcx
	mov	(%r10), %r11
	mov	%rcx, %r9
	imul	%rdx, %r9
	xor	%r11, %r9
	mov	%r9, %r8
	sub	%rcx, %r8
	andn	%r8, %r9, %r8
	shl	$3, %rcx
	and	%rcx, %r8
	blsmsk	%r8, %r8
	mov	%r11, %r9
	shl	$4, %r9
	and	%r8, %r9
	andn	%r11, %r8, %r11
	or	%r9, %r11
	or	%rdx, %r11
	mov	%r11, (%r10)
	.endm

/* Uses the line that find found. */
	.macro use
	tzcnt	%ecx, %edx
	to_front
	.endm

/* The line that find did not find replaces the least recently used one. See sim_packed_replace. */
	.macro replace at
	movzbl	\at+C_OLDEST(%r12), %ecx
	shrx	%rcx, (%r10), %rdx
	and	$15, %edx
	mov	%r11, P_ENTRIES(%r10,%rdx,8)
	movzbl	\at+C_PART(%r12), %ecx
	shrx	%rcx, %rax, %r8
	mov	%r8, %r9
	shr	$8, %r9
	xor	%r9d, %r8d
	shr	$8, %r9
	xor	%r9d, %r8d
	mov	%r8b, P_PARTS(%r10,%rdx)
	to_front
	.endm

/* rsi: the entry that replace will overwrite. Changes rcx, rdx. */
	.macro victim at
	movzbl	\at+C_OLDEST(%r12), %ecx
	shrx	%rcx, (%r10), %rdx
	and	$15, %edx
	mov	P_ENTRIES(%r10,%rdx,8), %rsi
	.endm

/* The next use of line rax is no-op. Changes r8, r9. */
	.macro is_noop at
	mov	%rax, %r8
	and	\at+C_MASK(%r12), %r8
	mov	\at+C_NOOP(%r12), %r9
	mov	%rax, (%r9,%r8,8)
	.endm

/* A bit for each trailer among the eight entries from 8 * \i on. */
	.macro vpmovq2m_at i, to
	vmovdqu64	(\i) * 64(%rbp), FIRST
	vpmovq2m	FIRST, \to
	.endm

/*
 * The segment rax comes next: write a step if the one before may leave its function. (Writing
 * always and keeping it without a branch was slower: the branch is well predicted.)
 */
	.macro enter
	cmpq	$0, S_COUNTS(%rbx)
	jns	14f
	mov	replay_calls+R_NEXT(%rip), %rdx
	mov	-16(%rbp), %rsi
	mov	replay_calls+R_COUNTS(%rip), %rdi
	lea	S_GRAPH(%rbx), %r8
	lea	S_GRAPH(%rax), %r9
	mov	%r8, STEP_LEFT(%rdx)
	mov	%r9, STEP_ENTERED(%rdx)
	mov	%rsi, STEP_SP(%rdx)
	mov	%rdi, STEP_COUNTS(%rdx)
	add	replay_calls+R_STEP(%rip), %rdx
	mov	%rdx, replay_calls+R_NEXT(%rip)
14:	mov	%rax, %rbx
	.endm

	.text
	.globl replay_wide
	.hidden replay_wide
replay_wide:
	push	%rbp
	push	%rbx
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	sub	$(SAVED + 8), %rsp
	.irp r, 16, 17, 18, 19, 20
	vmovdqu64	%zmm\r, (\r - 16) * 64(%rsp)
	.endr
	.irp r, 1, 2, 3, 4
	kmovq	%k\r, MASKS_AT + (\r - 1) * 8(%rsp)
	.endr
	mov	%rdx, END_AT(%rsp)
	vpternlogd	$255, ONES, ONES, ONES
	mov	%rdi, %r12
	mov	%rsi, %rbp
	mov	replay_calls+R_LAST(%rip), %rbx
	xor	%r15d, %r15d
	.balign 32
1:	cmp	END_AT(%rsp), %rbp
	jae	9f
	test	%r15, %r15
	jz	10f
	/* The number of entries, and their segment. */
11:	tzcnt	%r15, %r14
	shrx	%r14, %r15, %r15
	shr	$1, %r15
	mov	(%rbp,%r14,8), %rax
	/* Prefetch the segment after the next one; if there is none in sight, any. */
	blsr	%r15, %rdx
	tzcnt	%rdx, %rdx
	add	%r14, %rdx
	mov	8(%rbp,%rdx,8), %edx
	and	$TRAILER_NUMBERS, %edx
	shl	$S_SHIFT, %rdx
	add	W_SEGMENTS(%r12), %rdx
	prefetcht0	(%rdx)
	movslq	%eax, %rcx
	cmp	%rcx, %rax
	jne	8f
	and	$TRAILER_NUMBERS, %eax
	shl	$S_SHIFT, %rax
	add	W_SEGMENTS(%r12), %rax
	enter
	movzbl	S_QUICK(%rbx), %ecx
	test	%ecx, %ecx
	jz	88f
	/* Its code. */
	mov	S_CODE_LINE(%rbx), %rax
	lea	-1(%rax,%rcx), %rdi
	mov	W_CODE+C_NOOP(%r12), %rsi
	mov	W_CODE+C_MASK(%r12), %rcx
	mov	%rcx, %rdx
	and	%rax, %rdx
	cmp	(%rsi,%rdx,8), %rax
	jne	6f
	and	%rdi, %rcx
	cmp	(%rsi,%rcx,8), %rdi
	jne	6f
2:	test	%r14d, %r14d
	jz	12f
	/* Do all accesses lie on one line each? */
	vmovdqu64	(%rbp), FIRST
	vpmovzxbq	S_SIZE(%rbx), SECOND
	vpsrlq	$LINE_SHIFT, FIRST, LINES
	vpaddq	FIRST, SECOND, SECOND
	vpaddq	ONES, SECOND, SECOND
	vpsrlq	$LINE_SHIFT, SECOND, SECOND
	vpcmpneqq	SECOND, LINES, %k1
	kmovb	%k1, %eax
	bzhi	%r14d, %eax, %eax
	jnz	88f
	incq	(%rbx)
	xor	%r13d, %r13d
3:	mov	W_DATA+C_NOOP(%r12), %rsi
	mov	W_DATA+C_MASK(%r12), %rdi
4:	mov	(%rbp,%r13,8), %rax
	shr	$LINE_SHIFT, %rax
	mov	%rdi, %rdx
	and	%rax, %rdx
	cmp	(%rsi,%rdx,8), %rax
	jne	7f
	inc	%r13d
	cmp	%r14d, %r13d
	jb	4b
5:	lea	8(%rbp,%r14,8), %rbp
	mov	S_COUNTS(%rbx), %rax
	add	%rax, replay_calls+R_COUNTS(%rip)
	cmpb	$0, replay_calls+R_IS_DIRECT(%rip)
	je	1b
	test	%rax, %rax
	jns	1b
	mov	%rbx, %rdi
	mov	%rbp, %rsi
	call	replay_left
	jmp	1b

6:	/* The code's lines, rax and rdi, are not both the last used of their sets. */
	find	W_CODE
	jz	63f
	use
	is_noop W_CODE
61:	mov	%rdi, %rax
	find	W_CODE
	jz	88f	/* earlier accesses of the segment come first */
	use
	is_noop W_CODE
	jmp	2b
63:	cmpb	$0, S_STRADDLES(%rbx)
	jne	88f
	is_noop W_CODE
	cmpb	$0, W_MULTI(%r12)
	jne	67f
	replace W_CODE
	find	W_LAST
	jz	64f
	use
	xor	%esi, %esi
	jmp	65f
64:	replace W_LAST
	mov	$1, %esi
65:	mov	%rbx, %rdi
	call	replay_code_missed
66:	movzbl	S_QUICK(%rbx), %ecx
	mov	S_CODE_LINE(%rbx), %rdi
	lea	-1(%rdi,%rcx), %rdi
	jmp	61b
67:	victim	W_CODE
	replace	W_CODE
	mov	%rsi, %rdx
	mov	%rax, %rsi
	mov	%rbx, %rdi
	call	replay_multi_code_missed
	jmp	66b

7:	is_noop W_DATA
	find	W_DATA
	jz	72f
	use
71:	inc	%r13d
	cmp	%r14d, %r13d
	jb	3b
	jmp	5b
72:	cmpb	$0, W_MULTI(%r12)
	jne	75f
	replace W_DATA
	find	W_LAST
	jz	73f
	use
	xor	%edx, %edx
	jmp	74f
73:	replace W_LAST
	mov	$1, %edx
74:	mov	%rbx, %rdi
	mov	%r13d, %esi
	call	replay_missed
	jmp	71b
75:	victim	W_DATA
	replace	W_DATA
	mov	%rsi, %rcx
	mov	%rax, %rdx
	mov	%r13d, %esi
	mov	%rbx, %rdi
	call	replay_multi_missed
	jmp	71b

88:	mov	$1, %esi
	jmp	81f
8:	xor	%esi, %esi
81:	mov	%rbp, %rdi
	mov	%rbx, replay_calls+R_LAST(%rip)
	call	replay_odd
	mov	replay_calls+R_LAST(%rip), %rbx
	mov	%rax, %rbp
	jmp	1b

12:	incq	(%rbx)
	jmp	5b

	/* The trailers among the next 64 entries, for all of which there must be room for steps. */
10:	mov	replay_calls+R_NEXT(%rip), %rax
	cmp	replay_calls+R_LIMIT(%rip), %rax
	jb	13f
	call	replay_calls_follow
13:	.irp i, 0, 2, 4, 6
	vpmovq2m_at \i, %k1
	vpmovq2m_at \i + 1, %k2
	kunpckbw	%k1, %k2, %k1
	.if	\i == 0
	kmovw	%k1, %k3
	.elseif	\i == 2
	kunpckwd	%k3, %k1, %k3
	.elseif	\i == 4
	kmovw	%k1, %k4
	.else
	kunpckwd	%k4, %k1, %k4
	.endif
	.endr
	kunpckdq	%k3, %k4, %k3
	kmovq	%k3, %r15
	test	%r15, %r15
	jnz	11b
	jmp	8b	/* none: replay_odd finds the end of this long segment */

9:	mov	%rbx, replay_calls+R_LAST(%rip)
	.irp r, 16, 17, 18, 19, 20
	vmovdqu64	(\r - 16) * 64(%rsp), %zmm\r
	.endr
	.irp r, 1, 2, 3, 4
	kmovq	MASKS_AT + (\r - 1) * 8(%rsp), %k\r
	.endr
	add	$(SAVED + 8), %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbx
	pop	%rbp
	ret

	.section .note.GNU-stack, "", @progbits
