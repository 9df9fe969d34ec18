/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines_scan for AVX-512; see lines_scan.h. It uses registers of 256 bits, as those of 512 lower
 * the clock of some processors. It computes lines_hash (channel/lines.h).
 */
#include "engine/core/wide_registers.inc"
#include "engine/simulate/lines/lines_scan.h"

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
	wide_enter
	vpbroadcastq	LINES_SHIFT(%rdx), %ymm4
	vpbroadcastq	LINES_REACH(%rdx), %ymm6
	vpbroadcastd	LINES_THRESHOLD(%rdx), %ymm7
	.balign 32
1:	look	0
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
	jnz	1b
	wide_return

	.section .note.GNU-stack, "", @progbits
