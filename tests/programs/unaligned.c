/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses that are aligned at first and unaligned later, in each form of addresses, with live and
 * dead status flags (`sums` has only these). And non-canonical addresses, with and without a
 * handler for the fault (`nowhere N`).
 */
#include "check.h"
#include <setjmp.h>
#include <signal.h>

/* Each returns the sum of the words at p, p + 8 and p + 200, whatever their way there. */
typedef uint64_t sum(const char *p, uint64_t n);
sum by_base, by_index, by_scale, by_value, with_flags, with_count, stored;

asm(".text\n"
    ".globl by_base, by_index, by_scale, by_value, with_flags, with_count, stored\n"
    "by_base: mov (%rdi), %rax\n\tadd 200(%rdi), %rax\n\tadd 8(%rdi), %rax\n\tret\n"
    "by_index: xor %edx, %edx\n\tmov (%rdi,%rdx), %rax\n\tadd 8(%rdi,%rdx), %rax\n\tadd "
    "200(%rdi,%rdx), %rax\n\tret\n"
    "by_scale: mov $1, %edx\n\tmov -8(%rdi,%rdx,8), %rax\n\tadd (%rdi,%rdx,8), %rax\n\tadd "
    "192(%rdi,%rdx,8), %rax\n\tret\n"
    /* each access has a value of the register of its own */
    "by_value: mov (%rdi), %rax\n\tadd $8, %rdi\n\tadd (%rdi), %rax\n\tlea 192(%rdi), %rdi\n\tadd "
    "(%rdi), %rax\n\tret\n"
    /* the carry lives from the first instruction to the last but one */
    "with_flags: stc\n\tmov (%rdi), %rax\n\tmov 8(%rdi), %rdx\n\tmov 200(%rdi), %rsi\n\tlea "
    "(%rax,%rdx), %rax\n"
    "\tsbb $-1, %rax\n\tadd %rsi, %rax\n\tret\n"
    /* so it does here, and rcx is wanted all the time */
    "with_count: mov %rdi, %rcx\n\tstc\n\tmov (%rcx), %rax\n\tmov 8(%rcx), %rdx\n\tlea 200(%rcx), "
    "%rcx\n"
    "\tmov (%rcx), %rcx\n\tlea (%rax,%rdx), %rax\n\tsbb $-1, %rax\n\tadd %rcx, %rax\n\tret\n"
    /* a loop whose registers are put away once: it adds to the words and takes that off again */
    "stored: mov $9, %ecx\n1:\taddq $1, (%rdi)\n\taddq $2, 8(%rdi)\n\tsubq $1, (%rdi)\n\tsubq $2, "
    "8(%rdi)\n\tdec %ecx\n\tjnz 1b\n"
    "\tmov (%rdi), %rax\n\tadd 8(%rdi), %rax\n\tadd 200(%rdi), %rax\n\tret\n");

static sum *const ways[] = {by_base, by_index, by_scale, by_value, with_flags, with_count, stored};

static char room[4096] __attribute__((aligned(64)));

static void check_sums(void)
{
	for (uint64_t way = 0; way < sizeof ways / sizeof *ways; way++)
		for (uint64_t round = 0; round < 300; round++) {
			/* aligned ones, and then all others, of which some lie across two lines */
			uint64_t at = round < 100 ? 8 * round : 3 * round;
			uint64_t words[3] = {round, 1000 * way, 1000000};

			memcpy(room + at, &words[0], 8);
			memcpy(room + at + 8, &words[1], 8);
			memcpy(room + at + 200, &words[2], 8);
			CHECK_EQ(ways[way](room + at, 0), words[0] + words[1] + words[2]);
		}
}

static sigjmp_buf back;
static int faults;

static void on_fault(int signal)
{
	faults += signal == SIGSEGV;
	siglongjmp(back, 1);
}

int main(int argc, char **argv)
{
	static const uint64_t nowhere[] = {1ull << 47, 9ull << 44, 1ull << 51,
					   1ull << 55, 1ull << 63, 0xfff0ull << 48};
	const unsigned count = sizeof nowhere / sizeof *nowhere;

	if (argc == 3)
		return (int)ways[0]((char *)nowhere[strtoul(argv[2], NULL, 10) % count], 0);
	check_sums();
	if (argc == 2)
		return check_end();
	CHECK(signal(SIGSEGV, on_fault) != SIG_ERR);
	for (volatile unsigned i = 0; i < count; i++)
		if (!sigsetjmp(back, 1))
			CHECK(ways[0]((char *)nowhere[i], 0) && 0);
	CHECK_EQ(faults, count);
	check_sums();
	return check_end();
}
