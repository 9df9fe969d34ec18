/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls and returns as on the machine: the data they leave just below rsp, returns without a call,
 * stacks changed between the two, stacks that cannot be written, and skipped frames. Each many
 * times, as the second time may take another path.
 *
 *   returns           results that must be equal
 *   returns overflow  recursion to the end of the stack, again and again
 */
#define _GNU_SOURCE
#include "check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#define ROUNDS	    50
#define STACK_BYTES 8192

#define FN(name) uint64_t name(void *a, void *b)
FN(below_call);
FN(below_call_indirect);
FN(below_call_imm);
FN(below_push_ret);
FN(below_jump);
FN(below_tail);
FN(callee_sees);
FN(return_on);
FN(return_to_call_site);
FN(swap_between);
FN(rsp_elsewhere);

/*
 * below_*: 0 when the 8 bytes under rsp hold what they have to. A return moves
 * rsp only: the address it popped stays where it was.
 */
asm(".text\n"
    "plain: ret\n"
    "plain_imm: ret $16\n"
    "below_call: call plain\n1:\tmov -8(%rsp), %rax\n\tlea 1b(%rip), %rcx\n\tsub %rcx, "
    "%rax\n\tret\n"
    "below_call_indirect: lea plain(%rip), %rdx\n\tcall *%rdx\n1:\tmov -8(%rsp), %rax\n"
    "\tlea 1b(%rip), %rcx\n\tsub %rcx, %rax\n\tret\n"
    "below_call_imm: push $5\n\tpush $6\n\tcall plain_imm\n1:\tmov -24(%rsp), %rax\n\tlea "
    "1b(%rip), %rcx\n"
    "\tsub %rcx, %rax\n\tmov -8(%rsp), %rcx\n\tsub $5, %rcx\n\tor %rcx, %rax\n\tret\n"
    "below_push_ret: lea 1f(%rip), %rax\n\tpush %rax\n\tret\n1:\tsub -8(%rsp), %rax\n\tret\n"
    /* a jump to a place that calls return to, too, leaves everything below rsp alone */
    "below_jump: call plain\n1:\ttest %rdi, %rdi\n\tjz 2f\n\txor %edi, %edi\n\tmovq $77, -8(%rsp)\n"
    "\tlea 1b(%rip), %rdx\n\tjmp *%rdx\n2:\tmov -8(%rsp), %rax\n\tsub $77, %rax\n\tret\n"
    /* the callee is jumped to, and returns to its caller's caller */
    "below_tail: push %rbx\n\tcall 3f\n1:\tmov -8(%rsp), %rax\n\tlea 1b(%rip), %rcx\n\tsub %rcx, "
    "%rax\n\tpop %rbx\n\tret\n"
    "3:\tlea plain(%rip), %rdx\n\tjmp *%rdx\n"
    /* the callee finds its return address, and nothing else has changed */
    "callee_sees: movq $11, -16(%rsp)\n\tmovq $12, -24(%rsp)\n\tcall 1f\n2:\tret\n"
    "1:\tmov (%rsp), %rax\n\tlea 2b(%rip), %rcx\n\tsub %rcx, %rax\n\tmov -8(%rsp), %rcx\n\tsub "
    "$11, %rcx\n"
    "\tor %rcx, %rax\n\tmov -16(%rsp), %rcx\n\tsub $12, %rcx\n\tor %rcx, %rax\n\tret\n"
    /* ret with rsp = a, where 1f's address stands already; what is below is looked at */
    "return_on: push %rbp\n\tmov %rsp, %rbp\n\tlea 1f(%rip), %rax\n\ttest %rsi, %rsi\n\tjnz 2f\n"
    "\tmov %rax, (%rdi)\n\tpop %rbp\n\tret\n"
    "2:\tmov %rdi, %rsp\n\tret\n1:\tsub -8(%rsp), %rax\n\tmov %rbp, %rsp\n\tpop %rbp\n\tret\n"
    /* the same, and a real call returns to the place now and then */
    "return_to_call_site: push %rbp\n\tmov %rsp, %rbp\n\ttest %rsi, %rsi\n\tjnz 2f\n\tcall 3f\n"
    "1:\tmov -8(%rsp), %rax\n\tlea 1b(%rip), %rcx\n\tsub %rcx, %rax\n\tmov %rbp, %rsp\n\tpop "
    "%rbp\n\tret\n"
    "2:\tmov %rdi, %rsp\n\tret\n"
    "3:\tmov (%rsp), %rax\n\tmov %rax, (%rdi)\n\tret\n"
    /* the callee moves its return address to stack a and returns there */
    "swap_between: push %rbp\n\tmov %rsp, %rbp\n\tcall 2f\n1:\tmov -8(%rsp), %rax\n\tlea 1b(%rip), "
    "%rcx\n"
    "\tsub %rcx, %rax\n\tsub %rdi, %rsp\n\tsub $8, %rsp\n\tor %rsp, %rax\n\tmov %rbp, %rsp\n\tpop "
    "%rbp\n\tret\n"
    "2:\tpop %rax\n\tmov %rax, (%rdi)\n\tmov %rdi, %rsp\n\tret\n"
    /* a jump to a return site while rsp is no stack at all */
    "rsp_elsewhere: call plain\n1:\tcmp $16, %rsp\n\tje 2f\n\tmov %rsp, %rsi\n\tmov $16, %esp\n"
    "\tlea 1b(%rip), %rdx\n\tjmp *%rdx\n2:\tmov %rsi, %rsp\n\txor %eax, %eax\n\tret\n");

