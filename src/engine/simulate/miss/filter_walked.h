/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For filter_miss.S: a miss of a hierarchy that walks (filter_walk.h) which hits the second level.
 * It is looked up there at once, as what misses there may change the first level.
 */
#ifndef DWELL_ENGINE_SIMULATE_WALK_FILTER_WALKED_H
#define DWELL_ENGINE_SIMULATE_WALK_FILTER_WALKED_H

/* clang-format off */

#define NO_EVENT 255 /* SIM_NO_EVENT */

/* edi: the place in the second level of the line whose first-level cell is r8. Changes rdx. */
	.macro find_below
	movabs	$FILTER_CELLS, %rdx
	mov	STATE(F_LAST_CELLS), %rdi
	sub	%rdx, %rdi
	mov	(%rdi,%r8), %edi
	.endm

/* Calls C on the engine's stack, as the target's has its red zone; up to end_call. */
	.macro begin_call
	save	r10, 10
	save	r11, 11
	mov	%rsp, %gs:T_HOOK_SP
	mov	%gs:T_ENGINE_SP, %rsp
	.irp	name, rax, rcx, rsi, r8, r9, r9
	push	%\name
	.endr
	.endm

	.macro end_call
	.irp	name, r9, r9, r8, rsi, rcx, rax
	pop	%\name
	.endr
	mov	%gs:T_HOOK_SP, %rsp
	restore	r10, 10
	restore	r11, 11
	.endm

/* The access to line rax, or its fetch, misses in the TLB. Changes rdx, rdi. */
	.macro miss_page
	begin_call
	pushfq
	testl	$TROUBLE_FLAGS, (%rsp)
	pop	%rdx
	jnz	72f
	mov	%rax, %rdi
	mov	SITE_NUMBER(%rbx), %esi
	cmpb	$COUNTER_YMM31, engine_vector_counter(%rip)
	jne	71f
	vmovq	%xmm31, %rdx
73:	call	filter_pages_missed
	end_call
	.pushsection .text, 2
71:	movq	%xmm15, %rdx
	jmp	73b
72:	end_call
	jmp	.Lslow_1
	.popsection
	.endm

/* r8: the place that is `at` bytes behind rsi, if its entry begins with rdi. Changes rcx, rdx. */
	.macro look_at_owner at
	mov	FILTER_TO_OWNERS+\at(%rsi), %rdx
	lea	\at(%rsi), %ecx
	xor	%rdi, %rdx
	cmp	$1 << SIM_ENTRY_FLAG_BITS, %rdx
	cmovb	%ecx, %r8d
	.endm

/*
 * Goes to `found` if the level has line rax, with rsi: its place. Its cell is 0 as the TLB did not
 * have its page, or has it anew. No branch depends on its place. Changes rcx, rdx, rdi, r8.
 */
	.macro find_hidden level, is_code, is_quick, found
	find_cell	\is_code
	shl	$SIM_ENTRY_FLAG_BITS, %rdi
	mov	%eax, %ecx
	and	STATE(\level + L_MASK), %ecx
	.if \is_quick
	shl	$6, %ecx
	lea	FILTER_STAMPS + \is_code * FILTER_FIRST_BYTES(%rcx), %esi
	xor	%r8d, %r8d
	.irp	at, 0, 8, 16, 24, 32, 40, 48, 56
	look_at_owner	\at
	.endr
	mov	%r8d, %esi
	test	%r8d, %r8d
	jnz	\found
	.else
	imul	STATE(\level + L_PLACES), %rcx
	mov	STATE(\level + L_STAMPS), %rsi
	lea	-8(%rsi,%rcx,8), %rsi
	mov	STATE(\level + L_PLACES), %ecx
90:	add	$8, %rsi
	mov	FILTER_TO_OWNERS(%rsi), %rdx
	xor	%rdi, %rdx
	cmp	$1 << SIM_ENTRY_FLAG_BITS, %rdx
	jb	\found
	dec	%ecx
	jnz	90b
	.endif
	.endm

/* Code may hit line rax, whose page the TLB has: filter_pages_let. Changes rdx, rdi. */
	.macro show_line pages, uses_of_pages
	mov	%rax, %rdi
	shr	$(12 - FILTER_LINE_SHIFT), %rdi
	mov	STATE(\pages), %rdx
	mov	(%rdx,%rdi,4), %edi
	shl	$PAGE_USE_SHIFT, %edi
	mov	PAGE_SHOWN+\uses_of_pages(%rdi), %rdx
	bts	%rax, %rdx
	mov	%rdx, PAGE_SHOWN+\uses_of_pages(%rdi)
	.endm

