/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Crossings between the code cache and the engine, the interruptible system call, and copies that
 * may fault. Nothing here uses the target's stack, or a vector register other than the counter
 * register (ymm31; xmm15; or xmm13 to xmm15).
 */
#include "engine/core/layout.h"
#include "engine/core/upward.h"

	.text

/*
 * Loads the target's zmm31. Moving 512 bits at every crossing would keep the processor at its
 * slower AVX-512 clock. So a value of 0 is recognised: mostly the target has only saved and
 * restored all its state, as ld.so does when it looks up a function. Changes rax and flags.
 */
	.macro load_31
	vpxord	%xmm31, %xmm31, %xmm31
	cmpl	$0, %gs:T_USED31
	je	11f
	mov	%gs:T_APP31, %rax
	.irp	at, 8, 16, 24, 32, 40, 48, 56
	or	%gs:T_APP31+\at, %rax
	.endr
	jnz	12f
	movl	$0, %gs:T_USED31
	jmp	11f
12:	vmovdqu64 %gs:T_APP31, %zmm31
11:
	.endm

/*
 * Moves the counts to memory, and the target's value to the counter register. Changes rax and
 * flags.
 */
	.macro leave_counters
	cmpb	$COUNTER_YMM31, engine_vector_counter(%rip)
	jb	24f
	ja	21f
	vmovdqa64 %ymm31, %gs:T_COUNTERS
	load_31
	jmp	22f
24:	movdqa	%xmm15, %gs:T_COUNTERS
	movdqa	%xmm14, %gs:T_COUNTERS+16
	movdqa	%gs:T_APP31, %xmm15
	movdqa	%gs:T_APP31+16, %xmm14
	movdqa	%gs:T_APP31+32, %xmm13
	jmp	22f
21:	vmovdqa	%xmm15, %gs:T_COUNTERS
	mov	%gs:T_APP31+16, %rax
	or	%gs:T_APP31+24, %rax
	jnz	23f
	vmovdqa	%gs:T_APP31, %xmm15	/* unused upper halves stay unused */
	jmp	22f
23:	vmovdqa	%gs:T_APP31, %ymm15
22:
	.endm

/* Cache -> engine. All target state is live; T_EXIT says why. */
	.globl engine_exit
	.hidden engine_exit
engine_exit:
	mov	%rax, %gs:T_REGS+0
	mov	%rcx, %gs:T_REGS+8
	mov	%rdx, %gs:T_REGS+16
	mov	%rbx, %gs:T_REGS+24
	mov	%rsp, %gs:T_REGS+32
	mov	%rbp, %gs:T_REGS+40
	mov	%rsi, %gs:T_REGS+48
	mov	%rdi, %gs:T_REGS+56
	mov	%r8, %gs:T_REGS+64
	mov	%r9, %gs:T_REGS+72
	mov	%r10, %gs:T_REGS+80
	mov	%r11, %gs:T_REGS+88
	mov	%r12, %gs:T_REGS+96
	mov	%r13, %gs:T_REGS+104
	mov	%r14, %gs:T_REGS+112
	mov	%r15, %gs:T_REGS+120
	mov	%gs:T_ENGINE_SP, %rsp
	pushfq
	popq	%gs:T_RFLAGS
	cld
	testl	$0x40000, %gs:T_RFLAGS	/* the engine makes unaligned accesses */
	jz	3f
	pushq	$0x202
	popfq
3:
	leave_counters
	mov	%gs:T_SELF, %rdi
	call	*upward+UPWARD_DISPATCH(%rip)
	/* falls through */

/* Engine -> cache: load the target's state and go to T_NEXT. */
engine_enter:
	movl	$1, %gs:T_IN_CACHE
	mfence
	cmpq	$0, engine_hold(%rip)
	jne	engine_reenter
	cmpl	$0, %gs:T_CALLED
	jne	engine_reenter
	cmpb	$COUNTER_YMM31, engine_vector_counter(%rip)
	jb	4f
	ja	3f
	cmpl	$0, %gs:T_USED31
	je	2f
	vmovdqu64 %zmm31, %gs:T_APP31
2:	vmovdqa64 %gs:T_COUNTERS, %ymm31
	jmp	1f
4:	movdqa	%xmm15, %gs:T_APP31
	movdqa	%xmm14, %gs:T_APP31+16
	movdqa	%xmm13, %gs:T_APP31+32
	movdqa	%gs:T_COUNTERS, %xmm15
	movdqa	%gs:T_COUNTERS+16, %xmm14
	jmp	1f
3:	vmovdqa	%ymm15, %gs:T_APP31
	vmovdqa	%gs:T_COUNTERS, %xmm15
