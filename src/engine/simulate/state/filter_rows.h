/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by filter_miss.S and filter_below.S: registers that are saved at misses; the search for a
 * set's oldest line.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_ROWS_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_ROWS_H

#include "engine/core/layout.h"
#include "engine/simulate/state/filter.h"
#include "engine/simulate/state/filter_sites.h"
#include "engine/simulate/state/notes.h"
#include "sim/cache/entry.h"

/* clang-format off */

#define TROUBLE_FLAGS 0x40500	/* alignment check, direction, trap: not for C code */

/* Registers saved at each miss, besides rbx. FILTER_OTHERS are the rest. */
	.macro each_of_miss what
	\what	rax, 0
	\what	rcx, 1
	\what	rdx, 2
	\what	rsi, 6
	\what	rdi, 7
	\what	r8, 8
	.endm

	.macro each_other what
	\what	r10, 10
	\what	r11, 11
	\what	rbp, 5
	\what	r12, 12
	\what	r13, 13
	\what	r14, 14
	\what	r15, 15
	.endm

	.macro save name, number
	mov	%\name, %gs:T_REGS + 8 * \number
	.endm

	.macro restore name, number
	mov	%gs:T_REGS + 8 * \number, %\name
	.endm

	.macro save_flags
	save	r9, 9
	lahf
	seto	%al
	mov	%eax, %r9d
	.endm

	.macro restore_flags
	mov	%r9d, %eax
	add	$0x7f, %al
	sahf
	restore	r9, 9
	.endm

/*
 * A branch, `bytes` long with the instruction fused to it, must not cross or touch a 32-byte
 * boundary: Intel's processors do not cache its decoded form then (jump conditional code erratum).
 */
	.macro keep_together bytes
	.balign	32, , \bytes
	.endm

/*
 * Ends a miss: the place rsi goes to the register of the site. The flags are in r9 if they are
 * kept.
 */
	.macro leave_miss keeps_flags
	movslq	SITE_BACK(%rbx), %rax
	movzbl	SITE_REG(%rbx), %ecx
	add	%rbx, %rax
	mov	%rsi, %gs:T_REGS(,%rcx,8)
	mov	%rax, %gs:T_MISS_BACK
	testb	$FILTER_SITE_OTHER, SITE_FLAGS(%rbx)
	keep_together 6
	jnz	46f
47:
	.if \keeps_flags
	restore_flags
	.endif
	each_of_miss restore
	restore	rbx, 3
	keep_together 8
	jmp	*%gs:T_MISS_BACK
	.subsection 1
46:	give	r9, 9
	each_other give
	jmp	47b
	.previous
	.endm

/* A register that was not saved. */
	.macro give name, number
	cmp	$\number, %ecx
	cmove	%rsi, %\name
	.endm

/* Notes the evicted line, whose cell the register has, in a field of the last note. Changes rdx. */
	.macro note_victim cell, field
	mov	filter_next_note(%rip), %rdx
	mov	%\cell, \field-NOTE_DATA_BYTES(%rdx)
	.endm

#define STATE(at) filter_state + (at)(%rip)

/*
 * ymm29: lane-wise minimum of the registers of the row at r8. Each stamp is shifted left, and its
 * low bits get the number of its place, so that the least says both. Place rdx / 8 becomes the
 * greatest (if it is the number of places: none does). Only 256 bits are used: for some hundred
 * microseconds after 512-bit code the processor's clock may be slower by a tenth. Changes ymm30.
 */
	.macro row_of_8
	vpsllq	$3, (%r8), %ymm29
	vporq	FILTER_ORDER_8(,%rdx,8), %ymm29, %ymm29
	vpsllq	$3, 32(%r8), %ymm30
	vporq	FILTER_ORDER_8+32(,%rdx,8), %ymm30, %ymm30
	vpminuq	%ymm30, %ymm29, %ymm29
	.endm

	.macro row_of_16
	shl	$4, %edx
	vpsllq	$4, (%r8), %ymm29
	vporq	FILTER_ORDER_16(%rdx), %ymm29, %ymm29
	.irp	at, 32, 64, 96
	vpsllq	$4, \at(%r8), %ymm30
	vporq	FILTER_ORDER_16+\at(%rdx), %ymm30, %ymm30
	vpminuq	%ymm30, %ymm29, %ymm29
	.endr
	.endm