/*
 * An access that lies on two lines, or may do so, hits both: rsi: the place of the last one. Others
 * go to C, and so do all if stores would have to mark both.
 */
	.macro hit_two
	cmpb	$63, SITE_SPAN(%rbx)
	ja	.Lslow_1
	cmpl	$NO_EVENT, STATE(F_WRITE_BACK)
	jne	.Lslow_1
	mov	%gs:T_MISS_ADDRESS, %rax
	line_of	rax
	mov	FILTER_CELLS(,%rax,4), %esi
	mov	FILTER_CELLS+4(,%rax,4), %edx
	test	%esi, %esi
	jz	.Lslow_1
	test	%edx, %edx
	jz	.Lslow_1
	stamp	0
	mov	%edx, %esi
	.endm

/*
 * Line rax takes place rsi of the line whose cell is r8: calls uses_replace.
 */
	.macro replace_use
	begin_call
	mov	%rax, %rdi
	mov	%r8, %rdx
	mov	SITE_NUMBER(%rbx), %ecx
	call	uses_replace
	end_call
	.endm

/* Carry: is place edi of the second level looked at? Changes edx, edi. */
	.macro is_last_chosen
	sub	$(FILTER_STAMPS + 2 * FILTER_FIRST_BYTES), %edi
	mov	%edi, %edx
	shr	$8, %edx
	mov	USES_LAST_BITS(,%rdx,4), %edx
	shr	$3, %edi
	bt	%edi, %edx
	.endm

/* Carry: is place rsi watched, of the set with record rcx? Changes edx, edi. */
	.macro is_watched
	mov	OLDEST_WATCHED(%rcx), %edx
	mov	%esi, %edi
	shr	$3, %edi
	bt	%edi, %edx
	.endm

/*
 * If line rax is watched, counts its use, and goes to `hit` with its place rsi. Changes rcx, rdx,
 * rdi, r8.
 */
	.macro find_watched level, is_quick, pages, uses_of_pages, hit
67:	mov	%eax, %ecx
	and	STATE(\level + L_MASK), %ecx
	mov	%ecx, %edi
	shl	$OLDEST_SHIFT, %edi
	add	STATE(\level + L_OLDEST), %rdi
	mov	OLDEST_WATCHED(%rdi), %edx
	test	%edx, %edx
	jnz	68f
69:
	.subsection 1
68:	shl	$6, %ecx
	.if !\is_quick
	cmpl	$8, STATE(\level + L_PLACES)
	je	63f
	add	%ecx, %ecx
63:
	.endif
	and	$-256, %ecx		/* the bits are those of 32 places */
	lea	FILTER_CELLS(,%rax,4), %rdi
64:	bsf	%edx, %esi
	lea	FILTER_STAMPS(%rcx,%rsi,8), %rsi
	mov	FILTER_TO_OWNERS(%rsi), %r8
	shr	$SIM_ENTRY_FLAG_BITS, %r8
	cmp	%rdi, %r8
	je	65f
	lea	-1(%rdx), %r8d
	and	%r8d, %edx
	jnz	64b
	jmp	69b
65:	mov	STATE(\pages), %rdx
	test	%rdx, %rdx
	jz	66f
	mov	%rax, %rdi
	shr	$(12 - FILTER_LINE_SHIFT), %rdi
	cmpl	$0, (%rdx,%rdi,4)
	je	69b
66:	count_use	\pages, \uses_of_pages, \hit
	.previous
	.endm

