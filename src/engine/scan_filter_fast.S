/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan_filter in few instructions an entry; see scan_filter.h. Not with vector gathers:
 * where processors had to be mended against leaks they take 2 ns an element.
 */
#include "engine/layout.h"

	.text
/*
 * Entry \i of the group in r11, from the last to the first, so that bit 0 of
 * r8 (hits) and r9 (trailers) are the first one's.
 */
	.macro look i
	mov	\i*8(%rdi), %r11
	shrx	%rdx, %r11, %rax	/* its line */
	mov	%eax, %r10d
	shr	$6, %r10d
	and	$(WATCH_SLOTS / 64 - 1), %r10d
	mov	(%rsi,%r10,8), %r10
	bt	%rax, %r10
	adc	%r8, %r8
	add	%r11, %r11
	adc	%r9, %r9
	.endm

/* rdi entries, rsi bits, rdx shift, rcx trailers; wants BMI2 */
	.globl scan_filter_fast
	.hidden scan_filter_fast
scan_filter_fast:
	xor	%r8d, %r8d
	xor	%r9d, %r9d
	add	$(64 * 8 - 8 * 8), %rdi
	push	%rbx
	mov	$8, %ebx
1:	look	7
	look	6
	look	5
	look	4
	look	3
	look	2
	look	1
	look	0
	sub	$64, %rdi
	dec	%ebx
	jnz	1b
	pop	%rbx
	mov	%r9, (%rcx)
	mov	%r8, %rax
	ret

	.section .note.GNU-stack, "", @progbits
