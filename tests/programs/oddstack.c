/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stack pointers that are not multiples of eight, made in every possible way. Pushed values must
 * come back, flags must stay, and words cross cache lines.
 */
#include "check.h"

/*
 * Each moves the stack by `by` or something like it, pushes and pops, and returns the sum of a, b
 * and c.
 */
typedef uint64_t odd(uint64_t a, uint64_t b, uint64_t c, uint64_t by);
odd odd_by_sub, odd_by_mov, odd_by_return, odd_by_leave, odd_by_push, odd_flags;

asm(".text\n"
    ".globl odd_by_sub, odd_by_mov, odd_by_return, odd_by_leave, odd_by_push, odd_flags\n"
    /* far apart, so that each is looked at by itself */
    ".macro push_three\n\tpush %rdi\n\tlea -200(%rsp), %rsp\n\tpush %rsi\n\tlea -200(%rsp), %rsp\n"
    "\tpush %rdx\n.endm\n"
    ".macro sum_three\n\tpop %rax\n\tlea 200(%rsp), %rsp\n\tpop %rcx\n\tadd %rcx, %rax\n"
    "\tlea 200(%rsp), %rsp\n\tpop %rcx\n\tadd %rcx, %rax\n.endm\n"
    "odd_by_sub: push %rbp\n\tmov %rsp, %rbp\n\tsub %rcx, %rsp\n\tpush_three\n\tsum_three\n"
    "\tmov %rbp, %rsp\n\tpop %rbp\n\tret\n"
    "odd_by_mov: push %rbp\n\tmov %rsp, %rbp\n\tlea -300(%rsp,%rcx), %r8\n\tmov %r8, "
    "%rsp\n\tpush_three\n"
    "\tcall 1f\n\tsum_three\n\tmov %rbp, %rsp\n\tpop %rbp\n\tret\n1:\tpush %rbx\n\tpop "
    "%rbx\n\tret\n"
    /* the called one drops four bytes more than were pushed for it */
    "odd_by_return: push %rbp\n\tmov %rsp, %rbp\n\tsub $24, %rsp\n\tcall "
    "1f\n\tpush_three\n\tsum_three\n"
    "\tmov %rbp, %rsp\n\tpop %rbp\n\tret\n1:\tret $4\n"
    "odd_by_leave: push %rbp\n\tmov %rsp, %rbp\n\tlea -64(%rsp), %r9\n\tsub %rcx, %r9\n\tmov %r9, "
    "%r10\n"
    "\tmov %rbp, (%r9)\n\tmov %r9, %rbp\n\tleave\n\tpush_three\n\tsum_three\n\tmov %rbp, "
    "%rsp\n\tpop %rbp\n\tret\n"
    "odd_by_push: push %rbp\n\tmov %rsp, %rbp\n\tpushw %cx\n\tpush_three\n\tsum_three\n\tmov %rbp, "
    "%rsp\n"
    "\tpop %rbp\n\tret\n"
    /* the carry lives from in front of the move to behind the last pop */
    "odd_flags: push %rbp\n\tmov %rsp, %rbp\n\tneg %rcx\n\tlea -64(%rsp,%rcx), "
    "%rsp\n\tpush_three\n\tpop %rax\n"
    "\tlea 200(%rsp), %rsp\n\tpop %rcx\n\tlea (%rax,%rcx), %rax\n\tlea 200(%rsp), %rsp\n\tpop "
    "%rcx\n\tsbb $-1, %rax\n\tadd %rcx, %rax\n\tmov %rbp, %rsp\n"
    "\tpop %rbp\n\tret\n");

int main(int argc, char **argv)
{
	odd *const ways[] = {odd_by_sub,   odd_by_mov,	odd_by_return,
			     odd_by_leave, odd_by_push, odd_flags};
	uint64_t only = argc > 1 ? strtoull(argv[1], NULL, 10) : UINT64_MAX;

	for (uint64_t way = 0; way < sizeof ways / sizeof *ways; way++)
		for (uint64_t by = 0; by < 200 && (only == UINT64_MAX || only == way); by++) {
			uint64_t got = ways[way](by, 1000, 1000000, by);
			/* Nothing is borrowed from 0: then one more is added. */
			uint64_t more = ways[way] == odd_flags && by == 0;

			CHECK_EQ(got, 1001000 + by + more);
		}
	return check_end();
}