/* rdx: the least of the row. */
	.macro least_of_row places
	row_of_\places
	vextracti32x4	$1, %ymm29, %xmm30
	vpminuq	%xmm30, %xmm29, %xmm29
	vpshufd	$0x4e, %xmm29, %xmm30
	vpminuq	%xmm30, %xmm29, %xmm29
	vmovq	%xmm29, %rdx
	.endm

/*
 * The same without AVX-512; changes rdi. A place that does not count has the greatest stamp: code
 * that takes it writes its stamp next.
 */
	.macro least_with place, bits
	mov	8 * \place(%r8), %rdi
	.if \bits == 3
	lea	\place(,%rdi,8), %rdi
	.else
	shl	$\bits, %rdi
	add	$\place, %rdi
	.endif
	cmp	%rdx, %rdi
	cmovb	%rdi, %rdx
	.endm

	.macro least_one_by_one places, bits
	mov	(%r8), %rdx
	shl	$\bits, %rdx
	.irp	place, 1, 2, 3, 4, 5, 6, 7
	least_with	\place, \bits
	.endr
	.if \places == 16
	.irp	place, 8, 9, 10, 11, 12, 13, 14, 15
	least_with	\place, \bits
	.endr
	.endif
	.endm

/* rdi: the OR of the 128 bytes at filter_saved. */
	.macro sum_up_saved
	mov	filter_saved(%rip), %rdi
	.irp	at, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120
	or	filter_saved+\at(%rip), %rdi
	.endr
	.endm

/*
 * r8: the place with the least stamp in the row at r8, except place rdx / 8, which is at rsi if
 * there is one (`but`); rdx: its stamp; rdi: the cell of its line. Registers 29 and 30 are the
 * target's: few programs use them; if one does they are saved, with 512 bits.
 */
	.macro least_place places, bits, but, is_entry
	cmpl	$VECTORS_ZERO, %gs:T_HIGH_VECTORS
	keep_together 6
	jne	57f
	least_of_row \places
	vpxord	%xmm29, %xmm29, %xmm29
	vpxord	%xmm30, %xmm30, %xmm30
58:	mov	%edx, %edi
	and	$(1 << \bits) - 1, %edi
	shr	$\bits, %rdx
	lea	(%r8,%rdi,8), %r8
	mov	FILTER_TO_OWNERS(%r8), %rdi
	.if \is_entry
	shr	$SIM_ENTRY_FLAG_BITS, %rdi
	.else
	test	%rdi, %rdi
	cmovz	FILTER_NOBODY, %rdi
	.endif
	.pushsection .text, 2 /* the macro may be used in subsection 1 */
57:	cmpb	$COUNTER_YMM31, engine_vector_counter(%rip)
	jne	59f
	vmovdqu64	%zmm29, filter_saved(%rip)
	vmovdqu64	%zmm30, filter_saved+64(%rip)
	least_of_row \places
	vmovdqu64	filter_saved(%rip), %zmm29
	vmovdqu64	filter_saved+64(%rip), %zmm30
	cmpl	$VECTORS_USED, %gs:T_HIGH_VECTORS
	je	58b
	sum_up_saved
	cmp	$1, %rdi
	mov	$VECTORS_USED, %edi
	sbb	$VECTORS_USED - VECTORS_ZERO - 1, %edi
	mov	%edi, %gs:T_HIGH_VECTORS
	jmp	58b
59:
	.if \but
	movq	$-1, (%rsi)
	.endif
	least_one_by_one \places, \bits
	jmp	58b
	.popsection
	.endm

/*
 * The same in the row of place rsi of the level; `but`: 1 except that place, 0 in the whole row.
 * is_entry: owners are entries (filter_walk.h).
 */
	.macro find_least level, is_quick, but, is_entry=0
	mov	%rsi, %r8
	.if !\is_quick
	cmpl	$8, STATE(\level + L_PLACES)
	jne	51f
	.endif
	.if \but
	mov	%esi, %edx
	and	$56, %edx
	.else
	mov	$64, %edx
	.endif
	and	$-64, %r8
	least_place 8, 3, \but, \is_entry
	.if !\is_quick
	jmp	52f
51:
	.if \but
	mov	%esi, %edx
	and	$120, %edx
	.else
	mov	$128, %edx
	.endif
	and	$-128, %r8
	least_place 16, 4, \but, \is_entry
52:
	.endif
	.endm

#endif
