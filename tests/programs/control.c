/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rare forms of control transfer and stack instructions: loop, loope, loopne, jrcxz, push and pop
 * of memory and of rsp, call and jmp through memory relative to rsp, ret imm16, enter and leave,
 * xchg with rsp.
 */
#include "check.h"

#define FN(name) uint64_t name(uint64_t a, uint64_t b)
FN(loop_count);
FN(loope_count);
FN(loopne_count);
FN(jrcxz_taken);
FN(jecxz_taken);
FN(push_rsp);
FN(pop_rsp);
FN(push_at_rsp);
FN(pop_at_rsp);
FN(pop_above);
FN(call_at_rsp);
FN(jmp_at_rsp);
FN(ret_imm);
FN(call_memory);
FN(jmp_indexed);
FN(enter_leave);
FN(xchg_rsp);
FN(call_next);
FN(push_imm);
FN(push16);
FN(rsp_away);
FN(call_rip);
FN(pushf_popf);
FN(call_reg_rsp);
FN(deep_calls);
FN(ret_mismatch);
FN(prefixed);

asm(".text\n"
    "loop_count: mov %rdi, %rcx\n\txor %eax, %eax\n1:\tinc %rax\n\tloop 1b\n\tret\n"
    /* counts while equal: up to the first element of (b) that is not a's low byte */
    "loope_count: mov %rdi, %rcx\n\txor %eax, %eax\n1:\tinc %rax\n\tcmpb $7, "
    "-1(%rsi,%rax)\n\tloope 1b\n\tret\n"
    "loopne_count: mov %rdi, %rcx\n\txor %eax, %eax\n1:\tinc %rax\n\tcmpb $9, "
    "-1(%rsi,%rax)\n\tloopne 1b\n\tret\n"
    "jrcxz_taken: mov %rdi, %rcx\n\tmov $1, %eax\n\tjrcxz 1f\n\txor %eax, %eax\n1:\tret\n"
    "jecxz_taken: mov %rdi, %rcx\n\tmov $1, %eax\n\tjecxz 1f\n\txor %eax, %eax\n1:\tret\n"
    /* rsp as it was before, and where it is afterwards: 0 */
    "push_rsp: mov %rsp, %rdx\n\tpush %rsp\n\tpop %rax\n\tsub %rdx, %rax\n\tsub %rsp, %rdx\n\tor "
    "%rdx, %rax\n\tret\n"
    "pop_rsp: mov %rsp, %rdx\n\tlea -64(%rsp), %rax\n\tmov %rax, -8(%rsp)\n\tsub $8, %rsp\n\tpop "
    "%rsp\n"
    "\tsub %rsp, %rax\n\tmov %rdx, %rsp\n\tret\n"
    "push_at_rsp: push %rdi\n\tpush %rsi\n\tpushq 8(%rsp)\n\tpop %rax\n\tpop %rsi\n\tpop "
    "%rdi\n\tret\n"
    /* pop [rsp]: the address is made with rsp already raised */
    "pop_at_rsp: push $1\n\tpush %rdi\n\tpopq (%rsp)\n\tpop %rax\n\tret\n"
    "pop_above: push $1\n\tpush $2\n\tpush %rdi\n\tpopq 8(%rsp)\n\tpop %rdx\n\tpop %rax\n\tret\n"
    "call_at_rsp: lea callee(%rip), %rax\n\tpush %rax\n\tpush $0\n\tcall *8(%rsp)\n\tadd $16, "
    "%rsp\n\tret\n"
    "callee: lea 1(%rdi,%rsi), %rax\n\tret\n"
    "jmp_at_rsp: lea callee(%rip), %rax\n\tmov %rax, -24(%rsp)\n\tjmp *-24(%rsp)\n"
    "ret_imm: push %rdi\n\tpush %rsi\n\tcall 2f\n\tret\n"
    "2:\tmov 8(%rsp), %rax\n\tadd 16(%rsp), %rax\n\tret $16\n"
    "call_memory: lea callee(%rip), %rax\n\tmov %rax, -128(%rsp)\n\tlea -256(%rsp), %rdx\n\tmov "
    "$16, %ecx\n"
    "\tsub $8, %rsp\n\tcall *(%rdx,%rcx,8)\n\tadd $8, %rsp\n\tret\n"
    "jmp_indexed: lea control_table(%rip), %rdx\n\tjmp *(%rdx,%rdi,8)\n"
    "case0: lea 100(%rsi), %rax\n\tret\ncase1: lea 200(%rsi), %rax\n\tret\ncase2: lea 300(%rsi), "
    "%rax\n\tret\n"
    "enter_leave: enter $32, $0\n\tmov %rdi, -8(%rbp)\n\tmov %rsi, -32(%rbp)\n\tmov -8(%rbp), "
    "%rax\n"
    "\tadd (%rsp), %rax\n\tleave\n\tret\n"
    "xchg_rsp: lea -512(%rsp), %rdx\n\tand $-16, %rdx\n\txchg %rsp, %rdx\n\tpush %rdi\n\tpush "
    "%rsi\n\tpop %rax\n\tpop %rcx\n"
    "\tadd %rcx, %rax\n\txchg %rdx, %rsp\n\tret\n"
    "call_next: call 1f\n1:\tpop %rax\n\tlea 1b(%rip), %rdx\n\tsub %rdx, %rax\n\tret\n"
    "push_imm: push $-5\n\tpush $0x12345678\n\tpop %rax\n\tpop %rdx\n\tadd %rdx, %rax\n\tret\n"
    "push16: mov %rsp, %rdx\n\tpushw $0x1234\n\tpushw %di\n\tmov %rsp, %rcx\n\tsub %rsp, "
    "%rdx\n\tmovl (%rsp), %eax\n"
    "\tpopw %r8w\n\tpopw %r9w\n\tshl $32, %rdx\n\tor %rdx, %rax\n\tret\n"
    /* rsp used as a plain register for a moment, far from any stack */
    "rsp_away: mov %rsp, %rdx\n\tmov %rdi, %rsp\n\tadd %rsi, %rsp\n\tlea 5(%rsp,%rsi,2), "
    "%rax\n\tmov %rdx, %rsp\n\tret\n"
    "call_rip: sub $8, %rsp\n\tcall *control_callee(%rip)\n\tadd $8, %rsp\n\tret\n"
    "pushf_popf: pushfq\n\torq $0x801, (%rsp)\n\tpopfq\n\tseto %al\n\tsetc %dl\n\tmovzbl %al, "
    "%eax\n\tmovzbl %dl, %edx\n"
    "\tlea (%rax,%rdx,2), %rax\n\tret\n"
    /* call through rsp's own memory: [rsp] must be read before the return address is pushed */
    "call_reg_rsp: lea callee(%rip), %rax\n\tpush %rax\n\tcall *(%rsp)\n\tpop %rdx\n\tret\n"
    "deep_calls: test %rdi, %rdi\n\tjz 1f\n\tdec %rdi\n\tcall deep_calls\n\tinc "
    "%rax\n\tret\n1:\txor %eax, %eax\n\tret\n"
    /* returns that no call made, and calls that never return: a return predictor's trap */
    "ret_mismatch: lea 1f(%rip), %rax\n\tpush %rax\n\tret\n\tud2\n1:\tcall 2f\n\tud2\n2:\tadd $8, "
    "%rsp\n"
    "\tlea (%rdi,%rsi), %rax\n\tret\n"
    "prefixed: mov %rdi, %rax\n\t.byte 0x66\n\tlea 3(%rsi), %rdx\n\tcs nopw "
    "0x0(%rax,%rax,1)\n\trep ret\n"
    ".section .data.rel.ro,\"aw\"\n.balign 8\ncontrol_table: .quad case0, case1, "
    "case2\ncontrol_callee: .quad callee\n.text\n");

