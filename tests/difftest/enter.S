/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Enters and leaves a snippet with every register set. No register is free in between, so all state
 * is accessed rip-relative.
 */
#include "difftest/state.h"

#define SYS_arch_prctl 158
#define ARCH_SET_FS    0x1002

	.bss
	.balign 64
	.globl	difftest_in, difftest_out, difftest_components, difftest_host_fs
	.hidden	difftest_in, difftest_out, difftest_components, difftest_host_fs
difftest_in:
	.skip	STATE_BYTES
difftest_out:
	.skip	STATE_BYTES
host_rsp:
	.skip	8
difftest_host_fs:
	.skip	8
difftest_components:
	.skip	4

	.section .rodata
	.balign 4
default_mxcsr:
	.long	0x1f80

	.text
	.globl	difftest_enter, difftest_leave
	.hidden	difftest_enter, difftest_leave
	.type	difftest_enter, @function
difftest_enter:
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, host_rsp(%rip)
	cmpq	$0, difftest_in+STATE_USE_FS(%rip)
	je	1f
	movl	$SYS_arch_prctl, %eax
	movl	$ARCH_SET_FS, %edi
	movq	difftest_in+STATE_FS_BASE(%rip), %rsi
	syscall
1:	movl	difftest_components(%rip), %eax
	xorl	%edx, %edx
	xrstor64 difftest_in+STATE_XSAVE(%rip)
	leaq	difftest_in+STATE_FLAGS(%rip), %rsp
	popfq
	movq	difftest_in+0*8(%rip), %rax
	movq	difftest_in+1*8(%rip), %rcx
	movq	difftest_in+2*8(%rip), %rdx
	movq	difftest_in+3*8(%rip), %rbx
	movq	difftest_in+5*8(%rip), %rbp
	movq	difftest_in+6*8(%rip), %rsi
	movq	difftest_in+7*8(%rip), %rdi
	movq	difftest_in+8*8(%rip), %r8
	movq	difftest_in+9*8(%rip), %r9
	movq	difftest_in+10*8(%rip), %r10
	movq	difftest_in+11*8(%rip), %r11
	movq	difftest_in+12*8(%rip), %r12
	movq	difftest_in+13*8(%rip), %r13
	movq	difftest_in+14*8(%rip), %r14
	movq	difftest_in+15*8(%rip), %r15
	movq	difftest_in+4*8(%rip), %rsp
	jmp	*difftest_in+STATE_TARGET(%rip)
	.size	difftest_enter, . - difftest_enter

	.type	difftest_leave, @function
difftest_leave:
	movq	%rax, difftest_out+0*8(%rip)
	movq	%rcx, difftest_out+1*8(%rip)
	movq	%rdx, difftest_out+2*8(%rip)
	movq	%rbx, difftest_out+3*8(%rip)
	movq	%rsp, difftest_out+4*8(%rip)
	movq	%rbp, difftest_out+5*8(%rip)
	movq	%rsi, difftest_out+6*8(%rip)
	movq	%rdi, difftest_out+7*8(%rip)
	movq	%r8, difftest_out+8*8(%rip)
	movq	%r9, difftest_out+9*8(%rip)
	movq	%r10, difftest_out+10*8(%rip)
	movq	%r11, difftest_out+11*8(%rip)
	movq	%r12, difftest_out+12*8(%rip)
	movq	%r13, difftest_out+13*8(%rip)
	movq	%r14, difftest_out+14*8(%rip)
	movq	%r15, difftest_out+15*8(%rip)
	leaq	difftest_out+STATE_FLAGS+8(%rip), %rsp
	pushfq
	movl	difftest_components(%rip), %eax
	xorl	%edx, %edx
	xsave64	difftest_out+STATE_XSAVE(%rip)
	/* An exception left pending must not hit the harness. */
	fninit
	ldmxcsr	default_mxcsr(%rip)
	testl	$4, difftest_components(%rip)
	jz	1f
	vzeroupper
1:	movq	host_rsp(%rip), %rsp
	pushq	$0x202
	popfq
	cmpq	$0, difftest_in+STATE_USE_FS(%rip)
	je	2f
	movl	$SYS_arch_prctl, %eax
	movl	$ARCH_SET_FS, %edi
	movq	difftest_host_fs(%rip), %rsi
	syscall
2:	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	ret
	.size	difftest_leave, . - difftest_leave

	.section .note.GNU-stack,"",@progbits