static uint64_t *new_stack(void)
{
	uint64_t *p =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(p != MAP_FAILED);
	return p;
}

static void what_is_below(void)
{
	static const struct {
		const char *name;
		FN((*function));
	} cases[] = {
		{"call", below_call},
		{"call through a register", below_call_indirect},
		{"ret with a number", below_call_imm},
		{"push and ret", below_push_ret},
		{"jump to a return site", below_jump},
		{"tail call", below_tail},
		{"callee", callee_sees},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t wrong = 0;

		for (int round = 0; round < ROUNDS; round++)
			wrong += cases[i].function((void *)&wrong, NULL) != 0;
		STEP("%s: %d wrong", cases[i].name, (int)wrong);
		CHECK(wrong == 0);
	}
}

/* Returns through stacks that are readable only, not even written once, or new each time. */
static void other_stacks(FN((*function)), const char *name)
{
	uint64_t wrong = 0;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t *p = new_stack(), *top = p + STACK_BYTES / 16;

		function(top, NULL);
		wrong += function(top, top) != 0;
		NEED(mprotect(p, STACK_BYTES, PROT_READ) == 0);
		wrong += function(top, top) != 0;
		wrong += function(top, top) != 0;
		NEED(mprotect(p, STACK_BYTES, PROT_READ | PROT_WRITE) == 0);
		wrong += function(top, top) != 0;
		munmap(p, STACK_BYTES);
	}
	STEP("%s: %d wrong", name, (int)wrong);
	CHECK(wrong == 0);
}

static void change_stacks(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t *p = new_stack();

		CHECK_EQ(swap_between(p + STACK_BYTES / 16, NULL), 0);
		CHECK_EQ(rsp_elsewhere(NULL, NULL), 0);
		munmap(p, STACK_BYTES);
	}
	STEP("stacks changed");
}

/* ---- Frames that are jumped over ---- */

static jmp_buf out;
static int depth_seen;

__attribute__((noinline)) static int descend(int depth, int jump)
{
	if (depth == 0 && jump)
		longjmp(out, 1);
	return depth == 0 ? 0 : descend(depth - 1, jump) + 1;
}

