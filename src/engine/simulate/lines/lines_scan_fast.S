/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines_scan with AVX2; see lines_scan.h. It computes lines_hash (channel/lines.h). The two forms
 * differ in what they save.
 */
#include "engine/core/wide_registers.inc"
#include "engine/simulate/lines/lines_scan.h"

	.text
/* As wide_enter, with registers of 256 bits at most, and no masks. */
	.macro fast_enter
	push	%rbp
	mov	%rsp, %rbp
	sub	$(8 * 32 + 32), %rsp
	and	$-32, %rsp
	mov	%rcx, %r9
	mov	%rdx, %r10
	mov	$1, %ecx	/* the components in use */
	xgetbv
	mov	%eax, 8*32(%rsp)
	mov	%r9, %rcx
	mov	%r10, %rdx
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7
	vmovdqa	%ymm\r, \r*32(%rsp)
	.endr
	.endm

	.macro fast_return
	testl	$AVX_USED, 8*32(%rsp)
	jnz	1f
	vzeroupper
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7
	vmovdqa	\r*32(%rsp), %xmm\r
	.endr
	leave
	ret
1:	.irp r, 0, 1, 2, 3, 4, 5, 6, 7
	vmovdqa	\r*32(%rsp), %ymm\r
	.endr
	leave
	ret
	.endm

/* ymm\lo, ymm\hi: addresses of eight entries. ymm\lo: the lower halves of their lines. */
	.macro lines lo, hi
	vpsrlq	%xmm4, %ymm\lo, %ymm\lo
	vpsrlq	%xmm4, %ymm\hi, %ymm\hi
	vshufps	$0x88, %ymm\hi, %ymm\lo, %ymm\lo	/* each lane's own */
	vpermq	$0xd8, %ymm\lo, %ymm\lo
	.endm

/* Lines in ymm\l. Its lanes' signs: they are in the sample. Changes ymm5. */
	.macro choose l
	vpxor	LINES_SEED(%rdx), %ymm\l, %ymm\l
	vpmulld	LINES_FIRST(%rdx), %ymm\l, %ymm\l
	vpsrld	$13, %ymm\l, %ymm5
	vpxor	%ymm5, %ymm\l, %ymm\l
	vpmulld	LINES_SECOND(%rdx), %ymm\l, %ymm\l
	vpxor	LINES_SIGN(%rdx), %ymm\l, %ymm\l
	vpcmpgtd	%ymm\l, %ymm7, %ymm\l
	.endm

/* Entries 8 * \j to 8 * \j + 7 of the group at rdi. */
	.macro look j
	vmovdqu	\j*64(%rdi), %ymm0
	vmovdqu	\j*64+32(%rdi), %ymm1
	vshufps	$0xdd, %ymm1, %ymm0, %ymm6	/* upper halves: trailers are negative */
	vpermq	$0xd8, %ymm6, %ymm6
	vpaddq	LINES_REACH(%rdx), %ymm0, %ymm2
	vpaddq	LINES_REACH(%rdx), %ymm1, %ymm3
	lines	0, 1
	lines	2, 3
	vpand	LINES_PLACES(%rdx), %ymm0, %ymm5
	vpcmpeqd	%ymm3, %ymm3, %ymm3
	vpgatherdd	%ymm3, (%r8,%ymm5,4), %ymm1
	vpcmpeqd	%ymm0, %ymm1, %ymm1
	vpor	%ymm6, %ymm1, %ymm1
	vmovmskps	%ymm1, %eax
	not	%eax
	mov	%al, 8+\j(%rcx)
	choose	0
	choose	2
	vpor	%ymm2, %ymm0, %ymm0
	vmovmskps	%ymm0, %eax
	mov	%al, \j(%rcx)
	.endm

/* rdi entries, rsi groups, rdx key, rcx masks */
	.macro scan name, registers
	.globl \name
	.hidden \name
\name:
	\registers\()_enter
	mov	LINES_RECENT(%rdx), %r8
	vmovq	LINES_SHIFT(%rdx), %xmm4
	vmovdqu	LINES_THRESHOLD(%rdx), %ymm7
	.balign 32
3:	look	0
	look	1
	look	2
	look	3
	look	4
	look	5
	look	6
	look	7
	add	$(64 * 8), %rdi
	add	$16, %rcx
	dec	%rsi
	jnz	3b
	\registers\()_return
	.endm

	scan	lines_scan_fast, fast
	scan	lines_scan_wide, wide

	.section .note.GNU-stack, "", @progbits
