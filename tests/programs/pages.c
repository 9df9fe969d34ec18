/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses near each other that lie on two pages, the higher one first, while other pages come and
 * go: which page was used last depends on the order of these accesses.
 */
#include "check.h"

#define PAGES  7u
#define ROUNDS 400u

/* Adds 1 to the words at p + 40, p + 8 and p + 56, and returns the sum of these. */
uint64_t add_three(char *p);

asm(".text\n"
    ".globl add_three\n"
    "add_three: mov 40(%rdi), %rax\n\tmov 8(%rdi), %rcx\n\tmov 56(%rdi), %rdx\n"
    "\tinc %rax\n\tinc %rcx\n\tinc %rdx\n"
    "\tmov %rax, 40(%rdi)\n\tmov %rcx, 8(%rdi)\n\tmov %rdx, 56(%rdi)\n"
    "\tadd %rcx, %rax\n\tadd %rdx, %rax\n\tret\n");

static char room[PAGES + 1][4096] __attribute__((aligned(4096)));

int main(void)
{
	for (uint64_t round = 0; round < ROUNDS; round++)
		for (uint32_t page = 0; page < PAGES; page++) {
			/* the lower page, some others, and then both */
			for (uint32_t other = 0; other <= round % PAGES; other++)
				room[(page + 3 * other) % PAGES][4080]++;
			CHECK_EQ(add_three(room[page] + 4096 - 32), 3 * (round + 1));
		}
	return check_end();
}
