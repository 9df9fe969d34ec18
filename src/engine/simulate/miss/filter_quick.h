/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For filter_miss.S: misses of a line in first levels of LRU with rows of 8 places. They are calls
 * and returns on a stack of the engine's in the low page, so that the way back is predicted. A
 * thunk of the arena (filter_sites.c) moves the address of an access to data to rax, and the place
 * from there. All other registers are kept.
 *
 * For code the set's oldest line is looked for at once: too few fetches follow that would wait.
 *
 *   QUICK_STACK: | saved flags, r8, rdi, rsi, rdx, rcx | to the thunk | saved rax | to the site |
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_QUICK_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_QUICK_H

#include "engine/simulate/calls/arcs.h"
#include "engine/simulate/state/filter_rows.h"

/* clang-format off */

/* The site behind the return address. */
#define QUICK_SITE(at) FILTER_QUICK_BACK_BYTES + (at)

/*
 * Does what the code at `other` does for the same site: all is as it was there, T_MISS_ADDRESS too.
 * No flag changes.
 */
	.macro leave_quick keeps_flags, other
	mov	%rax, %gs:T_MISS_ADDRESS
	.if \keeps_flags
	pop	%rax
	add	$0x7f, %al
	sahf
	.endif
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	lea	8(%rsp), %rsp
	pop	%rax
	save	rbx, 3
	pop	%rbx
	lea	QUICK_SITE(0)(%rbx), %rbx
	mov	FILTER_QUICK_SP, %rsp
	jmp	\other
	.endm

/* has_data: as in filter_miss.S. */
	.macro quick_miss name, level, is_code, keeps_flags, other, has_data=0
	.globl	\name
	.hidden	\name
\name:
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	.if \keeps_flags
	mov	%rax, %rcx
	lahf
	seto	%al
	push	%rax
	mov	%rcx, %rax
	mov	64(%rsp), %rdi
	.else
	.if !\is_code
	jne	5f		/* it straddles two lines */
	.endif
	mov	56(%rsp), %rdi
	.endif
	mov	filter_next_note(%rip), %rdx
	cmp	filter_notes_limit(%rip), %rdx
	jae	4f
	.if \is_code
	mov	QUICK_SITE(SITE_LINE)(%rdi), %rax
	.else
	.if \has_data
	mov	%rax, NOTE_ADDRESS(%rdx)
	.endif
	.if \keeps_flags
	movzbl	QUICK_SITE(SITE_SPAN)(%rdi), %ecx
	add	%rax, %rcx
	xor	%rax, %rcx
	cmp	$63, %rcx
	ja	5f
	line_of	rax
	mov	FILTER_CELLS(,%rax,4), %esi
	test	%esi, %esi
	jnz	3f		/* it came here only because it is unaligned */
	.else
	line_of	rax
	.endif
	.endif
	mov	QUICK_SITE(SITE_NUMBER)(%rdi), %rcx
	mov	%rax, NOTE_LINE(%rdx)
	mov	%rcx, NOTE_SITE(%rdx)
	mov	A_NODE, %ecx		/* nodes.h */
	mov	%ecx, NOTE_RECORD(%rdx)
	.if \has_data
	movq	$0, NOTE_VICTIM_BEFORE(%rdx)
	add	$NOTE_DATA_BYTES, %rdx
	.else
	add	$NOTE_BYTES, %rdx
	.endif
	mov	%rdx, filter_next_note(%rip)
	mov	%edx, A_NOTE
	mov	%eax, %ecx
	and	STATE(\level + L_MASK), %ecx
	shl	$OLDEST_SHIFT, %ecx
	lea	FILTER_STAMPS + \is_code * FILTER_FIRST_BYTES(,%rcx,2), %r8
	.if \is_code
	mov	QUICK_SITE(SITE_CELL)(%rdi), %eax
	mov	$64, %edx
	least_place 8, 3, 0, 0
	mov	%r8, %rsi
	.if \has_data
	note_victim	rdi, NOTE_VICTIM
	.endif
	movl	$0, (%rdi)
	mov	%esi, (%rax)
	mov	%rax, FILTER_TO_OWNERS(%rsi)
	.else
	add	STATE(\level + L_OLDEST), %rcx
	lea	FILTER_CELLS(,%rax,4), %rdi
	mov	OLDEST_PLACE(%rcx), %rsi
	mov	OLDEST_STAMP(%rcx), %rdx
	mov	OLDEST_CELL(%rcx), %rax
	cmp	%rdx, (%rsi)
	jne	2f
1:
	.if \has_data
	note_victim	rax, NOTE_VICTIM
	movl	$0, FILTER_TO_LABELS(%rsi)
	.endif
	movl	$0, (%rax)
	mov	%esi, (%rdi)
	mov	%rdi, FILTER_TO_OWNERS(%rsi)
	mov	%esi, %edx
	and	$56, %edx
	least_place 8, 3, 1, 0
	mov	%r8, OLDEST_PLACE(%rcx)
	mov	%rdx, OLDEST_STAMP(%rcx)
	mov	%rdi, OLDEST_CELL(%rcx)
	.endif
3:
	.if \keeps_flags
	pop	%rax
	add	$0x7f, %al
	sahf
	.endif
	mov	%rsi, %rax
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	ret
	.subsection 1
	.if !\is_code
2:	push	%rdi
	push	%r8
	mov	$64, %edx
	least_place 8, 3, 0, 0
	mov	%r8, %rsi
	mov	%rdi, %rax
	pop	%r8
	pop	%rdi
	jmp	1b
	.endif
4:	cmp	%eax, %eax
5:	leave_quick	\keeps_flags, \other
	.previous
	.endm

#endif
