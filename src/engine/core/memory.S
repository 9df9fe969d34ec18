/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Freestanding memory functions: gcc may emit calls to them; the libc's would use vectors. */
	.text
	.globl memcpy
	.hidden memcpy
memcpy:
	mov	%rdi, %rax
	/* below, the string instruction takes longer to start than to copy */
	cmp	$512, %rdx
	jae	3f
	mov	%rdx, %rcx
	shr	$3, %rcx
	jz	2f
1:	mov	(%rsi), %r8
	mov	%r8, (%rdi)
	add	$8, %rsi
	add	$8, %rdi
	dec	%rcx
	jnz	1b
2:	and	$7, %edx
	jz	5f
4:	mov	(%rsi), %cl
	mov	%cl, (%rdi)
	inc	%rsi
	inc	%rdi
	dec	%edx
	jnz	4b
5:	ret
3:	mov	%rdx, %rcx
	rep movsb
	ret
	.globl memset
	.hidden memset
memset:
	mov	%rdi, %r8
	mov	%esi, %eax
	mov	%rdx, %rcx
	rep stosb
	mov	%r8, %rax
	ret
	.globl memmove
	.hidden memmove
memmove:
	mov	%rdi, %rax
	mov	%rdx, %rcx
	mov	%rdi, %r8
	sub	%rsi, %r8
	cmp	%rdx, %r8
	jb	1f
	rep movsb
	ret
1:	lea	-1(%rdi,%rdx), %rdi
	lea	-1(%rsi,%rdx), %rsi
	std
	rep movsb
	cld
	ret
	.globl memcmp
	.hidden memcmp
memcmp:
	xor	%eax, %eax
	mov	%rdx, %rcx
	cmp	%rcx, %rcx
	repe cmpsb
	je	1f
	movzbl	-1(%rdi), %eax
	movzbl	-1(%rsi), %ecx
	sub	%ecx, %eax
1:	ret

	.section .note.GNU-stack, "", @progbits
