/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flags that live across every kind of jump: through registers, through memory,
 * calls, returns, conditional jumps, and tables with many targets.
 */
#include "check.h"

#define FLAGS_MASK 0x8d5u /* OF SF ZF AF PF CF */

/*
 * go(flags, target) loads the flags, jumps to target and returns the flags seen
 * there. 256 targets: they only save what they see, so each depends on flags
 * that were made before an indirect jump.
 */
uint64_t go_register(uint64_t flags, void *target);
uint64_t go_memory(uint64_t flags, void *target);
uint64_t go_call(uint64_t flags, void *target);
uint64_t go_return(uint64_t flags, void *target);
uint64_t go_table(uint64_t flags, uint64_t index);
uint64_t go_long(uint64_t flags, void *target);
uint64_t carry_chain(const uint64_t *a, const uint64_t *b, uint64_t *sum, uint64_t n, void **steps);
extern char flag_targets[], flag_target_1[];

asm(".text\n"
    ".macro load_flags\n\tpushq %rdi\n\tpopfq\n.endm\n"
    ".globl go_register, go_memory, go_call, go_return, go_table, go_long, carry_chain\n"
    "go_register: load_flags\n\tjmp *%rsi\n"
    "go_memory: movq %rsi, -64(%rsp)\n\tload_flags\n\tjmp *-64(%rsp)\n"
    "go_call: sub $8, %rsp\n\tload_flags\n\tcall *%rsi\n\tlea 8(%rsp), %rsp\n"
    "\tpushfq\n\tpopq %rdx\n\txor %rax, %rdx\n\ttest $0x8d5, %edx\n\tjz 1f\n\tmov $-1, "
    "%rax\n1:\tret\n"
    "go_return: pushq %rsi\n\tload_flags\n\tret\n"
    "go_table: lea flag_table(%rip), %rax\n\tload_flags\n\tjmp *(%rax,%rsi,8)\n"
    /* many blocks between where the flags are made and where they are seen */
    "go_long: load_flags\n\tjc 1f\n1:\tjo 2f\n2:\tjp 3f\n3:\tjmp 4f\n\tud2\n4:\tjz 5f\n5:\tjs 6f\n"
    "6:\tlea 7f(%rip), %rcx\n\tjmp *%rcx\n\tud2\n7:\tmov $3, %ecx\n8:\tlea -1(%rcx), %rcx\n"
    "\tjrcxz 9f\n\tjmp 8b\n9:\tjmp *%rsi\n"
    /* adc over n words, each step reached by its own indirect jump with the carry in flight */
    "carry_chain: push %rbx\n\tmov %rdx, %rbx\n\tmov %rcx, %r10\n\txor %eax, %eax\n\tclc\n"
    "\tmov (%r8), %r11\n\tjmp *%r11\n"
    "carry_step_a: mov (%rdi,%rax,8), %rdx\n\tadc (%rsi,%rax,8), %rdx\n\tjmp carry_next\n"
    "carry_step_b: mov (%rsi,%rax,8), %rdx\n\tadc (%rdi,%rax,8), %rdx\n"
    "carry_next: mov %rdx, (%rbx,%rax,8)\n\tlea 1(%rax), %rax\n\tmov (%r8,%rax,8), %r11\n"
    "\tlea -1(%r10), %r10\n\tmov %r10, %rcx\n\tjrcxz carry_done\n\tjmp *%r11\n"
    "carry_done: mov $0, %eax\n\tadc $0, %eax\n\tpop %rbx\n\tret\n"
    ".globl flag_targets, flag_target_1\n"
    ".balign 8\nflag_targets: pushfq\n\tpopq %rax\n\tret\n"
    ".balign 8\nflag_target_1: pushfq\n\tpopq %rax\n\tret\n"
    ".rept 254\n.balign 8\n\tpushfq\n\tpopq %rax\n\tret\n.endr\n"
    ".section .data.rel.ro,\"aw\"\n.balign 8\nflag_table:\n"
    ".set i, 0\n.rept 256\n.quad flag_targets + 8 * i\n.set i, i + 1\n.endr\n.text\n");

extern char carry_step_a[], carry_step_b[];

static void check_jumps(void)
{
	uint64_t seed = 12345;

	NEED(flag_target_1 - flag_targets == 8);
	for (int i = 0; i < 60000; i++) {
		uint64_t r = check_random(&seed), flags = (r & FLAGS_MASK) | 0x202,
			 n = r >> 40 & 255;
		void *target = flag_targets + 8 * n;

		CHECK_EQ(go_register(flags, target) & FLAGS_MASK, flags & FLAGS_MASK);
		CHECK_EQ(go_memory(flags, target) & FLAGS_MASK, flags & FLAGS_MASK);
		CHECK_EQ(go_call(flags, target) & FLAGS_MASK, flags & FLAGS_MASK);
		CHECK_EQ(go_return(flags, target) & FLAGS_MASK, flags & FLAGS_MASK);
		CHECK_EQ(go_table(flags, n) & FLAGS_MASK, flags & FLAGS_MASK);
		CHECK_EQ(go_long(flags, target) & FLAGS_MASK, flags & FLAGS_MASK);
	}
	STEP("flags kept over jumps");
}

static void check_carries(void)
{
	uint64_t a[64], b[64], sum[64], seed = 99;
	void *steps[65];

	for (int round = 0; round < 2000; round++) {
		unsigned __int128 carry = 0;

		for (int i = 0; i < 64; i++) {
			a[i] = check_random(&seed) | (check_random(&seed) & 1 ? ~0ull << 20 : 0);
			b[i] = check_random(&seed);
			steps[i] = check_random(&seed) & 1 ? carry_step_a : carry_step_b;
		}
		steps[64] = carry_step_a;
		uint64_t out = carry_chain(a, b, sum, 64, steps);

		for (int i = 0; i < 64; i++) {
			carry += (unsigned __int128)a[i] + b[i];
			CHECK_EQ(sum[i], (uint64_t)carry);
			carry >>= 64;
		}
		CHECK_EQ(out, (uint64_t)carry);
	}
	STEP("carries kept");
}

/* The direction flag and the ID bit are flags as well. */
static void check_others(void)
{
	uint64_t seen;

	seen = go_register(0x202 | 0x400, flag_targets);
	asm volatile("cld");
	CHECK(seen & 0x400);
	seen = go_return(0x202 | 0x200000, flag_targets);
	CHECK(seen & 0x200000);
	seen = go_register(0x202, flag_targets);
	CHECK(!(seen & 0x200000));
	asm volatile("stc\n\tlahf\n\tclc\n\tsahf\n\tsbb %0, %0" : "=r"(seen) : : "rax", "cc");
	CHECK_EQ(seen, ~0ull);
}

int main(void)
{
	check_jumps();
	check_carries();
	check_others();
	return check_end();
}
