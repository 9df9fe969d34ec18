/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many functions, call sites and jump targets for grows_code.c, each 16 bytes long. */
#define MANY 16384

	.altmacro
	.macro	begin name, n
	.type	\name\()_\n, @function
\name\()_\n:
	.endm
	.macro	finish name, n
	.balign	16, 0x90
	.size	\name\()_\n, . - \name\()_\n
	.endm

	.macro	each what
	.set	i, 0
	.rept	MANY
	\what	%i
	.set	i, i + 1
	.endr
	.endm

	.text
	.balign	64
	.globl	many_functions
many_functions:
	.macro	a_function n
	begin	many, \n
	lea	(\n)(%rdi), %eax
	ret
	finish	many, \n
	.endm
	each	a_function

	.globl	many_callers
many_callers:
	.macro	a_caller n
	begin	caller, \n
	call	many_0
	add	$1, %rax
	ret
	finish	caller, \n
	.endm
	each	a_caller

	.globl	many_allocators
many_allocators:
	.macro	an_allocator n
	begin	allocator, \n
	push	%rax
	call	malloc@PLT
	pop	%rdx
	ret
	finish	allocator, \n
	.endm
	each	an_allocator

	.globl	call_one_of
	.type	call_one_of, @function
call_one_of:
	push	%rbp
	mov	%rdi, %rax
	mov	%rsi, %rdi
	call	*%rax
	pop	%rbp
	ret
	.size	call_one_of, . - call_one_of

	.globl	jump_to_one_of
	.type	jump_to_one_of, @function
jump_to_one_of:
	mov	%rdi, %rax
	mov	%rsi, %rdi
	jmp	*%rax
	.size	jump_to_one_of, . - jump_to_one_of

	.balign	16
	.globl	many_targets
	.type	many_targets, @function
many_targets:
	mov	%edi, %eax
	shl	$4, %eax
	lea	targets(%rip), %rdx
	add	%rdx, %rax
	jmp	*%rax
	.balign	16
targets:
	.rept	MANY
	lea	1(%rdi), %rax
	jmp	end_of_targets
	.balign	16, 0x90
	.endr
end_of_targets:
	ret
	.size	many_targets, . - many_targets

	.section .note.GNU-stack, "", @progbits
