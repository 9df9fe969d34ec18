/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan_filter in few instructions an entry, without vectors; see scan_filter.h.
 */
#include "engine/core/layout.h"

	.text
/*
 * Entry \i of the eight at rdi. Macros go from the last to the first, so that bit 0 of r10 (hits)
 * and r9 (trailers) is the first entry's.
 */
	.macro look i
	mov	\i*8(%rdi), %r11
	shrx	%rdx, %r11, %rax	/* its line */
	mov	%eax, %ebp
	shr	$6, %ebp
	and	$(WATCH_SLOTS / 64 - 1), %ebp
	mov	(%rsi,%rbp,8), %rbp
	bt	%rax, %rbp
	adc	%r10, %r10
	add	%r11, %r11
	adc	%r9, %r9
	.endm

/* rdi entries, rsi bits, rdx shift, rcx masks, r8 groups; needs BMI2 */
	.globl scan_filter_fast
	.hidden scan_filter_fast
scan_filter_fast:
	push	%rbx
	push	%rbp
1:	add	$(64 * 8 - 8 * 8), %rdi
	mov	$8, %ebx
2:	look	7
	look	6
	look	5
	look	4
	look	3
	look	2
	look	1
	look	0
	sub	$64, %rdi
	dec	%ebx
	jnz	2b
	mov	%r10, (%rcx)
	mov	%r9, 8(%rcx)
	add	$16, %rcx
	add	$(64 * 8 + 8 * 8), %rdi
	dec	%r8
	jnz	1b
	pop	%rbp
	pop	%rbx
	ret

	.section .note.GNU-stack, "", @progbits
