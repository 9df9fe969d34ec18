/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaying with AVX-512; see replay_wide.h. Of the vector registers only those from 16 on are
 * used, which no code without AVX-512 knows: so the upper halves of the others stay as they are.
 *
 * rbx segment, rbp its entries, r12 struct replay_wide, r13 access, r14 how many, r15 end
 */
#include "engine/replay_wide.h"

#define LINE_SHIFT 6
#define FLAG_BITS  4 /* of a cache's entries, below the line's number */
#define SLOW_FLAGS 0x1000000 /* the least word at S_LINES with a flag */

#define KEYS   %zmm16
#define FIRST  %zmm17
#define SECOND %zmm18
#define MOVED  %zmm19
#define MOVED2 %zmm20
#define ONES   %zmm21
#define SAVED  (6 * 64 + 2 * 8)

/*
 * Line rax in the cache at \at: its set becomes line, and then the others in their order up to
 * where it was, or the last. ZF: it was not there. Changes rcx, rdx, r10, r11.
 */
	.macro reference at, plain
	mov	%rax, %r10
	and	\at+C_MASK(%r12), %r10
	.if	\plain
	mov	\at+C_PLAIN(%r12), %r11
	mov	%rax, (%r11,%r10,8)
	.endif
	imul	\at+C_STRIDE(%r12), %r10
	add	\at+C_ENTRIES(%r12), %r10
	mov	%rax, %r11
	shl	$FLAG_BITS, %r11
	vpbroadcastq	%r11, KEYS
	vmovdqu64	(%r10), FIRST
	mov	\at+C_ABOVE(%r12), %edx
	vpcmpeqq	KEYS, FIRST, %k1
	kmovb	%k1, %ecx
	test	%edx, %edx
	jnz	91f
	mov	%ecx, %edx
	or	\at+C_LAST(%r12), %ecx
	blsmsk	%ecx, %ecx
	kmovb	%ecx, %k1
	valignq	$7, KEYS, FIRST, MOVED
	vmovdqa64	MOVED, FIRST{%k1}
	vmovdqu64	FIRST, (%r10)
	jmp	92f
91:	kmovb	%edx, %k2
	vmovdqu64	64(%r10), SECOND{%k2}{z}
	vpcmpeqq	KEYS, SECOND, %k1{%k2}
	kmovb	%k1, %edx
	shl	$8, %edx
	or	%ecx, %edx
	mov	\at+C_LAST(%r12), %ecx
	or	%edx, %ecx
	blsmsk	%ecx, %ecx
	kmovb	%ecx, %k1
	valignq	$7, KEYS, FIRST, MOVED
	valignq	$7, FIRST, SECOND, MOVED2
	vmovdqa64	MOVED, FIRST{%k1}
	shr	$8, %ecx
	kmovb	%ecx, %k1
	vmovdqu64	FIRST, (%r10)
	vmovdqa64	MOVED2, SECOND{%k1}
	vmovdqu64	SECOND, 64(%r10){%k2}
92:	test	%edx, %edx
	.endm

/* Line rax of code, of which no other use was the last in its set: ZF if it is not there at all. */
	.macro is_code_there
	mov	%rax, %r10
	and	W_CODE+C_MASK(%r12), %r10
	imul	W_CODE+C_STRIDE(%r12), %r10
	add	W_CODE+C_ENTRIES(%r12), %r10
	mov	%rax, %r11
	shl	$FLAG_BITS, %r11
	vpbroadcastq	%r11, KEYS
	vpcmpeqq	(%r10), KEYS, %k1
	kmovb	W_CODE+C_ABOVE(%r12), %k2
	kmovb	%k1, %ecx
	vmovdqu64	64(%r10), SECOND{%k2}{z}
	vpcmpeqq	KEYS, SECOND, %k1{%k2}
	kmovb	%k1, %edx
	or	%edx, %ecx
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
	.irp r, 16, 17, 18, 19, 20, 21
	vmovdqu64	%zmm\r, (\r - 16) * 64(%rsp)
	.endr
	kmovq	%k1, 6 * 64(%rsp)
	kmovq	%k2, 6 * 64 + 8(%rsp)
	vpternlogd	$255, ONES, ONES, ONES
	mov	%rdi, %r12
	mov	%rsi, %rbp
	mov	%rdx, %r15
	.balign 32
1:	cmp	%r15, %rbp
	jae	9f
	/* How many entries, and whose? */
	vmovdqu64	(%rbp), FIRST
	vpmovq2m	FIRST, %k1
	kmovb	%k1, %eax
	tzcnt	%eax, %r14d
	jc	8f
	mov	(%rbp,%r14,8), %rax
	movslq	%eax, %rcx
	cmp	%rcx, %rax
	jne	8f
	and	$TRAILER_NUMBERS, %eax
	shl	$LINE_SHIFT, %rax
	add	W_SEGMENTS(%r12), %rax
	mov	%rax, %rbx
	mov	S_LINES(%rbx), %ecx
	cmp	$SLOW_FLAGS, %ecx
	jae	8f
	movzbl	%cl, %ecx
	/* Its code. */
	mov	S_CODE_LINE(%rbx), %rax
	cmp	$2, %ecx
	ja	8f
	lea	-1(%rax,%rcx), %rdi
	mov	W_CODE+C_PLAIN(%r12), %rsi
	mov	W_CODE+C_MASK(%r12), %rcx
	mov	%rcx, %rdx
	and	%rax, %rdx
	cmp	(%rsi,%rdx,8), %rax
	jne	6f
	and	%rdi, %rcx
	cmp	(%rsi,%rcx,8), %rdi
	jne	6f
2:	/* Do all accesses lie on one line each? */
	vmovdqu64	(%rbp), FIRST
	vpmovzxbq	S_SIZE(%rbx), SECOND
	vpsrlq	$LINE_SHIFT, FIRST, MOVED
	vpaddq	FIRST, SECOND, SECOND
	vpaddq	ONES, SECOND, SECOND
	vpsrlq	$LINE_SHIFT, SECOND, SECOND
	vpcmpneqq	SECOND, MOVED, %k1
	kmovb	%k1, %eax
	bzhi	%r14d, %eax, %eax
	jnz	8f
	incq	(%rbx)
	xor	%r13d, %r13d
	test	%r14d, %r14d
	jz	5f
3:	mov	W_DATA+C_PLAIN(%r12), %rsi
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
	jmp	1b

6:	/* The code's lines, rax and rdi, are not the last used in their sets. */
	is_code_there
	jz	8f
	reference W_CODE, 1
	mov	%rdi, %rax
	is_code_there
	jz	8f
	reference W_CODE, 1
	jmp	2b

7:	reference W_DATA, 1
	jnz	71f
	reference W_LAST, 0
	mov	%rbx, %rdi
	mov	%r13d, %esi
	setz	%dl
	movzbl	%dl, %edx
	call	replay_missed
71:	inc	%r13d
	cmp	%r14d, %r13d
	jb	3b
	jmp	5b

8:	mov	%rbp, %rdi
	call	replay_odd
	mov	%rax, %rbp
	jmp	1b

9:	.irp r, 16, 17, 18, 19, 20, 21
	vmovdqu64	(\r - 16) * 64(%rsp), %zmm\r
	.endr
	kmovq	6 * 64(%rsp), %k1
	kmovq	6 * 64 + 8(%rsp), %k2
	add	$(SAVED + 8), %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbx
	pop	%rbp
	ret

	.section .note.GNU-stack, "", @progbits