static void jump_over(void)
{
	volatile int jumps = 0;

	for (volatile int depth = 0; depth < 200; depth = depth + 1) {
		if (setjmp(out) == 0) {
			descend(depth, 1);
			CHECK(!"reached");
		} else {
			jumps = jumps + 1;
		}
		CHECK_EQ(descend(depth, 0), depth);
	}
	CHECK_EQ(jumps, 200);
	STEP("jumped over frames");
}

/* Two contexts that call and return in turn: each one's returns meet the other's calls. */
static ucontext_t here, there;
static volatile int turns;

__attribute__((noinline)) static void yield_at(int depth, ucontext_t *from, ucontext_t *to)
{
	if (depth > 0)
		yield_at(depth - 1, from, to);
	else
		swapcontext(from, to);
	depth_seen += depth;
}

static void other_side(void)
{
	for (;;) {
		turns = turns + 1;
		yield_at(turns % 13, &there, &here);
	}
}

static void take_turns(void)
{
	static char stack[65536];

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof stack;
	makecontext(&there, other_side, 0);
	for (int i = 0; i < 500; i++)
		yield_at(i % 17, &here, &there);
	CHECK_EQ(turns, 500);
	STEP("took turns");
}

/* ---- The end of the stack ---- */

static sigjmp_buf recovered;
static volatile uint64_t fault_address, fault_rsp, fault_pc;

static void on_overflow(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	(void)signal;
	fault_address = (uint64_t)(uintptr_t)info->si_addr;
	fault_rsp = (uint64_t)uc->uc_mcontext.gregs[REG_RSP];
	fault_pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	siglongjmp(recovered, 1);
}

FN(only_calls);
FN(calls_and_pushes);
FN(calls_through_memory);
extern char recursion_code[], recursion_end[];
/* Endless recursion: the call itself, a push, or a call through a table hits the end. */
asm("recursion_code:\n"
    "only_calls: call only_calls\n\tret\n"
    "calls_and_pushes: push %rdi\n\tpush %rsi\n\tpush %rax\n\tcall calls_and_pushes\n\tret\n"
    "calls_through_memory: sub $24, %rsp\n\tcall *recursion_target(%rip)\n\tret\n"
    "recursion_end:\n"
    ".section .data.rel.ro,\"aw\"\n.balign 8\nrecursion_target: .quad "
    "calls_through_memory\n.text\n");

static void run_out_of_stack(FN((*volatile function)), uint64_t below)
{
	if (sigsetjmp(recovered, 1) == 0) {
		function(NULL, NULL);
		CHECK(!"reached");
		return;
	}
	/* The store that failed was the next one below rsp, beyond the stack's end. */
	CHECK_EQ(fault_address, fault_rsp - 8);
	CHECK(fault_address < below);
	CHECK(fault_pc >= (uint64_t)(uintptr_t)recursion_code &&
	      fault_pc < (uint64_t)(uintptr_t)recursion_end);
}

static int overflow(void)
{
	static char handler_stack[65536];
	const stack_t ss = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
	const struct rlimit small = {256 << 10, 256 << 10};
	struct sigaction sa = {.sa_sigaction = on_overflow, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	uint64_t below = (uint64_t)(uintptr_t)&ss - (128 << 10);

	NEED(setrlimit(RLIMIT_STACK, &small) == 0 && sigaltstack(&ss, NULL) == 0);
	sigaction(SIGSEGV, &sa, NULL);
	for (int round = 0; round < 20; round++) {
		run_out_of_stack(only_calls, below);
		run_out_of_stack(calls_and_pushes, below);
		run_out_of_stack(calls_through_memory, below);
		jump_over();
	}
	return check_end();
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "overflow") == 0)
		return overflow();
	what_is_below();
	other_stacks(return_on, "returns on other stacks");
	other_stacks(return_to_call_site, "returns to call sites on other stacks");
	change_stacks();
	jump_over();
	take_turns();
	return check_end();
}
