/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls C code that uses the vector registers of sim/cache/stack_rows.h while they are the
 * target's; see filter_multi.h.
 */
	.macro each_vector what
	\what	zmm16, 0
	\what	zmm17, 64
	\what	zmm18, 128
	\what	zmm19, 192
	.endm

	.macro each_mask what
	\what	k1, 256
	\what	k2, 264
	\what	k3, 272
	.endm

	.macro save name, at
	vmovdqu64	%\name, \at(%rsp)
	.endm

	.macro restore name, at
	vmovdqu64	\at(%rsp), %\name
	.endm

	.macro save_mask name, at
	kmovq	%\name, \at(%rsp)
	.endm

	.macro restore_mask name, at
	kmovq	\at(%rsp), %\name
	.endm

	.text
	.globl filter_with_vectors
	.hidden filter_with_vectors
filter_with_vectors:
	push	%rbp
	mov	%rsp, %rbp
	sub	$320, %rsp
	and	$-64, %rsp
	each_vector save
	each_mask save_mask
	call	*%rdi
	each_mask restore_mask
	each_vector restore
	mov	%rbp, %rsp
	pop	%rbp
	ret

	.section .note.GNU-stack, "", @progbits
