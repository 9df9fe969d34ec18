/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All general registers must keep their values whenever a profiler borrows some. The program runs
 * short pieces of code, some just a return, millions of times, so that every instruction boundary
 * is interrupted.
 */
#include "check.h"

#define ROUNDS 4000000

/*
 * uint64_t run(uint64_t rounds, const uint64_t *data): how many rounds were without a loss. Data
 * are two zeros. rdi and rax are in use; each other register holds its own number.
 */
uint64_t run(uint64_t rounds, const uint64_t *data);

asm(".text\n"
    "pieces: cmpq $0, (%rax)\n\tjne 1f\n\tcmpq $0, 8(%rax)\n\tjne 1f\n\tpushq (%rax)\n\tjmp 2f\n"
    "2:\tpopq -8(%rsp)\n\tjo 1f\n\tret\n"
    "1:\tud2\n"
    "run: push %rbx\n\tpush %rbp\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n"
    "\tpush $0\n\tmov %rsi, %rax\n"
    "\tmov $1, %ecx\n\tmov $2, %edx\n\tmov $3, %ebx\n\tmov $5, %ebp\n\tmov $6, %esi\n"
    "\tmov $8, %r8d\n\tmov $9, %r9d\n\tmov $10, %r10d\n\tmov $11, %r11d\n\tmov $12, %r12d\n"
    "\tmov $13, %r13d\n\tmov $14, %r14d\n\tmov $15, %r15d\n"
    "1:\tcall pieces\n"
    "\tcmp $1, %rcx\n\tjne 2f\n\tcmp $2, %rdx\n\tjne 2f\n\tcmp $3, %rbx\n\tjne 2f\n"
    "\tcmp $5, %rbp\n\tjne 2f\n\tcmp $6, %rsi\n\tjne 2f\n\tcmp $8, %r8\n\tjne 2f\n"
    "\tcmp $9, %r9\n\tjne 2f\n\tcmp $10, %r10\n\tjne 2f\n\tcmp $11, %r11\n\tjne 2f\n"
    "\tcmp $12, %r12\n\tjne 2f\n\tcmp $13, %r13\n\tjne 2f\n\tcmp $14, %r14\n\tjne 2f\n"
    "\tcmp $15, %r15\n\tjne 2f\n"
    "\tincq (%rsp)\n\tdec %rdi\n\tjnz 1b\n"
    "2:\tpop %rax\n\tpop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbp\n\tpop "
    "%rbx\n\tret\n");

int main(void)
{
	static const uint64_t zeros[2];

	CHECK_EQ(run(ROUNDS, zeros), ROUNDS);
	return check_end();
}