/*
 * Counts a use of line rax at place rsi, which is watched, and goes to `hit`. As it has no cell,
 * its page is told the time. Changes rcx, rdx, rdi.
 */
	.macro count_use pages, uses_of_pages, hit
	mov	USES_TO_LIVE + WATCH_USES(,%rsi,2), %edi
	inc	%edi
	cmp	USES_TO_LIVE + WATCH_LIMIT(,%rsi,2), %edi
	jae	.Lslow_1
	mov	%edi, USES_TO_LIVE + WATCH_USES(,%rsi,2)
	movzbl	SITE_SPAN(%rbx), %ecx
	mov	$-2, %rdx
	shl	%cl, %rdx
	not	%rdx
	mov	%gs:T_MISS_ADDRESS, %rcx
	shl	%cl, %rdx
	or	%rdx, USES_TO_LIVE(,%rsi,2)
	mov	STATE(\pages), %rdx
	test	%rdx, %rdx
	jz	\hit
	stamp	0
	mov	%rax, %rdi
	shr	$(12 - FILTER_LINE_SHIFT), %rdi
	mov	(%rdx,%rdi,4), %edi
	shl	$PAGE_USE_SHIFT, %edi
	mov	(%rsi), %rdx
	mov	%rdx, PAGE_TIME+\uses_of_pages(%rdi)
	jmp	\hit
	.endm

/*
 * rax line, rbx site, rcx the record of its set, rsi its place, r8 the evicted line's cell, r9
 * flags. Until its line's cell is written nothing has changed, so that C can do it all.
 */
	.macro miss_of_walk name, level, is_code, is_quick, pages, uses_of_pages, uses=0, has_data=0
	.globl	\name
	.hidden	\name
\name:
	each_of_miss save
	save_flags
	.if \is_code
	mov	SITE_LINE(%rbx), %rax
	testb	$(FILTER_SITE_BOTH | FILTER_SITE_PAIR), SITE_FLAGS(%rbx)
	jnz	9f
62:
	.else
	find_line_of_data 11f
	mov	FILTER_CELLS(,%rax,4), %esi
	test	%esi, %esi
	jnz	3f		/* it came here only because it is unaligned */
	.endif
	.if \uses == 2 && !\is_code
	find_watched \level, \is_quick, \pages, \uses_of_pages, 3f
	.endif
	mov	STATE(\pages), %rdx
	test	%rdx, %rdx
	jnz	7f
60:
	mov	STATE(F_LAST_CELLS), %rdx
	mov	(%rdx,%rax,4), %edi
	test	%edi, %edi
	jz	.Lslow_1
	cmpl	$0, STATE(F_BELOW_PREFETCHES)
	jne	4f
64:
	mov	%eax, %ecx
	and	STATE(\level + L_MASK), %ecx
	shl	$OLDEST_SHIFT, %ecx
	add	STATE(\level + L_OLDEST), %rcx
	mov	OLDEST_PLACE(%rcx), %rsi
	mov	OLDEST_STAMP(%rcx), %rdx
	mov	OLDEST_CELL(%rcx), %r8
	cmp	%rdx, (%rsi)
	jne	53f
54:
	.if !\is_code
	testb	$SIM_DIRTY, FILTER_TO_OWNERS(%rsi)
	jnz	5f
	.endif
55:	mov	filter_next_note(%rip), %rdx
	cmp	filter_notes_limit(%rip), %rdx
	jae	.Lslow_1
	note_event \has_data
	mov	SITE_NUMBER(%rbx), %edi
	incl	FILTER_MISSES(,%rdi,8)
	.if !\is_code
	testb	$SIM_DIRTY, FILTER_TO_OWNERS(%rsi)
	jnz	6f
	.endif
56:
	.if \uses == 1
	replace_use
	.endif
	cmpq	$0, STATE(\pages)
	jne	8f
61:	movl	$0, (%r8)
	find_cell	\is_code
	mov	%esi, (%rdi)
	mov	%rdi, %rdx
	shl	$SIM_ENTRY_FLAG_BITS, %rdx
	mov	%rdx, FILTER_TO_OWNERS(%rsi)
	.if \has_data && !\is_code	/* filter_references.h */
	movl	$0, FILTER_TO_LABELS(%rsi)
	.endif
	.if \is_code
	testb	$(FILTER_SITE_BOTH | FILTER_SITE_PAIR), SITE_FLAGS(%rbx)
	jnz	10f
63:
	.endif
	mov	STATE(F_LAST_CELLS), %rdx
	mov	(%rdx,%rax,4), %edi
	mov	STATE(F_LAST_CLOCK), %rdx
	inc	%rdx
	mov	%rdx, STATE(F_LAST_CLOCK)
	mov	%rdx, (%rdi)
	.if \uses == 2
	decl	uses_skip + 4 * \is_code(%rip)
	js	65f
	is_last_chosen
	jc	65f
	is_watched
	jc	65f
66:
	.endif
	find_next	\level, \is_quick, 1
