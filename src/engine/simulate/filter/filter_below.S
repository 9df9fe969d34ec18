/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What filter_miss.S has written down of misses: they are counted, and LL is asked for their lines, in their order. No iteration waits for the
 * one before, so that many of the lines of memory that they need are on their way at a time.
 */
#include "engine/simulate/filter/filter_calls.h"
#include "engine/simulate/filter/filter_rows.h"

/*
 * So many misses ahead the cells of lines are asked for, and then their stamps. Behind the last one are older ones, whose lines
 * are of no interest. (One that missed has no stamp: nothing is asked of address 0.)
 */
#define CELL_AHEAD  24
#define STAMP_AHEAD 10

/* Line rax in LL, now: r11, whose cells are at r10. Goes to `missed` if it is not there. Changes rdx. */
	.macro touch_last missed
	inc	%r11
	mov	(%r10,%rax,4), %edx
	test	%edx, %edx
	jz	\missed
	mov	%r11, (%rdx)
	.endm

/* It takes the place of the oldest line there. Changes rsi, rdi, r8, rdx. */
	.macro bring_in_last
	mov	%eax, %esi
	and	STATE(F_LAST + L_MASK), %esi
	mov	STATE(F_LAST + L_SHIFT), %edx
	shlx	%rdx, %rsi, %rsi
	add	STATE(F_LAST + L_STAMPS), %rsi
	find_least	F_LAST, 0, 0
	movl	$0, (%rdi)
	lea	(%r10,%rax,4), %rdi
	mov	%r8d, (%rdi)
	mov	%rdi, FILTER_TO_OWNERS(%r8)
	mov	%r11, (%r8)
	.endm

/* The miss at r9 is one of LL, too, for the site and the call graph. Changes rdx, rdi. */
	.macro count_last
	mov	NOTE_SITE(%r9), %edx
	incl	FILTER_MISSES+4(,%rdx,8)
	mov	NOTE_RECORD(%r9), %rdx
	test	%rdx, %rdx
	jz	45f
	movzbl	NOTE_EVENT(%r9), %edi
	add	STATE(F_TO_LAST), %edi
	incl	REC_COUNTS-REC_BYTES(%rdx,%rdi,4)
45:
	.endm

	.text
/* void filter_look_below(void): all that is written down. Of two lines of an access LL is asked for both, and misses once. */
	.globl	filter_look_below
	.hidden	filter_look_below
filter_look_below:
	push	%rbx
	lea	filter_notes(%rip), %r9
	mov	filter_next_note(%rip), %rbx
	mov	%r9, filter_next_note(%rip)
	mov	STATE(F_LAST_CELLS), %r10
	mov	STATE(F_LAST_CLOCK), %r11
	cmp	%rbx, %r9
	jae	8f
1:	mov	NOTE_LINE+CELL_AHEAD*NOTE_BYTES(%r9), %rax
	prefetcht0	(%r10,%rax,4)
	mov	NOTE_LINE+STAMP_AHEAD*NOTE_BYTES(%r9), %rax
	mov	(%r10,%rax,4), %eax
	prefetchw	(%rax)
	mov	NOTE_LINE(%r9), %rax
	mov	NOTE_SITE(%r9), %ecx
	addl	$1, FILTER_MISSES(,%rcx,8)
	testb	$FILTER_SITE_PAIR, NOTE_FLAGS(%r9)
	keep_together 6
	jnz	4f
	keep_together 8
	touch_last	3f
2:	add	$NOTE_BYTES, %r9
	keep_together 9
	cmp	%rbx, %r9
	jb	1b
	mov	%r11, STATE(F_LAST_CLOCK)
8:	pop	%rbx
	ret
3:	bring_in_last
	count_last
	jmp	2b
4:	dec	%rax
	touch_last	6f
5:	inc	%rax
	touch_last	3b
	jmp	2b
6:	bring_in_last
	count_last
	inc	%rax
	touch_last	7f
	jmp	2b
7:	bring_in_last
	jmp	2b

	.bss
	.globl	filter_saved, filter_notes, filter_notes_end
	.hidden	filter_saved, filter_notes, filter_notes_end
	.balign 64
filter_saved:	.skip	128	/* vector registers */
filter_notes:	.skip	NOTES * NOTE_BYTES
filter_notes_end:
	.skip	CELL_AHEAD * NOTE_BYTES	/* of line 0 */

	.data
	.balign 8
	.globl	filter_next_note
	.hidden	filter_next_note
filter_next_note: .quad filter_notes

	.section .note.GNU-stack, "", @progbits
