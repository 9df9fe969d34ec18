/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Offsets into struct thread that emitted code and assembly use, all relative
 * to %gs. state.h asserts that they match the C declaration.
 */
#ifndef DWELL_ENGINE_CORE_LAYOUT_H
#define DWELL_ENGINE_CORE_LAYOUT_H

#define T_SPILL0    0	/* rcx of an indirect branch; at 0: gs:[rcx] reaches it if rcx is 0 */
#define T_SPILL1    8	/* r11 of an indirect branch */
#define T_REGS	    16	/* 16 x 8: rax rcx rdx rbx rsp rbp rsi rdi r8..r15 */
#define T_RIP	    144 /* target's next pc */
#define T_RFLAGS    152 /* target's flags */
#define T_SELF	    160 /* address of the struct thread */
#define T_ENGINE_SP 168 /* top of the engine's stack for this thread */
#define T_NEXT	    176 /* cache address that engine_enter jumps to */
#define T_EXIT	    184 /* u32: why the cache was left */
#define T_PENDING   188 /* u32: a signal is pending delivery */
#define T_CALLED    192 /* u32: the thread was called to the dispatcher */
/* u32: the target's contents of zmm29 and zmm30, since it last wrote to them: VECTORS_* */
#define T_HIGH_VECTORS 196
#define T_HOOK_SP      208 /* target's rsp while a hook runs */
#define T_BUF	       216 /* stream: next free entry */
#define T_COUNTERS     224 /* 4 x u64, 32-byte aligned: accesses loads stores instructions */
/* target's counter register: zmm31, 64 bytes; ymm15, 32; or xmm15, 14 and 13 */
#define T_APP31	       256
#define T_SPILL2       320 /* scratch A of an instruction or stream segment */
#define T_SPILL3       328 /* scratch B */
#define T_SPILL4       336 /* rax kept while flags are saved */
#define T_REP_RCX      344 /* string instruction: rcx, rsi, rdi before */
#define T_REP_RSI      352
#define T_REP_RDI      360
#define T_SYSCALL_SP   368 /* engine stack pointer inside engine_syscall */
#define T_IN_CACHE     376 /* u32: 1 while the thread may run cache code */
#define T_HELD	       380 /* u32: released for reuse when 0 */
#define T_USED31       384 /* u32: the target may use zmm31, or has named ymm15 or such */
#define T_SPECIAL      388 /* u32: a segment with special entries was streamed */
#define T_MISS_ADDRESS 392 /* filter: address of the access that missed */
#define T_MISS_BACK    400 /* filter: code to return to after the miss */
#define T_MISS_SITE    408 /* filter: site of the access, see filter_sites.h */

#define T_TURN 440 /* filter: blocks left in the turn, see filter_scheduler.h */

#define T_QUICK_REPS 416 /* 3 x u64: iterations of short movs, stos, lods, see emit_rep */

#define T_FS_BASE   448 /* the target's %fs base, if there is no FSGSBASE, see fsbase.h */
#define T_CALLER_SP 456 /* engine stack pointer, while engine_syscall runs with the target's rsp */

#define T_TALLIES 4096 /* the table of tallies, see poll.h */

/* The counter register: engine_vector_counter. */
#define COUNTER_SSE   0 /* xmm15, by instructions that leave upper halves as they are */
#define COUNTER_YMM31 1 /* with AVX-512 */
#define COUNTER_XMM15 2 /* with AVX alone, unless it simulates */

#define VECTORS_UNKNOWN 0
#define VECTORS_ZERO	1
#define VECTORS_USED	2

#define WATCH_SLOTS	 32768	    /* in the filter of watched lines, see watches.h */
#define STREAM_PLAIN_BIT 0x20000000 /* of trailers in the stream, see scan.h */

#endif
