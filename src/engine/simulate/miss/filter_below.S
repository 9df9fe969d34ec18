/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the misses that filter_miss.S has noted, and looks up their lines in LL, in order. No
 * iteration depends on the one before, so the processor can fetch many lines of the tables at a
 * time.
 */
#include "engine/simulate/state/filter_rows.h"

/*
 * Misses ahead at which the cells of lines, and then their stamps, are prefetched. Behind the last
 * note are older ones, whose lines do not matter. (A missing line has stamp address 0: prefetching
 * that does nothing.)
 */
#define CELL_AHEAD  24
#define STAMP_AHEAD 10

/*
 * Touches line rax in LL at time r11; its cells are at r10. Goes to `missed` if it is not there.
 * Changes rdx.
 */
	.macro touch_last missed
	inc	%r11
	mov	(%r10,%rax,4), %edx
	test	%edx, %edx
	jz	\missed
	mov	%r11, (%rdx)
	.endm

/*
 * r8: the place with the least stamp of the rcx at rsi, up to 32; rdi: the cell of its line.
 * Changes rcx, rdx.
 */
	.macro many_places
	mov	$-1, %rdx
35:	mov	-8(%rsi,%rcx,8), %rdi
	shl	$5, %rdi
	lea	-1(%rdi,%rcx), %rdi
	cmp	%rdx, %rdi
	cmovb	%rdi, %rdx
	dec	%ecx
	jnz	35b
	and	$31, %edx
	lea	(%rsi,%rdx,8), %r8
	mov	FILTER_TO_OWNERS(%r8), %rdi
	test	%rdi, %rdi
	cmovz	FILTER_NOBODY, %rdi
	.endm

/*
 * The line replaces the oldest one of its set; with data the field of the note says which. Changes
 * rsi, rdi, r8, rcx, rdx.
 */
	.macro bring_in_last has_data, field
	cmpq	$0, STATE(F_LAST_MAGIC)
	jne	31f
	mov	%eax, %esi
	and	STATE(F_LAST + L_MASK), %esi
32:	mov	STATE(F_LAST + L_PLACES), %rcx
	mov	STATE(F_LAST + L_STAMPS), %rdx
	imul	%rcx, %rsi
	lea	(%rdx,%rsi,8), %rsi
	cmp	$16, %ecx
	ja	33f
	find_least	F_LAST, 0, 0
34:
	.if \has_data
	mov	%rdi, \field(%r9)
	.endif
	movl	$0, (%rdi)
	lea	(%r10,%rax,4), %rdi
	mov	%r8d, (%rdi)
	mov	%rdi, FILTER_TO_OWNERS(%r8)
	mov	%r11, (%r8)
	.subsection 1
31:	mov	%rax, %rdi		/* line % sets, see sim_cache_set */
	mov	%rax, %rsi
	mulq	STATE(F_LAST_MAGIC)
	imul	STATE(F_LAST_SETS), %rdx
	sub	%rdx, %rsi
	mov	%rdi, %rax
	jmp	32b
33:	many_places
	jmp	34b
	.previous
	.endm

/*
 * Counts the miss at r9 as one of LL, for the site and the call graph. Changes rdx, rdi. is_summed:
 * the sum of all is in r12.
 */
	.macro count_last is_summed
	mov	NOTE_SITE(%r9), %edx
	incl	FILTER_MISSES+4(,%rdx,8)
	.if \is_summed
	movzbl	NOTE_EVENT(%r9), %edi
	add	STATE(F_TO_LAST), %edi
	add	(%r13,%rdi,8), %r12
	.endif
	.endm

	.text
/*
 * void filter_look_below_alone(void), filter_look_below_data(void): look up all notes, with and
 * without what bins.h needs; the same where arcs are on (arcs_looked). An access on two lines looks
 * up both, and misses at most once.
 */
	.macro look_below name, has_data, note_bytes, is_summed
	.globl	\name
	.hidden	\name
\name:
	push	%rbx
	.if \is_summed
	push	%r12
	push	%r13
	xor	%r12d, %r12d
	lea	arcs_units(%rip), %r13
	.endif
	lea	filter_notes(%rip), %r9
	mov	filter_next_note(%rip), %rbx
	mov	%r9, filter_next_note(%rip)
	mov	STATE(F_LAST_CELLS), %r10
	mov	STATE(F_LAST_CLOCK), %r11
	cmp	%rbx, %r9
	jae	8f
1:	mov	NOTE_LINE+CELL_AHEAD*\note_bytes(%r9), %rax
	prefetcht0	(%r10,%rax,4)
	mov	NOTE_LINE+STAMP_AHEAD*\note_bytes(%r9), %rax
	mov	(%r10,%rax,4), %eax
	prefetchw	(%rax)
	mov	NOTE_LINE(%r9), %rax
	mov	NOTE_SITE(%r9), %ecx
	addl	$1, FILTER_MISSES(,%rcx,8)
	.if \is_summed
	movzbl	NOTE_EVENT(%r9), %ecx
	mov	%r12, NOTE_RECORD(%r9)
	add	(%r13,%rcx,8), %r12
	.endif
	.if \has_data
	movq	$0, NOTE_LAST(%r9)
	movq	$0, NOTE_LAST_BEFORE(%r9)
	.endif
	testb	$FILTER_SITE_PAIR, NOTE_FLAGS(%r9)
	keep_together 6
	jnz	4f
	keep_together 8
	touch_last	3f
2:	add	$\note_bytes, %r9
	keep_together 9
	cmp	%rbx, %r9
	jb	1b
	mov	%r11, STATE(F_LAST_CLOCK)
8:
	.if \is_summed
	mov	%r12, NOTE_RECORD(%rbx)
	pop	%r13
	pop	%r12
	.endif
	pop	%rbx
	ret
3:	bring_in_last	\has_data, NOTE_LAST
	count_last	\is_summed
	jmp	2b
4:	dec	%rax
	touch_last	6f
5:	inc	%rax
	touch_last	3b
	jmp	2b
6:	bring_in_last	\has_data, NOTE_LAST_BEFORE
	count_last	\is_summed
	inc	%rax
	touch_last	7f
	jmp	2b
7:	bring_in_last	\has_data, NOTE_LAST
	jmp	2b
	.endm

	look_below	filter_look_below_alone, 0, NOTE_BYTES, 0
	look_below	filter_look_below_data, 1, NOTE_DATA_BYTES, 0
	look_below	filter_look_below_arcs, 0, NOTE_BYTES, 1
	look_below	filter_look_below_data_arcs, 1, NOTE_DATA_BYTES, 1

	.section .note.GNU-stack, "", @progbits