1:	mov	%gs:T_ENGINE_SP, %rsp
	pushq	%gs:T_RFLAGS
	popfq
	mov	%gs:T_REGS+0, %rax
	mov	%gs:T_REGS+8, %rcx
	mov	%gs:T_REGS+16, %rdx
	mov	%gs:T_REGS+24, %rbx
	mov	%gs:T_REGS+40, %rbp
	mov	%gs:T_REGS+48, %rsi
	mov	%gs:T_REGS+56, %rdi
	mov	%gs:T_REGS+64, %r8
	mov	%gs:T_REGS+72, %r9
	mov	%gs:T_REGS+80, %r10
	mov	%gs:T_REGS+88, %r11
	mov	%gs:T_REGS+96, %r12
	mov	%gs:T_REGS+104, %r13
	mov	%gs:T_REGS+112, %r14
	mov	%gs:T_REGS+120, %r15
	mov	%gs:T_REGS+32, %rsp
	jmp	*%gs:T_NEXT

/* The world is held, or this thread was called: back to the dispatcher. */
engine_reenter:
	movl	$0, %gs:T_IN_CACHE
	mov	%gs:T_ENGINE_SP, %rsp
	mov	%gs:T_SELF, %rdi
	call	*upward+UPWARD_WAIT_AND_DISPATCH(%rip)
	jmp	engine_enter

/* First entry of a thread, and entry after a fault: rdi = thread. */
	.globl engine_resume
	.hidden engine_resume
engine_resume:
	mov	%gs:T_ENGINE_SP, %rsp
	mov	%gs:T_SELF, %rdi
	movl	$0, %gs:T_IN_CACHE
	cld
	call	*upward+UPWARD_WAIT_AND_DISPATCH(%rip)
	jmp	engine_enter

/* After a fault inside the cache where the counter register is live. */
	.globl engine_fault_resume
	.hidden engine_fault_resume
engine_fault_resume:
	leave_counters
	jmp	engine_resume

/*
 * An indirect branch reached another block's entry, with r11 = -pc of that block and rcx = wanted -
 * pc. Recovers the wanted pc without changing flags.
 */
	.globl engine_ib_mismatch
	.hidden engine_ib_mismatch
engine_ib_mismatch:
	not	%r11
	lea	1(%rcx,%r11), %rcx
	/* falls through: rcx = wanted pc */
	.globl engine_ib_miss
	.hidden engine_ib_miss
engine_ib_miss:
	mov	%rcx, %gs:T_RIP
	mov	%gs:T_SPILL0, %rcx
	mov	%gs:T_SPILL1, %r11
	movl	$1, %gs:T_EXIT		/* EXIT_INDIRECT */
	jmp	engine_exit

/*
 * The same for returns, which have pushed an address in the cache; unless the stack cannot be
 * written, see return_on in fault.c.
 */
	.globl engine_return_mismatch
	.hidden engine_return_mismatch
engine_return_mismatch:
	not	%r11
	lea	1(%rcx,%r11), %rcx
	jmp	1f
	.globl engine_return_miss
	.hidden engine_return_miss
engine_return_miss:
	mov	%rcx, -8(%rsp)
1:	mov	%rcx, %gs:T_RIP
	mov	%gs:T_SPILL0, %rcx
	mov	%gs:T_SPILL1, %r11
	movl	$4, %gs:T_EXIT		/* EXIT_RETURN */
	jmp	engine_exit

/*
 * A hooked place: called by a block on the engine's stack, with T_HOOK_SP = the target's rsp and
 * the number of the hook pushed. The pushes here make a struct hook_frame (hooks.h). All that the
 * target may rely on is kept: general registers and flags; C uses no vector registers.
 */
#define TROUBLE_FLAGS 0x40500	/* alignment check, direction, trap: not for C code */
	.globl engine_hook
	.hidden engine_hook
engine_hook:
	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	pushfq
	testl	$TROUBLE_FLAGS, (%rsp)
	jnz	3f
1:	cmpb	$COUNTER_YMM31, engine_vector_counter(%rip)
	jb	9f
	ja	7f
	vmovdqa64 %ymm31, %gs:T_COUNTERS
	jmp	2f
9:	movdqa	%xmm14, %gs:T_COUNTERS+16
	movdqa	%xmm15, %gs:T_COUNTERS
	jmp	2f