3:	leave_miss	1
	.subsection 1
	.if \uses == 2 && \is_code
65:	replace_use
	jmp	66b
	.elseif \uses == 2
65:	replace_use
	find_next	\level, \is_quick, 1
	is_watched
	jnc	3b
	count_use	\pages, \uses_of_pages, 3b
	.endif
4:	testb	$SIM_PREFETCHED, FILTER_TO_OWNERS(%rdi)
	jz	64b
	jmp	.Lslow_1
53:	find_least	\level, \is_quick, 0, 1
	mov	%r8, %rsi
	mov	%rdi, %r8
	jmp	54b
	.if !\is_code
5:	find_below
	test	%edi, %edi
	jnz	55b
	jmp	.Lslow_1
6:	find_below
	orb	$SIM_DIRTY, FILTER_TO_OWNERS(%rdi)
	mov	SITE_NUMBER(%rbx), %edi
	incl	FILTER_MISSES+4(,%rdi,8)
	mov	filter_next_note(%rip), %rdx
	.if \has_data
	orl	$NOTE_AND_WRITTEN_BACK, NOTE_COUNTED-NOTE_DATA_BYTES(%rdx)
	.else
	orl	$NOTE_AND_WRITTEN_BACK, NOTE_COUNTED-NOTE_BYTES(%rdx)
	.endif
	jmp	56b
	.endif
	.if \is_code			/* the first line hits, but the second level sees both */
9:	testb	$FILTER_SITE_BOTH, SITE_FLAGS(%rbx)
	jz	91f
	mov	SITE_FIRST(%rbx), %ecx
	cmpl	$0, (%rcx)
	je	.Lslow_1
91:	mov	STATE(F_LAST_CELLS), %rdx
	mov	-4(%rdx,%rax,4), %edi
	test	%edi, %edi
	jz	.Lslow_1
	cmpl	$0, STATE(F_BELOW_PREFETCHES)
	je	62b
	testb	$SIM_PREFETCHED, FILTER_TO_OWNERS(%rdi)
	jz	62b
	jmp	.Lslow_1
10:	mov	STATE(F_LAST_CELLS), %rdx
	mov	-4(%rdx,%rax,4), %edi
	incq	STATE(F_LAST_CLOCK)
	mov	STATE(F_LAST_CLOCK), %rdx
	mov	%rdx, (%rdi)
	jmp	63b
	.endif
7:	mov	%rax, %rdi
	shr	$(12 - FILTER_LINE_SHIFT), %rdi
	cmpl	$0, (%rdx,%rdi,4)
	jne	74f
	.if \is_code
	testb	$(FILTER_SITE_BOTH | FILTER_SITE_PAIR), SITE_FLAGS(%rbx)
	jnz	.Lslow_1
	.endif
	miss_page
	.if \uses == 2 && !\is_code
	jmp	67b
	.endif
74:	find_hidden	\level, \is_code, \is_quick, 75f
	jmp	60b
75:	find_cell	\is_code
	mov	%esi, (%rdi)
	show_line	\pages, \uses_of_pages
	jmp	3b
8:	mov	%r8, %rdi		/* filter_pages_lose */
	.if \is_code
	sub	$FILTER_CODE_CELLS, %rdi
	jb	81f			/* nobody's */
	add	%rdi, %rdi
	add	STATE(F_CODE_LINES), %rdi
	mov	(%rdi), %rdi
	.else
	sub	$FILTER_CELLS, %rdi
	jb	81f
	shr	$2, %rdi
	.endif
	shr	$(12 - FILTER_LINE_SHIFT), %rdi
	mov	STATE(\pages), %rdx
	mov	(%rdx,%rdi,4), %edi
	test	%edi, %edi
	jz	81f
	shl	$PAGE_USE_SHIFT, %edi
	mov	(%rsi), %rdx
	cmp	%rdx, PAGE_TIME+\uses_of_pages(%rdi)
	jae	81f
	mov	%rdx, PAGE_TIME+\uses_of_pages(%rdi)
81:	show_line	\pages, \uses_of_pages
	jmp	61b
	.if !\is_code
11:
	.if \uses
	jmp	.Lslow_1
	.else
	hit_two
	.if \has_data
	movl	$0, FILTER_TO_LABELS(%rsi)
	.endif
	jmp	3b
	.endif
	.endif
	.previous
	.endm

#endif