/* leave with a frame made by hand; a bare `leave` after rbp moved. */
static uint64_t leave_far(void)
{
	uint64_t out, frame[8] = {0};

	frame[4] = 0xabcd;
	asm volatile("push %%rbp\n\tmov %%rsp, %%rdx\n\tlea 32(%1), %%rbp\n\tleave\n\t"
		     "mov %%rsp, %%rcx\n\tmov %%rdx, %%rsp\n\tmov %%rbp, %0\n\tpop %%rbp\n\t"
		     "sub %1, %%rcx\n\tshl $32, %%rcx\n\tor %%rcx, %0"
		     : "=&r"(out)
		     : "r"(frame)
		     : "rdx", "rcx", "memory", "cc");
	return out;
}

static void check_loops(void)
{
	unsigned char sevens[64];

	CHECK_EQ(loop_count(1, 0), 1);
	CHECK_EQ(loop_count(100000, 0), 100000);
	memset(sevens, 7, sizeof(sevens));
	CHECK_EQ(loope_count(64, (uint64_t)sevens), 64);
	sevens[20] = 9;
	CHECK_EQ(loope_count(64, (uint64_t)sevens), 21);
	CHECK_EQ(loopne_count(64, (uint64_t)sevens), 21);
	CHECK_EQ(loopne_count(10, (uint64_t)sevens), 10);
	CHECK(jrcxz_taken(0, 0) == 1 && jrcxz_taken(1, 0) == 0 && jrcxz_taken(1ull << 40, 0) == 0);
	CHECK(jecxz_taken(0, 0) == 1 && jecxz_taken(1, 0) == 0 && jecxz_taken(1ull << 40, 0) == 1);
	STEP("loops");
}

int main(void)
{
	check_loops();
	for (uint64_t i = 0; i < 3000; i++) {
		uint64_t a = i * 0x9e3779b97f4a7c15u, b = i * 77 + 5;

		CHECK_EQ(push_rsp(a, b), 0);
		CHECK_EQ(pop_rsp(a, b), 0);
		CHECK_EQ(push_at_rsp(a, b), a);
		CHECK_EQ(pop_at_rsp(a, b), a);
		CHECK_EQ(pop_above(a, b), a);
		CHECK_EQ(call_at_rsp(a, b), a + b + 1);
		CHECK_EQ(jmp_at_rsp(a, b), a + b + 1);
		CHECK_EQ(ret_imm(a, b), a + b);
		CHECK_EQ(call_memory(a, b), a + b + 1);
		CHECK_EQ(jmp_indexed(i % 3, b), b + 100 * (i % 3 + 1));
		CHECK_EQ(enter_leave(a, b), a + b);
		CHECK_EQ(xchg_rsp(a, b), a + b);
		CHECK_EQ(call_next(a, b), 0);
		CHECK_EQ(push_imm(a, b), 0x12345673);
		CHECK_EQ(push16(a, b), 0x412340000ull | (a & 0xffff));
		CHECK_EQ(rsp_away(a, b), a + 3 * b + 5);
		CHECK_EQ(call_rip(a, b), a + b + 1);
		CHECK_EQ(pushf_popf(a, b), 3);
		CHECK_EQ(call_reg_rsp(a, b), a + b + 1);
		CHECK_EQ(ret_mismatch(a, b), a + b);
		CHECK_EQ(prefixed(a, b), a);
		CHECK_EQ(leave_far(), 40ull << 32 | 0xabcd);
	}
	STEP("stack forms");
	for (int i = 0; i < 20; i++)
		CHECK_EQ(deep_calls(40000, 0), 40000);
	STEP("deep calls");
	return check_end();
}
