/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An inline test of the filter variant has failed; see filter.h. All target state is live, except
 * the test's register, and the status flags if the stub says so. rbx is saved and points to the
 * site (filter_sites.h); T_MISS_ADDRESS is the access's address.
 *
 * Misses of accesses in a hierarchy of two levels are handled here, as every tenth access of a
 * program may miss: most of them where the code calls (filter_quick.h). There are variants: for LRU
 * caches of up to 8 ways, and for all others; with status flags saved or not. C handles the rest.
 * T_REGS is free meanwhile. One thread comes here.
 *
 * Only the first level is updated at once. The miss is noted; some hundred are counted and looked
 * up in LL together. Nothing but misses reads LL, and so the processor waits for many lines of its
 * tables at a time. (One by one they took half of the time of misses in cc1.)
 *
 * The next accesses depend on the store to the evicted line's cell, whose address decides what
 * their loads of cells may read. So each set keeps a record of its oldest line (struct
 * filter_oldest), made at the set's last miss, when nothing depended on it. It holds unless that
 * line was used since, as stamps only grow. (Searching the stamps at each miss took two thirds of
 * the time of misses, which were two thirds of gzip's time.)
 */
#include "engine/simulate/calls/arcs.h"
#include "engine/simulate/state/filter.h"
#include "engine/simulate/miss/filter_multi.h"
#include "engine/simulate/miss/filter_quick.h"
#include "engine/simulate/miss/filter_references.h"
#include "engine/simulate/state/filter_rows.h"
#include "engine/simulate/state/filter_sites.h"
#include "engine/simulate/miss/uses.h"
#include "engine/simulate/miss/uses_watch.h"
#include "engine/simulate/miss/filter_walked.h"
#include "engine/simulate/observe/held.h"
#include "engine/simulate/observe/known_lines.h"
#include "engine/simulate/observe/mixed.h"
#include "engine/simulate/observe/tallies.h"
#include "engine/core/layout.h"

/* rdi: the address of the cell of line rax. is_code: 1 the last line of a fetch, 2 the first. */
	.macro find_cell is_code
	.if \is_code == 2
	mov	SITE_FIRST(%rbx), %edi
	.elseif \is_code
	mov	SITE_CELL(%rbx), %edi
	.else
	lea	FILTER_CELLS(,%rax,4), %rdi
	.endif
	.endm

/*
 * Line rax replaces the oldest line of its set of `level`. Out: rdi: its cell; rsi: its place; r8:
 * the evicted line's cell; rcx: the set's record. Changes rdx.
 */
	.macro bring_in level, is_code, is_quick
	mov	%eax, %ecx
	and	STATE(\level + L_MASK), %ecx
	shl	$OLDEST_SHIFT, %ecx
	add	STATE(\level + L_OLDEST), %rcx
	find_cell	\is_code
	mov	OLDEST_PLACE(%rcx), %rsi
	mov	OLDEST_STAMP(%rcx), %rdx
	mov	OLDEST_CELL(%rcx), %r8
	keep_together 9
	cmp	%rdx, (%rsi)
	jne	53f
54:	movl	$0, (%r8)
	mov	%esi, (%rdi)
	mov	%rdi, FILTER_TO_OWNERS(%rsi)
	.subsection 1
53:	find_least	\level, \is_quick, 0
	mov	%r8, %rsi
	mov	%rdi, %r8
	find_cell	\is_code
	jmp	54b
	.previous
	.endm

/* Finds the line of that set that is evicted next. Changes rdx, rdi, r8. */
	.macro find_next level, is_quick, is_entry=0
	find_least	\level, \is_quick, 1, \is_entry
	mov	%r8, OLDEST_PLACE(%rcx)
	mov	%rdx, OLDEST_STAMP(%rcx)
	mov	%rdi, OLDEST_CELL(%rcx)
	.endm

/* The line of an address. Changes flags. */
	.macro line_of name
	shl	$(64 - FILTER_ADDRESS_BITS), %\name
	shr	$(64 - FILTER_ADDRESS_BITS + FILTER_LINE_SHIFT), %\name
	.endm

/* rax: the line of the access, if it is one. Changes rcx. */
	.macro find_line_of_data slow
	mov	%gs:T_MISS_ADDRESS, %rax
	movzbl	SITE_SPAN(%rbx), %ecx
	add	%rax, %rcx
	xor	%rax, %rcx
	cmp	$63, %rcx
	ja	\slow
	line_of	rax
	.endm

/*
 * Notes the event of site rbx (calls/events.h), with data the line rax, which takes the place of the
 * one whose cell is r8. rdx: the note. Changes rdi.
 */
	.macro note_event has_data
	movzbl	SITE_EVENT(%rbx), %edi
	or	$NOTE_ONCE, %edi
	mov	%edi, NOTE_COUNTED(%rdx)
	mov	SITE_NUMBER(%rbx), %rdi
	mov	%rdi, NOTE_SITE(%rdx)
	mov	A_NODE, %edi
	mov	%edi, NOTE_RECORD(%rdx)
	.if \has_data
	mov	%rax, NOTE_LINE(%rdx)
	mov	%gs:T_MISS_ADDRESS, %rdi
	mov	%rdi, NOTE_ADDRESS(%rdx)
	mov	%r8, NOTE_VICTIM(%rdx)
	xor	%edi, %edi
	mov	%rdi, NOTE_LAST(%rdx)
	mov	%rdi, NOTE_VICTIM_BEFORE(%rdx)
	mov	%rdi, NOTE_LAST_BEFORE(%rdx)
	add	$NOTE_DATA_BYTES, %rdx
	.else
	add	$NOTE_BYTES, %rdx
	.endif
	mov	%rdx, filter_next_note(%rip)
	mov	%edx, A_NOTE
	.endm

/*
 * Notes the miss of line rax, and of the line before if there are `flags`; goes to C without room.
 * Changes rdx, rdi, r8.
 */
	.macro note_miss slow, flags, has_data
	mov	filter_next_note(%rip), %r8
	keep_together 13
	cmp	filter_notes_limit(%rip), %r8
	jae	\slow
	mov	SITE_NUMBER(%rbx), %rdx
	mov	%rax, NOTE_LINE(%r8)
	mov	%rdx, NOTE_SITE(%r8)
	mov	A_NODE, %edx		/* nodes.h */
	mov	%edx, NOTE_RECORD(%r8)
	.if \flags
	orb	$\flags, NOTE_FLAGS(%r8)
	.endif
	.if \has_data
	mov	%gs:T_MISS_ADDRESS, %rdx
	mov	%rdx, NOTE_ADDRESS(%r8)
	movq	$0, NOTE_VICTIM(%r8)
	movq	$0, NOTE_VICTIM_BEFORE(%r8)
	add	$NOTE_DATA_BYTES, %r8
	.else
	add	$NOTE_BYTES, %r8
	.endif
	mov	%r8, filter_next_note(%rip)
	mov	%r8d, A_NOTE
	.endm

/* Writes the time of the access to the stamp at rsi; for fetches it is lane 0. Changes flags. */
	.macro stamp is_code
	cmpb	$COUNTER_YMM31, engine_vector_counter(%rip)
	jne	148f
	.if !\is_code
	testb	$FILTER_SITE_SECOND, SITE_FLAGS(%rbx)
	jnz	155f
	.endif
	vmovq	%xmm31, (%rsi)
	.if !\is_code
	jmp	156f
155:	vmovhps	%xmm31, (%rsi)
	.endif
156:
	.pushsection .text, 2
148:
	.if !\is_code
	testb	$FILTER_SITE_SECOND, SITE_FLAGS(%rbx)
	jnz	149f
	.endif
	movq	%xmm15, (%rsi)
	jmp	156b
	.if !\is_code
149:	movhps	%xmm15, (%rsi)
	jmp	156b
	.endif
	.popsection
	.endm

/* An access or fetch on two lines, of which one may be there. rsi: the place of the last one. */
	.macro miss_of_two level, is_code, slow, has_data
	.if \is_code
	mov	SITE_LINE(%rbx), %rax
	mov	SITE_CELL(%rbx), %edx
	mov	SITE_FIRST(%rbx), %ecx
	mov	(%rcx), %esi
	mov	(%rdx), %edx
	.else
	cmpb	$63, SITE_SPAN(%rbx)
	ja	\slow
	mov	%gs:T_MISS_ADDRESS, %rax
	line_of	rax
	mov	FILTER_CELLS(,%rax,4), %esi
	mov	FILTER_CELLS+4(,%rax,4), %edx
	inc	%rax
	.endif
	test	%esi, %esi
	jz	61f
	test	%edx, %edx
	jz	61f
	stamp	\is_code
	mov	%edx, %esi
	jmp	64f
61:	note_miss \slow, FILTER_SITE_PAIR, \has_data
	dec	%rax
	find_cell	2*\is_code
	mov	(%rdi), %esi
	test	%esi, %esi
	jnz	62f
	bring_in	\level, 2*\is_code, 1
	.if \has_data
	note_victim	r8, NOTE_VICTIM_BEFORE
	.if !\is_code
	movl	$0, FILTER_TO_LABELS(%rsi)
	.endif
	.endif
	find_next	\level, 1
62:	stamp	\is_code
	inc	%rax
	find_cell	\is_code
	mov	(%rdi), %esi
	test	%esi, %esi
	jnz	64f
	bring_in	\level, \is_code, 1
	.if \has_data
	note_victim	r8, NOTE_VICTIM
	.endif
	find_next	\level, 1
64:	.if \has_data && !\is_code	/* filter_references.h */
	movl	$0, FILTER_TO_LABELS(%rsi)
	.endif
	.endm

/*
 * A miss of a line in the first level, and all that follows; C handles the rest. is_quick: rows
 * have 8 places, and the policy is LRU. has_data: notes say whose line came and went. has_sets: C
 * handles lines of sets that are not simulated, and all that lies on two lines. If the flags are
 * not kept they say whether this is a miss of a line (zero) or an access that straddles two.
 */
	.macro miss name, level, is_code, is_quick, keeps_flags, has_data=0, has_sets=0
	.globl	\name
	.hidden	\name
\name:
	each_of_miss save
	.if \keeps_flags
	save_flags
	.endif
	.if \is_code
	testb	$(FILTER_SITE_BOTH | \has_sets * FILTER_SITE_PAIR), SITE_FLAGS(%rbx)
	jnz	5f
	mov	SITE_LINE(%rbx), %rax
	.elseif \keeps_flags
	find_line_of_data 5f
	mov	FILTER_CELLS(,%rax,4), %esi
	test	%esi, %esi
	jnz	3f		/* it came here only because it is unaligned */
	.else
	jnz	5f
	mov	%gs:T_MISS_ADDRESS, %rax
	line_of	rax
	.endif
	.if \has_sets
	mov	%rax, %rcx
	sub	FILTER_SETS_FIRST, %rcx
	and	FILTER_SETS_MASK, %rcx
	cmp	FILTER_SETS_COUNT, %rcx
	jae	.Lslow_\keeps_flags
	.endif
	note_miss	.Lslow_\keeps_flags, 0, \has_data
	bring_in	\level, \is_code, \is_quick
	.if \has_data
	note_victim	r8, NOTE_VICTIM
	.if !\is_code
	movl	$0, FILTER_TO_LABELS(%rsi)
	.endif
	.endif
	find_next	\level, \is_quick
	.if !\is_quick
	cmpl	$0, STATE(\level + L_BY_USE)
	jne	3f
	stamp	\is_code	/* FIFO: the code behind the miss does not */
	.endif
3:	leave_miss	\keeps_flags
5:
	.if \is_quick
	miss_of_two	\level, \is_code, .Lslow_\keeps_flags, \has_data
	jmp	3b
	.else
	jmp	.Lslow_\keeps_flags
	.endif
	.endm

	.text
	.globl engine_filter_miss
	.hidden engine_filter_miss
	.type engine_filter_miss, @function
/* rbx site, rax line, rdi its cell, rsi its place, rcx the record of its set, r9 flags */
engine_filter_miss:
	miss	filter_quick_data, F_DATA, 0, 1, 0
	miss	filter_quick_data_live, F_DATA, 0, 1, 1
	miss	filter_quick_code, F_CODE, 1, 1, 0
	miss	filter_quick_code_live, F_CODE, 1, 1, 1
	miss	filter_any_data, F_DATA, 0, 0, 1
	miss	filter_any_code, F_CODE, 1, 0, 1
	miss	filter_whose_data, F_DATA, 0, 1, 0, 1
	miss	filter_whose_data_live, F_DATA, 0, 1, 1, 1
	miss	filter_whose_code, F_CODE, 1, 1, 0, 1
	miss	filter_whose_code_live, F_CODE, 1, 1, 1, 1
	miss	filter_whose_any_data, F_DATA, 0, 0, 1, 1
	miss	filter_whose_any_code, F_CODE, 1, 0, 1, 1
	miss	filter_some_data, F_DATA, 0, 0, 1, 1, 1
	miss	filter_some_code, F_CODE, 1, 0, 1, 1, 1

	quick_miss	filter_called_data, F_DATA, 0, 0, filter_quick_data
	quick_miss	filter_called_data_live, F_DATA, 0, 1, filter_quick_data_live
	quick_miss	filter_called_code, F_CODE, 1, 0, filter_quick_code
	quick_miss	filter_called_code_live, F_CODE, 1, 1, filter_quick_code_live
	quick_miss	filter_called_whose_data, F_DATA, 0, 0, filter_whose_data, 1
	quick_miss	filter_called_whose_data_live, F_DATA, 0, 1, filter_whose_data_live, 1
	quick_miss	filter_called_whose_code, F_CODE, 1, 0, filter_whose_code, 1
	quick_miss	filter_called_whose_code_live, F_CODE, 1, 1, filter_whose_code_live, 1

/* rdi: the tally of site ecx and label edx. */
	.macro find_tally slow
	imul	$TALLY_FACTOR, %edx, %edi
	add	%ecx, %edi
	and	$TALLIES - 1, %edi
	shl	$TALLY_SHIFT, %edi
	add	tallies(%rip), %rdi
	cmp	%ecx, TALLY_SITE(%rdi)
	jne	\slow
	cmp	%edx, TALLY_LABEL(%rdi)
	jne	\slow
	.endm

/*
 * A label is not the one that an access expects (filter_references.h). Finds the label in rdx: that
 * of the line; that of its part; or the line is new, and lies in the same memory as the last one of
 * this access, whose label it gets. If the access does not expect it, counts an exception; in calls
 * that allocate, holds one. C handles the rest. rcx: the site's number.
 */
	.globl	filter_refer
	.hidden	filter_refer
filter_refer:
	each_of_miss save
	save_flags
	mov	SITE_NUMBER(%rbx), %ecx
	mov	%gs:T_MISS_ADDRESS, %rax
	mov	%rax, %rsi
	line_of	rsi
	mov	FILTER_CELLS(,%rsi,4), %esi
	test	%esi, %esi
	jz	.Lslow_1
	mov	FILTER_TO_LABELS(%rsi), %edx
	cmp	$LABEL_MIXED, %edx
	jb	3f
	ja	1f
	mov	mixed_labels(%rip), %rdi
	lea	(%rdi,%rsi,1 << MIXED_PLACE_SHIFT), %rdi
	mov	%eax, %edx
	and	$MIXED_OF_ADDRESS, %edx
	mov	(%rdi,%rdx), %edx
	mov	%edx, %edi
	shr	$MIXED_LABEL_BITS, %edi
	and	$3, %eax
	cmp	%eax, %edi
	jb	.Lslow_1
	and	$(1 << MIXED_LABEL_BITS) - 1, %edx
	jz	.Lslow_1
1:	cmpq	$0, filter_allocating(%rip)
	jne	5f
	mov	FILTER_MISSES(,%rcx,8), %edi
	add	%edx, %edi
	jnz	4f
2:	movslq	SITE_BACK(%rbx), %rax
	add	%rbx, %rax
	mov	%rax, %gs:T_MISS_BACK
	restore_flags
	each_of_miss restore
	restore	rbx, 3
	jmp	*%gs:T_MISS_BACK
3:	cmpq	$0, filter_allocating(%rip)
	jne	.Lslow_1
	imul	$MEMO_BYTES, %rcx, %r8
	add	filter_site_memos(%rip), %r8
	and	$-64, %rax
	cmp	MEMO_START(%r8), %rax
	jb	6f
	add	$64, %rax
	cmp	MEMO_END(%r8), %rax
	ja	6f
	mov	alloc_version(%rip), %edi
	add	modules_version(%rip), %edi
	add	named_version(%rip), %edi
	cmp	MEMO_VERSION(%r8), %edi
	jne	6f
	mov	MEMO_LABEL(%r8), %edx
	mov	%edx, FILTER_TO_LABELS(%rsi)
	jmp	1b
6:	mov	%gs:T_MISS_ADDRESS, %rax
	line_of	rax
	movzwl	%ax, %edi
	shl	$KNOWN_ENTRY_SHIFT, %edi
	add	known_lines(%rip), %rdi
	shr	$KNOWN_LINES_BITS, %rax
	or	known_lines_era(%rip), %eax
	cmp	(%rdi), %eax
	jne	.Lslow_1
	mov	4(%rdi), %edx
	mov	%edx, FILTER_TO_LABELS(%rsi)
	jmp	1b
4:	find_tally .Lslow_1
	mov	TALLY_COUNT(%rdi), %eax
	inc	%eax
	cmp	TALLY_LIMIT(%rdi), %eax
	jae	.Lslow_1
	mov	%eax, TALLY_COUNT(%rdi)
	incl	FILTER_MISSES+4(,%rcx,8)
	jmp	2b
5:	find_tally .Lslow_1
	mov	held_next(%rip), %r8
	cmp	held_limit(%rip), %r8
	jae	.Lslow_1
	mov	%gs:T_MISS_ADDRESS, %rax
	mov	TALLY_BIN(%rdi), %edx
	mov	%rax, HELD_ADDRESS(%r8)
	mov	%edx, HELD_BIN(%r8)
	movq	$1, HELD_NUMBER(%r8)
	movl	$HELD_REFERENCES, HELD_KIND(%r8)
	add	$HELD_BYTES, %r8
	mov	%r8, held_next(%rip)
	incl	FILTER_MISSES+4(,%rcx,8)
	jmp	2b

/* Enters C on the engine's stack, with the registers in T_REGS. */
	.globl	filter_slow
	.hidden	filter_slow
filter_slow:
	each_of_miss save
.Lslow_0:			/* the flags are dead, but r9 is live */
	save_flags
.Lslow_1:
	each_other save
	mov	%rbx, %gs:T_MISS_SITE
	mov	%r9d, %r15d
	mov	%rsp, %gs:T_HOOK_SP
	mov	%gs:T_ENGINE_SP, %rsp
	sub	$8, %rsp
	pushfq
	testl	$TROUBLE_FLAGS, (%rsp)
	jnz	9f
81:	cmpb	$COUNTER_YMM31, engine_vector_counter(%rip)
	jne	83f
	vmovdqa64 %ymm31, %gs:T_COUNTERS
82:	mov	%gs:T_COUNTERS, %rdi
	call	filter_missed
	mov	%rax, %gs:T_MISS_BACK
	popfq
	mov	%r15d, %r9d
	restore_flags
	each_of_miss restore
	restore	rbx, 3
	each_other restore
	mov	%gs:T_HOOK_SP, %rsp
	jmp	*%gs:T_MISS_BACK
83:	movdqa	%xmm15, %gs:T_COUNTERS
	movdqa	%xmm14, %gs:T_COUNTERS+16
	jmp	82b
9:	pushq	$0x202
	popfq
	jmp	81b

/*
 * Several hierarchies: a miss in their front. Notes the line and the evicted one. SITE_EVENT is the
 * column; the site's number leads to the cell (filter_multi.h).
 */
	.macro miss_of_multi name, level, is_code
	.globl	\name
	.hidden	\name
\name:
	each_of_miss save
	save_flags
	mov	filter_misses+Q_NEXT(%rip), %rsi
	cmp	filter_misses+Q_LAST(%rip), %rsi
	jae	.Lslow_1
	.if \is_code
	testb	$FILTER_SITE_BOTH, SITE_FLAGS(%rbx)
	jnz	.Lslow_1
	mov	SITE_LINE(%rbx), %rax
	.else
	find_line_of_data .Lslow_1
	mov	FILTER_CELLS(,%rax,4), %edx
	test	%edx, %edx
	jnz	4f
	.endif
	movzbl	SITE_EVENT(%rbx), %edx
	.if \is_code
	testb	$FILTER_SITE_PAIR, SITE_FLAGS(%rbx)
	jz	1f
	or	$(MISS_WITH_BEFORE << MISS_FLAGS_SHIFT), %edx
1:
	.endif
	mov	%edx, MISS_COLUMN(%rsi)	/* aligned, for targets that check alignment */
	mov	SITE_NUMBER(%rbx), %edx
	mov	%edx, MISS_SITE(%rsi)
	mov	FILTER_MISSES(,%rdx,8), %rdx
	mov	A_NODE, %ecx
	test	%ecx, %ecx
	cmovnz	%rcx, %rdx
	mov	%rdx, MISS_EVENTS(%rsi)
	mov	%rax, MISS_LINE(%rsi)
	bring_in	\level, \is_code, 0
	mov	filter_misses+Q_NEXT(%rip), %rdx
	mov	%r8, MISS_VICTIM(%rdx)
	add	$1 << MISS_SHIFT, %rdx
	mov	%rdx, filter_misses+Q_NEXT(%rip)
	mov	%edx, A_NOTE
	find_next	\level, 0
3:	leave_miss	1
	.if !\is_code
4:	mov	%edx, %esi
	jmp	3b
	.endif
	.endm

	miss_of_multi	filter_multi_data, F_DATA, 0
	miss_of_multi	filter_multi_code, F_CODE, 1

	miss_of_walk	filter_walk_data, F_DATA, 0, 1, F_DATA_PAGES, FILTER_DATA_PAGE_USES
	miss_of_walk	filter_walk_code, F_CODE, 1, 1, F_CODE_PAGES, FILTER_CODE_PAGE_USES
	miss_of_walk	filter_walk_any_data, F_DATA, 0, 0, F_DATA_PAGES, FILTER_DATA_PAGE_USES
	miss_of_walk	filter_walk_whose_data, F_DATA, 0, 1, F_DATA_PAGES, FILTER_DATA_PAGE_USES, 0, 1
	miss_of_walk	filter_walk_whose_code, F_CODE, 1, 1, F_CODE_PAGES, FILTER_CODE_PAGE_USES, 0, 1
	miss_of_walk	filter_walk_whose_any_data, F_DATA, 0, 0, F_DATA_PAGES, FILTER_DATA_PAGE_USES, 0, 1
	miss_of_walk	filter_walk_whose_any_code, F_CODE, 1, 0, F_CODE_PAGES, FILTER_CODE_PAGE_USES, 0, 1
	miss_of_walk	filter_use_data, F_DATA, 0, 1, F_DATA_PAGES, FILTER_DATA_PAGE_USES, 1
	miss_of_walk	filter_use_any_data, F_DATA, 0, 0, F_DATA_PAGES, FILTER_DATA_PAGE_USES, 1
	miss_of_walk	filter_watch_data, F_DATA, 0, 1, F_DATA_PAGES, FILTER_DATA_PAGE_USES, 2
	miss_of_walk	filter_watch_any_data, F_DATA, 0, 0, F_DATA_PAGES, FILTER_DATA_PAGE_USES, 2
	miss_of_walk	filter_watch_code, F_CODE, 1, 1, F_CODE_PAGES, FILTER_CODE_PAGE_USES, 2
	miss_of_walk	filter_watch_any_code, F_CODE, 1, 0, F_CODE_PAGES, FILTER_CODE_PAGE_USES, 2
	miss_of_walk	filter_walk_any_code, F_CODE, 1, 0, F_CODE_PAGES, FILTER_CODE_PAGE_USES

	.subsection 3
	.globl engine_filter_miss_end
	.hidden engine_filter_miss_end
engine_filter_miss_end:
	.previous

	.section .note.GNU-stack, "", @progbits