7:	vmovdqa	%xmm15, %gs:T_COUNTERS
2:	mov	%gs:T_SELF, %rdi
	mov	%rsp, %rsi
	mov	%rbp, %rdx
	call	*upward+UPWARD_HOOK(%rip)
	cmpb	$COUNTER_YMM31, engine_vector_counter(%rip)
	jb	9f
	ja	8f
	vmovdqa64 %gs:T_COUNTERS, %ymm31	/* the buffer may have been emptied */
	jmp	6f
9:	movdqa	%gs:T_COUNTERS+16, %xmm14
	movdqa	%gs:T_COUNTERS, %xmm15
	jmp	6f
8:	vmovdqa	%gs:T_COUNTERS, %xmm15
6:
	testl	$TROUBLE_FLAGS, (%rsp)
	jnz	4f
	/* popfq takes 20 cycles and more, so status flags are restored otherwise */
	movzbl	1(%rsp), %eax
	shr	$3, %eax
	and	$1, %eax		/* overflow */
	movb	(%rsp), %ah		/* the other five */
	add	$0x7f, %al
	sahf
	lea	8(%rsp), %rsp
5:	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	ret
3:	pushq	$0x202
	popfq
	jmp	1b
4:	popfq
	jmp	5b

	.globl engine_glue_end
	.hidden engine_glue_end
engine_glue_end:

/*
 * long engine_syscall(struct thread *t, long nr, const long args[6])
 *
 * A system call of the target that a signal may interrupt. If a signal arrives just before it, the
 * call must not wait: the signal handler moves a thread between _begin and _insn (inclusive) to
 * _abort. The result is then -ERESTART (-85): deliver the signal, then repeat the call.
 *
 * During the call all registers except those of arguments are the target's, as tracers expect: a
 * leak checker takes pointers from them, and the stack from rsp.
 */
	.globl engine_syscall
	.globl engine_syscall_begin
	.globl engine_syscall_insn
	.globl engine_syscall_abort
	.hidden engine_syscall
	.hidden engine_syscall_begin
	.hidden engine_syscall_insn
	.hidden engine_syscall_abort
engine_syscall:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rsp, %gs:T_CALLER_SP
	mov	%rsi, %rax
	mov	%rdx, %rbx
	mov	0(%rbx), %rdi
	mov	8(%rbx), %rsi
	mov	16(%rbx), %rdx
	mov	24(%rbx), %r10
	mov	32(%rbx), %r8
	mov	40(%rbx), %r9
	mov	%gs:T_REGS+3*8, %rbx
	mov	%gs:T_REGS+4*8, %rsp
	mov	%gs:T_REGS+5*8, %rbp
	mov	%gs:T_REGS+12*8, %r12
	mov	%gs:T_REGS+13*8, %r13
	mov	%gs:T_REGS+14*8, %r14
	mov	%gs:T_REGS+15*8, %r15
engine_syscall_begin:
	cmpl	$0, %gs:T_PENDING
	jne	engine_syscall_abort
engine_syscall_insn:
	syscall
1:	mov	%gs:T_CALLER_SP, %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
engine_syscall_abort:
	mov	$-85, %rax
	jmp	1b

/*
 * long engine_let_in(long nr, long a, long b, long c, long d)
 *
 * A system call that may let signals in: they find the thread at _end, where no instruction faults.
 * Handlers may call it.
 */
	.globl engine_let_in
	.globl engine_let_in_end
	.hidden engine_let_in
	.hidden engine_let_in_end
engine_let_in:
	mov	%rdi, %rax
	mov	%rsi, %rdi
	mov	%rdx, %rsi
	mov	%rcx, %rdx
	mov	%r8, %r10
	syscall
engine_let_in_end:
	ret

/*
 * long engine_copy_own(void *to, const void *from, size_t n)
 *
 * engine_copy for engine memory that is not writable at times. Its faults take no lock, so the
 * caller may hold any.
 */
	.globl engine_copy_own
	.hidden engine_copy_own
engine_copy_own:
	mov	%rdx, %rcx
	rep movsb
	xor	%eax, %eax
	ret
/*
 * long engine_copy(void *to, const void *from, size_t n)
 *
 * A copy from or to memory that may be unmapped. Returns 0, or -1 (the fault handler continues at
 * engine_copy_failed).
 */
	.globl engine_copy
	.globl engine_copy_end
	.globl engine_copy_failed
	.hidden engine_copy
	.hidden engine_copy_end
	.hidden engine_copy_failed
engine_copy:
	mov	%rdx, %rcx
	rep movsb
	xor	%eax, %eax
	ret
/* long engine_peek(uint64_t *to, const void *from): the same for 8 bytes. */
	.globl engine_peek
	.hidden engine_peek
engine_peek:
	mov	(%rsi), %rax
	mov	%rax, (%rdi)
	xor	%eax, %eax
	ret
