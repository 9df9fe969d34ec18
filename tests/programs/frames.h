/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of frames.c in assembly, which runs on a stack of its own with all registers known: it loads
 * a state, raises a signal in one of several ways, and saves the state. One source file includes
 * it.
 */
#ifndef DWELL_TESTS_FRAMES_H
#define DWELL_TESTS_FRAMES_H

#include <cpuid.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "check.h"

#define IMAGE_BYTES 16384
#define STACK_BYTES 131072
#define AUTODISARM  (1 << 31)

/* Registers in the order of gregs up to REG_EFL, and an image of the vector state. */
struct state {
	uint64_t r[18];
	uint8_t image[IMAGE_BYTES] __attribute__((aligned(64)));
};

_Static_assert(offsetof(struct state, image) == 192, "used below");

static struct state before, after;
struct state entry; /* at the begin of the last handler */
static uint8_t stack[STACK_BYTES] __attribute__((aligned(4096)));
static uint8_t other_stack[STACK_BYTES] __attribute__((aligned(4096)));
uint64_t parts; /* of the vector state */
static uint8_t *past_end, *no_code;
void (*trigger)(void);
uint64_t kept_rsp;

extern char go_on[];
void run(const struct state *from, struct state *to, void *stack_end, uint64_t mask);

#define AT(i) #i "*8"
/*
 * Load all registers from `from`, call the trigger on the stack, and save all registers to `to`.
 */
/* clang-format off */
__asm__(".text\n"
	".globl run, go_on\n"
	"run:\n"
	"	push %rbx\n	push %rbp\n	push %r12\n"
	"	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, kept_rsp(%rip)\n"
	"	mov %rdx, %rsp\n"
	"	push %rcx\n	push %rsi\n" /* mask, to */
	"	mov %rdi, %rbx\n"
	"	mov %ecx, %eax\n	mov %rcx, %rdx\n	shr $32, %rdx\n"
	"	xrstor64 192(%rbx)\n"
	"	push " AT(17) "(%rbx)\n	popfq\n"
	"	mov " AT(0) "(%rbx), %r8\n	mov " AT(1) "(%rbx), %r9\n"
	"	mov " AT(2) "(%rbx), %r10\n	mov " AT(3) "(%rbx), %r11\n"
	"	mov " AT(4) "(%rbx), %r12\n	mov " AT(5) "(%rbx), %r13\n"
	"	mov " AT(6) "(%rbx), %r14\n	mov " AT(7) "(%rbx), %r15\n"
	"	mov " AT(8) "(%rbx), %rdi\n	mov " AT(9) "(%rbx), %rsi\n"
	"	mov " AT(10) "(%rbx), %rbp\n	mov " AT(12) "(%rbx), %rdx\n"
	"	mov " AT(13) "(%rbx), %rax\n	mov " AT(14) "(%rbx), %rcx\n"
	"	mov " AT(11) "(%rbx), %rbx\n"
	"	call *trigger(%rip)\n"
	"go_on:\n"
	"	xchg %rbx, (%rsp)\n" /* to */
	"	mov %r8, " AT(0) "(%rbx)\n	mov %r9, " AT(1) "(%rbx)\n"
	"	mov %r10, " AT(2) "(%rbx)\n	mov %r11, " AT(3) "(%rbx)\n"
	"	mov %r12, " AT(4) "(%rbx)\n	mov %r13, " AT(5) "(%rbx)\n"
	"	mov %r14, " AT(6) "(%rbx)\n	mov %r15, " AT(7) "(%rbx)\n"
	"	mov %rdi, " AT(8) "(%rbx)\n	mov %rsi, " AT(9) "(%rbx)\n"
	"	mov %rbp, " AT(10) "(%rbx)\n	mov %rdx, " AT(12) "(%rbx)\n"
	"	mov %rax, " AT(13) "(%rbx)\n	mov %rcx, " AT(14) "(%rbx)\n"
	"	pop " AT(11) "(%rbx)\n"
	"	pushfq\n	pop " AT(17) "(%rbx)\n"
	"	pushq $0x202\n	popfq\n"
	"	pop %rdx\n	mov %edx, %eax\n	shr $32, %rdx\n"
	"	xsave64 192(%rbx)\n"
	"	mov kept_rsp(%rip), %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n"
	"	pop %r12\n	pop %rbp\n	pop %rbx\n"
	"	cld\n"
	"	emms\n	fninit\n"
	"	ret\n"
	/* The triggers. */
	".globl by_call, by_read, by_write, by_pointer, by_jump, by_divide, by_opcode, by_trap\n"
	".globl by_bus, by_step, by_nothing, send\n"
	"send:	mov $234, %eax\n" /* tgkill */
	"by_call:	syscall\n	ret\n"
	"by_read:	mov 0x123(%r8), %rax\n	ret\n"
	"by_write:	mov %rax, 0x123(%r8)\n	ret\n"
	"by_pointer:	mov (%r9), %rax\n	ret\n"
	"by_jump:	jmp *%r15\n"
	"by_divide:	xor %ecx, %ecx\n	div %ecx\n	ret\n"
	"by_opcode:	ud2\n	ret\n"
	"by_trap:	int3\n	ret\n"
	"by_bus:	mov (%r14), %rax\n	ret\n"
	"by_step:	orl $0x100, -8(%rsp)\n	pushfq\n	orl $0x100, (%rsp)\n	popfq\n"
	"	nop\n	ret\n"
	"by_nothing:	ret\n"
	/* The handler: notes its first state. */
	".globl handler_entry\n"
	"handler_entry:\n"
	"	mov %rax, entry+" AT(13) "(%rip)\n	mov %rdi, entry+" AT(8) "(%rip)\n"
	"	mov %rsi, entry+" AT(9) "(%rip)\n	mov %rdx, entry+" AT(12) "(%rip)\n"
	"	mov %rsp, entry+" AT(15) "(%rip)\n	mov %rbx, entry+" AT(11) "(%rip)\n"
	"	mov %rcx, entry+" AT(14) "(%rip)\n	mov %r8, entry+" AT(0) "(%rip)\n"
	"	pushfq\n	pop entry+" AT(17) "(%rip)\n"
	"	push %rdx\n"
	"	mov parts(%rip), %eax\n	mov parts+4(%rip), %edx\n"
	"	xsave64 entry+192(%rip)\n"
	"	pop %rdx\n"
	"	jmp handler\n");
