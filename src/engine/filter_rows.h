/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What filter_miss.S and filter_below.S share: which line of a set is the oldest, and what is written down of a miss. */
#ifndef DWELL_ENGINE_FILTER_ROWS_H
#define DWELL_ENGINE_FILTER_ROWS_H

#include "engine/filter.h"
#include "engine/filter_sites.h"

/* A miss that is written down. */
#define NOTE_LINE   0
#define NOTE_SITE   8	/* its number and, behind that, what SITE_REG and the following are */
#define NOTE_FLAGS  (NOTE_SITE + SITE_FLAGS - SITE_NUMBER)
#define NOTE_EVENT  (NOTE_SITE + SITE_EVENT - SITE_NUMBER)
#define NOTE_RECORD 16	/* what comes behind the call graph's record of events; or 0 */
#define NOTE_BYTES  24
#define NOTES	    256	/* 6 KB */

/* Of filter_state. */
#define STATE(at) filter_state + (at)(%rip)

/* The least of the numbers of zmm16 to rdx. Changes zmm17. */
	.macro reduce
	vextracti64x4	$1, %zmm16, %ymm17
	vpminuq	%ymm17, %ymm16, %ymm16
	vextracti32x4	$1, %ymm16, %xmm17
	vpminuq	%xmm17, %xmm16, %xmm16
	vpshufd	$0x4e, %xmm16, %xmm17
	vpminuq	%xmm17, %xmm16, %xmm16
	vmovq	%xmm16, %rdx
	.endm

/* The place that the least of the numbers of zmm16 says in its low bits, of the row at r8: r8, the stamp above these rdx, the cell rdi. The vectors come back. */
	.macro reduce_to_place bits
	reduce
	vmovdqu64	filter_saved(%rip), %zmm16
	vmovdqu64	filter_saved+64(%rip), %zmm17
	mov	%edx, %edi
	and	$(1 << \bits) - 1, %edi
	shr	$\bits, %rdx
	lea	(%r8,%rdi,8), %r8
	mov	FILTER_TO_OWNERS(%r8), %rdi
	test	%rdi, %rdi
	cmovz	FILTER_NOBODY, %rdi
	.endm

/*
 * The place with the least stamp in the row at r8, but for place rdx / 8 (as many as a row has: all may be it): r8, its stamp rdx, the cell of
 * the line there rdi. Each stamp is moved up and given the number of its place below, so that the least says
 * both; that of the place that is not meant is made the greatest.
 */
	.macro least_of_8
	vmovdqu64	%zmm16, filter_saved(%rip)
	vmovdqu64	%zmm17, filter_saved+64(%rip)
	vpsllq	$3, (%r8), %zmm16
	vporq	FILTER_ORDER_8(,%rdx,8), %zmm16, %zmm16
	reduce_to_place 3
	.endm

	.macro least_of_16
	vmovdqu64	%zmm16, filter_saved(%rip)
	vmovdqu64	%zmm17, filter_saved+64(%rip)
	shl	$4, %edx
	vpsllq	$4, (%r8), %zmm16
	vporq	FILTER_ORDER_16(%rdx), %zmm16, %zmm16
	vpsllq	$4, 64(%r8), %zmm17
	vporq	FILTER_ORDER_16+64(%rdx), %zmm17, %zmm17
	vpminuq	%zmm17, %zmm16, %zmm16
	reduce_to_place 4
	.endm

/* The same in the row that the place rsi of the level is in: `but` that place, or of all. */
	.macro find_least level, is_quick, but
	mov	%rsi, %r8
	.if !\is_quick
	cmpl	$6, STATE(\level + L_SHIFT)
	jne	51f
	.endif
	.if \but
	mov	%esi, %edx
	and	$56, %edx
	.else
	mov	$64, %edx
	.endif
	and	$-64, %r8
	least_of_8
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
	least_of_16
52:
	.endif
	.endm

#endif