/* long engine_touch(uint8_t *at): faults like a write of the target, but changes nothing. */
	.globl engine_touch
	.hidden engine_touch
engine_touch:
	lock orb $0, (%rdi)
	xor	%eax, %eax
	ret
/*
 * long engine_same(const uint64_t (*reads)[2], uint64_t n)
 *
 * Returns 0 if the word at each address reads[i][0] is reads[i][1]; anything else if not, or if it
 * cannot be read. n > 0.
 */
	.globl engine_same
	.hidden engine_same
engine_same:
	shl	$4, %rsi
	add	%rdi, %rsi
1:	mov	(%rdi), %rax
	mov	(%rax), %rax
	sub	8(%rdi), %rax
	jnz	2f
	add	$16, %rdi
	cmp	%rsi, %rdi
	jne	1b
2:	ret
engine_copy_end:
engine_copy_failed:
	mov	$-1, %rax
	ret

/*
 * long engine_xsave(void *area, uint64_t mask), long engine_xrstor(const void *area, uint64_t mask)
 *
 * Save the vector state to, or load it from, an area that may be unmapped. Return 0, or -1.
 */
	.globl engine_xsave
	.globl engine_xrstor
	.globl engine_xstate_end
	.hidden engine_xsave
	.hidden engine_xrstor
	.hidden engine_xstate_end
engine_xsave:
	mov	%rsi, %rax
	mov	%rsi, %rdx
	shr	$32, %rdx
	xsave64	(%rdi)
	xor	%eax, %eax
	ret
engine_xrstor:
	mov	%rsi, %rax
	mov	%rsi, %rdx
	shr	$32, %rdx
	xrstor64 (%rdi)
	xor	%eax, %eax
	ret
/* long engine_fxrstor(const void *area): the same for an area that fxsave has written. */
	.globl	engine_fxrstor
	.hidden	engine_fxrstor
engine_fxrstor:
	fxrstor64 (%rdi)
	xor	%eax, %eax
	ret
engine_xstate_end:

/* int engine_guarded(int (*fn)(void *), void *arg): fn's result, or -EFAULT (-14) if it faulted. */
	.globl engine_guarded
	.globl engine_guarded_failed
	.hidden engine_guarded
	.hidden engine_guarded_failed
engine_guarded:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	sub	$8, %rsp
	mov	%gs:T_SYSCALL_SP, %rbx
	mov	%rsp, %gs:T_SYSCALL_SP
	mov	%rdi, %rax
	mov	%rsi, %rdi
	call	*%rax
1:	mov	%rbx, %gs:T_SYSCALL_SP
	add	$8, %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
engine_guarded_failed:
	mov	%gs:T_SYSCALL_SP, %rsp
	xor	%ebx, %ebx
	mov	$-14, %eax
	jmp	1b

/* The kernel returns from the engine's handlers through this. */
	.globl engine_restorer
	.hidden engine_restorer
engine_restorer:
	mov	$15, %eax
	syscall

/* void engine_leave_thread(struct thread *t): mark it reusable and exit without a stack. */
	.globl engine_leave_thread
	.hidden engine_leave_thread
engine_leave_thread:
	mov	%rsi, %r8
	movl	$0, T_HELD(%rdi)
	mov	%r8, %rdi
	mov	$60, %eax
	syscall
	ud2

/*
 * long engine_clone(long nr, const long a[5], struct thread *child)
 *
 * Raw clone or clone3. The child switches to its own engine stack before it uses any, so it may
 * share the parent's memory.
 */
	.globl engine_clone
	.hidden engine_clone
engine_clone:
	push	%rbx
	mov	%rdi, %rax
	mov	%rdx, %rbx
	mov	%rsi, %rcx
	mov	0(%rcx), %rdi
	mov	8(%rcx), %rsi
	mov	16(%rcx), %rdx
	mov	24(%rcx), %r10
	mov	32(%rcx), %r8
	syscall
	test	%rax, %rax
	jz	1f
	pop	%rbx
	ret
1:	mov	T_ENGINE_SP(%rbx), %rsp
	mov	%rbx, %rdi
	xor	%ebp, %ebp
	call	*upward+UPWARD_THREAD_START(%rip)
	jmp	engine_resume

/* void engine_run_on(void *stack, void (*fn)(void *), void *arg): change stacks for good. */
	.globl engine_run_on
	.hidden engine_run_on
engine_run_on:
	mov	%rdi, %rsp
	mov	%rdx, %rdi
	xor	%ebp, %ebp
	call	*%rsi
	jmp	engine_resume

	.section .note.GNU-stack, "", @progbits
