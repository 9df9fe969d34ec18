/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan_filter for AVX-512; see scan_filter.h. It uses registers of 256 bits, as those of 512 lower
 * the clock of some processors. It uses no gathers: on processors with a microcode fix against
 * leaks they take three times as long as the eight loads here.
 *
 *   cycles an entry (Skylake server): fast 2.2, wide 1.2, with gathers 3.8
 */
#include "engine/core/layout.h"
#include "engine/core/wide_registers.inc"

	.text
/*
 * Loads the word of bits that contains entry \i's bit, for the group at rdi, into one lane of ymm3,
 * or all.
 */
	.macro word i, to, lane:vararg
	shrx	%rdx, (\i)*8(%rdi), \to
	and	$(WATCH_SLOTS / 8 - 4), \to
	vpbroadcastd	(%rsi,\to), %ymm3\lane
	.endm

/*
 * Entries 8 * \j to 8 * \j + 7 of the group at rdi. The bits are loaded as words of 32, and each is
 * rotated until its entry's bit is the lowest.
 */
	.macro look j
	vmovdqu	\j*64(%rdi), %ymm0
	vmovdqu	\j*64+32(%rdi), %ymm1
	vpsrlvq	%ymm4, %ymm0, %ymm2	/* lines */
	vpsrlvq	%ymm4, %ymm1, %ymm3
	vpermt2d	%ymm1, %ymm6, %ymm0	/* upper halves, with the signs */
	vpermt2d	%ymm3, %ymm5, %ymm2	/* lower halves of the lines */
	vpmovd2m	%ymm0, %k0
	kmovb	%k0, 8+\j(%rcx)
	word	8*\j+0, %rax
	word	8*\j+1, %r9, {%k1}
	word	8*\j+2, %r10, {%k2}
	word	8*\j+3, %r11, {%k3}
	word	8*\j+4, %rax, {%k4}
	word	8*\j+5, %r9, {%k5}
	word	8*\j+6, %r10, {%k6}
	word	8*\j+7, %r11, {%k7}
	vprorvd	%ymm2, %ymm3, %ymm3
	vptestmd	%ymm7, %ymm3, %k0
	kmovb	%k0, \j(%rcx)
	.endm

/* rdi entries, rsi bits, rdx shift, rcx masks, r8 groups */
	.globl scan_filter_wide
	.hidden scan_filter_wide
scan_filter_wide:
	wide_enter
	.irp r, 1, 2, 3, 4, 5, 6, 7
	kmovb	lanes+\r(%rip), %k\r
	.endr
	vpbroadcastq	%rdx, %ymm4
	vmovdqa	lower_halves(%rip), %ymm5
	vmovdqa	upper_halves(%rip), %ymm6
	vpbroadcastd	one(%rip), %ymm7
	/* 5 bits of the line number choose a bit in a word of 4 bytes */
	add	$3, %edx
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
	add	$16, %rcx
	dec	%r8
	jnz	1b
	wide_return

	.section .rodata
	.balign 32
lower_halves:
	.long 0, 2, 4, 6, 8, 10, 12, 14
upper_halves:
	.long 1, 3, 5, 7, 9, 11, 13, 15
one:
	.long 1
lanes:
	.byte 1, 2, 4, 8, 16, 32, 64, 128

	.section .note.GNU-stack, "", @progbits
