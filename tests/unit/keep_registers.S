/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls a filter with known values in all vector and mask registers, and reports their values
 * afterwards; see test_scan_filter.c. Needs AVX-512 F and BW.
 */
	.text
/*
 * rdi: struct call: filter, five arguments, before, after, used.
 * 64 bytes of each vector register, then 8 of each mask.
 */
	.globl keep_registers
keep_registers:
	push	%rbx
	push	%r12
	push	%r13
	mov	%rdi, %rbx
	mov	48(%rbx), %rax
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vmovdqu64	\r*64(%rax), %zmm\r
	.endr
	.irp r, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vmovdqu64	\r*64(%rax), %zmm\r
	.endr
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7
	kmovq	2048+\r*8(%rax), %k\r
	.endr
	cmpl	$64, 64(%rbx)
	je	1f
	vzeroupper
	cmpl	$32, 64(%rbx)
	jne	1f
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vmovdqu	\r*64(%rax), %ymm\r
	.endr
1:	mov	$1, %ecx
	xgetbv
	mov	%eax, %r12d
	mov	8(%rbx), %rdi
	mov	16(%rbx), %rsi
	mov	24(%rbx), %rdx
	mov	32(%rbx), %rcx
	mov	40(%rbx), %r8
	call	*(%rbx)
	mov	$1, %ecx
	xgetbv
	mov	%eax, %r13d
	mov	56(%rbx), %rax
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vmovdqu64	%zmm\r, \r*64(%rax)
	.endr
	.irp r, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vmovdqu64	%zmm\r, \r*64(%rax)
	.endr
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7
	kmovq	%k\r, 2048+\r*8(%rax)
	.endr
	vzeroupper
	mov	%r12d, %eax
	xor	%r13d, %eax	/* components in use that were not, or are no longer */
	pop	%r13
	pop	%r12
	pop	%rbx
	ret

	.section .note.GNU-stack, "", @progbits