/* clang-format on */
void by_call(void), by_read(void), by_write(void), by_pointer(void), by_jump(void);
void by_divide(void), by_opcode(void), by_trap(void), by_bus(void), by_nothing(void);

void handler_entry(int, siginfo_t *, void *);
void by_step(void);
long send(int process, int thread, int signal);

static uint64_t xgetbv(void)
{
	uint32_t lo, hi;

	__asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
	return (uint64_t)hi << 32 | lo;
}

static uint32_t offset_of_part(int part, uint32_t *bytes)
{
	uint32_t b, offset, c, d;

	__cpuid_count(0xd, part, b, offset, c, d);
	*bytes = b;
	return offset;
}

static uint64_t sum_of(const void *at, size_t n)
{
	const uint8_t *p = at;
	uint64_t h = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	return h;
}

/* Parts that are not in their first state: others[] says which of the optional ones. */
static void fill(uint64_t seed, uint64_t used)
{
	uint64_t held = used;
	uint32_t bytes, at;

	memset(&before, 0, sizeof before);
	for (int i = 0; i < 16; i++)
		before.r[i] = check_random(&seed);
	before.r[0] = 0x1000;		     /* r8: nothing is there */
	before.r[1] = 0x8000123456789abcull; /* r9: no address */
	before.r[6] = (uint64_t)(uintptr_t)past_end;
	before.r[7] = (uint64_t)(uintptr_t)no_code;
	before.r[17] = 0x202;
	before.image[0] = 0x7f; /* control word */
	before.image[1] = 0x03;
	before.image[24] = 0x80; /* mxcsr */
	before.image[25] = 0x1f;
	if (used & 1) {
		before.image[1] = 0x02; /* 53 bits */
		before.image[3] = 0x28; /* top of the stack: 5 */
		before.image[4] = 0xe0; /* three values */
		for (int i = 0; i < 3; i++) {
			uint64_t m = check_random(&seed) | 1ull << 63;

			memcpy(before.image + 32 + 16 * i, &m, 8);
			before.image[32 + 16 * i + 9] = 0x3f;
		}
	}
	if (used & 2) {
		before.image[25] = 0x3f; /* rounds down */
		for (int i = 0; i < 32; i++) {
			uint64_t v = check_random(&seed);

			memcpy(before.image + 160 + 8 * i, &v, 8);
		}
	}
	for (int part = 2; part < 8; part++) {
		if (!(used >> part & 1))
			continue;
		at = offset_of_part(part, &bytes);
		for (uint32_t i = 0; part != 3 && part != 4 && i < bytes; i += 8) {
			uint64_t v = check_random(&seed);

			memcpy(before.image + at + i, &v, 8);
		}
	}
	memcpy(before.image + 512, &held, 8);
}

#endif
