/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines_scan for AVX-512; see lines_scan.h. It uses registers of 256 bits, as those of 512 lower
 * the clock of some processors. It computes lines_hash (channel/lines.h).
 */
#include "engine/simulate/lines/lines_scan.h"

#define AVX_USED 0x04 /* xgetbv 1: upper halves of ymm0..15 */
#define ZMM_USED 0x40 /* upper halves of zmm0..15 */

/* On the stack: the used part of zmm0..7, k0..1, and the result of xgetbv. */
#define MASKS_AT (8 * 64)
#define USED_AT (MASKS_AT + 2 * 8)

	.text
/*
 * ymm\lo, ymm\hi: addresses of eight entries. Sets the bits of k\k whose lines are in the sample.
 * Changes both, and ymm5.
 */
	.macro choose lo, hi, k
	vpsrlvq	%ymm4, %ymm\lo, %ymm\lo
	vpsrlvq	%ymm4, %ymm\hi, %ymm\hi
	vshufps	$0x88, %ymm\hi, %ymm\lo, %ymm\lo	/* lower halves, each lane's own */
	vpermq	$0xd8, %ymm\lo, %ymm\lo
	vpxord	LINES_SEED(%rdx){1to8}, %ymm\lo, %ymm\lo
	vpmulld	LINES_FIRST(%rdx){1to8}, %ymm\lo, %ymm\lo
	vpsrld	$13, %ymm\lo, %ymm5
	vpxor	%ymm5, %ymm\lo, %ymm\lo
	vpmulld	LINES_SECOND(%rdx){1to8}, %ymm\lo, %ymm\lo
	vpcmpltud	%ymm7, %ymm\lo, %k\k
	.endm

/* Entries 8 * \j to 8 * \j + 7 of the group at rdi. */
	.macro look j
	vmovdqu	\j*64(%rdi), %ymm0
	vmovdqu	\j*64+32(%rdi), %ymm1
	vpaddq	%ymm6, %ymm0, %ymm2
	vpaddq	%ymm6, %ymm1, %ymm3
	choose	0, 1, 0
	choose	2, 3, 1
	korb	%k1, %k0, %k0
	kmovb	%k0, \j(%rcx)
	.endm

/* rdi entries, rsi groups, rdx key, rcx masks */
	.globl lines_scan_wide
	.hidden lines_scan_wide
lines_scan_wide:
	push	%rbp
	mov	%rsp, %rbp
	sub	$(USED_AT + 64), %rsp
	and	$-64, %rsp
	mov	%rcx, %r9
	mov	%rdx, %r10
	mov	$1, %ecx	/* the components in use */
	xgetbv
	mov	%eax, USED_AT(%rsp)
	mov	%r9, %rcx
	mov	%r10, %rdx
	test	$ZMM_USED, %al
	jnz	1f
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7
	vmovdqa	%ymm\r, \r*64(%rsp)
	.endr
	jmp	2f
1:	.irp r, 0, 1, 2, 3, 4, 5, 6, 7
	vmovdqa64	%zmm\r, \r*64(%rsp)
	.endr
2:	kmovq	%k0, MASKS_AT(%rsp)
	kmovq	%k1, MASKS_AT+8(%rsp)
	vpbroadcastq	LINES_SHIFT(%rdx), %ymm4
	vpbroadcastq	LINES_REACH(%rdx), %ymm6
	vpbroadcastd	LINES_THRESHOLD(%rdx), %ymm7
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
	add	$8, %rcx
	dec	%rsi
	jnz	3b
	kmovq	MASKS_AT(%rsp), %k0
	kmovq	MASKS_AT+8(%rsp), %k1
	mov	USED_AT(%rsp), %eax
	test	$ZMM_USED, %al
	jnz	5f
	test	$AVX_USED, %al
	jnz	4f
	vzeroupper	/* else the program's SSE instructions were slow from here on */
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7
	vmovdqa	\r*64(%rsp), %xmm\r
	.endr
	leave
	ret
4:	.irp r, 0, 1, 2, 3, 4, 5, 6, 7
	vmovdqa	\r*64(%rsp), %ymm\r
	.endr
	leave
	ret
5:	.irp r, 0, 1, 2, 3, 4, 5, 6, 7
	vmovdqa64	\r*64(%rsp), %zmm\r
	.endr
	leave
	ret

	.section .note.GNU-stack, "", @progbits
